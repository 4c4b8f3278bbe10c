package suite

import (
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// A form is a matrix in one storage.
type form struct {
	name string // of the shape, with the storage if it is not the plain one
	rows kernels.Rows
}

// A maker makes the cases of one kernel from what the cases of a shape share.
type maker[D any] struct {
	kernel string
	// compact says that the kernel reads storage other than int32 columns with
	// float64 values, and is measured on that too where the matrix is exact in it.
	compact bool
	make    func(D, form) measure.Case
}

// newGroup returns the cases of some kernels on one shape; load makes what they
// share.
func newGroup[D any](sh shape.Shape, makers []maker[D], load func(shape.Data) D, seed uint64) Group {
	compact := sh.CompactName()
	var g Group
	for _, m := range makers {
		g.Names = append(g.Names, m.kernel+"/"+sh.Name)
		if m.compact && compact != "" {
			g.Names = append(g.Names, m.kernel+"/"+sh.Name+"-"+compact)
		}
	}
	g.Build = func() []measure.Case {
		data := sh.Build(seed)
		in, plain, small := load(data), form{sh.Name, data.Rows}, form{sh.Name + "-" + compact, data.Compact()}
		var cases []measure.Case
		for _, m := range makers {
			cases = append(cases, m.make(in, plain))
			if m.compact && compact != "" {
				cases = append(cases, m.make(in, small))
			}
		}
		return cases
	}
	return g
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
