package sparse

import "github.com/scas-admm/scas/sparse/internal/scasfile"

// A mapping is an open .scas file that holds the rows of a matrix.
type mapping struct {
	*scasfile.File
	name     string // name of the file in errors
	firstRow int    // number of the file's row that is the first row of the matrix, from 0
}

// Mapped reports whether the matrix is a view of a mapped file; see Binary.
func (a *CSR) Mapped() bool { return a.file != nil && a.file.Mapped() }

// Check compares rows lo to hi−1 and their labels with the checksums of the .scas file, and checks that the
// rows are valid. If ReadOptions.Beyond let a file be larger than memory, its rows must be checked before
// they are used. Check may be called for several ranges of rows at the same time. An error is a *ParseError.
// A matrix that is not a view of a .scas file needs no check, and Check returns nil.
func (a *CSR) Check(lo, hi int) error {
	if a.file == nil {
		return nil
	}
	return a.file.contentError(a.file.CheckRows(a.file.firstRow+lo, a.file.firstRow+hi))
}

// contentError wraps an error about the content of the file in a *ParseError. It returns nil for nil.
func (m *mapping) contentError(err error) error {
	if err == nil {
		return nil
	}
	return fileErrorf(m.name, "%w", err)
}

// Changed returns a *ParseError if it finds that the length of a mapped file has changed, and nil
// otherwise. If recovered is nil, Changed compares the length now with the length when the file was mapped.
// Otherwise recovered must be the value of a recovered panic. Reading beyond the end of a file that became
// shorter is a fault, which debug.SetPanicOnFault turns into a panic. Changed then checks whether the panic
// is such a fault.
func (a *CSR) Changed(recovered any) error {
	if a.file == nil {
		return nil
	}
	return a.file.contentError(a.file.File.Changed(recovered))
}

// Prefetch asks the system to read rows lo to hi−1 and their labels in the background. It has an effect
// only if the matrix is Mapped.
func (a *CSR) Prefetch(lo, hi int) {
	if a.file != nil {
		a.file.Prefetch(a.file.firstRow+lo, a.file.firstRow+hi)
	}
}

// Release frees the memory of rows lo to hi−1 and of their labels. The system reads them from the file
// again at their next use. Release has an effect only if the matrix is Mapped.
func (a *CSR) Release(lo, hi int) {
	if a.file != nil {
		a.file.Release(a.file.firstRow+lo, a.file.firstRow+hi)
	}
}

// Close unmaps the file if X is a view of a mapped file (see CSR.Mapped). X, Labels and everything that
// shares memory with them must then not be used any more. Close has no effect on other data.
func (d *Dataset) Close() error {
	if d.X.file == nil {
		return nil
	}
	return d.X.file.Close()
}
