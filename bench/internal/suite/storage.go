package suite

import (
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// readsForms reports whether a kernel reads storage other than int32 columns
// with float64 values.
func readsForms(kernel string) bool {
	switch kernel {
	case "InnerLazy", "InnerLazyBall":
		return true
	}
	return false
}

// A form is a matrix in one storage.
type form struct {
	name string // of the shape, with the storage if it is not the plain one
	rows kernels.Rows
}

// formNames returns the names of a shape's forms that the kernel reads.
func formNames(kernel string, sh shape.Shape) []string {
	names := []string{sh.Name}
	if c := sh.CompactName(); c != "" && readsForms(kernel) {
		names = append(names, sh.Name+"-"+c)
	}
	return names
}

// forms returns those of formNames. compact is d.Compact().
func forms(kernel string, d shape.Data, compact kernels.Rows) []form {
	var out []form
	for i, name := range formNames(kernel, d.Shape) {
		out = append(out, form{name, []kernels.Rows{d.Rows, compact}[i]})
	}
	return out
}

// rowBytes returns what the nonzeros and pointers of a occupy.
func rowBytes(a kernels.Rows) int {
	nnz := int(a.Ptr[a.Len()] - a.Ptr[0])
	return nnz*entryBytes(a) + len(a.Ptr)*8
}

// entryBytes returns the size of one stored nonzero.
func entryBytes(a kernels.Rows) int {
	bytes := 4
	if a.Idx == nil {
		bytes = 2
	}
	switch {
	case a.Val != nil:
		return bytes + 8
	case a.Val32 != nil:
		return bytes + 4
	}
	return bytes
}
