package sparse

import "github.com/scas-admm/scas/sparse/internal/scasfile"

// A mapping is a file of which a matrix is a view, its rows from first on.
type mapping struct {
	*scasfile.File
	name  string
	first int
}

// Mapped reports whether the matrix is a view of a file (see Binary), whose pages are in
// memory as far as they are used.
func (a *CSR) Mapped() bool { return a.file != nil && a.file.Mapped() }

// Check compares rows lo to hi−1, and their labels, of data that were read with
// ReadOptions.Beyond with the checksums of the file, and sees that they are rows. It must
// come before any other use of them, but once, and may be called for several runs of rows
// at a time. What is wrong is a *ParseError. Of other matrices nothing can be.
func (a *CSR) Check(lo, hi int) error {
	if a.file == nil {
		return nil
	}
	return a.file.damaged(a.file.CheckRows(a.file.first+lo, a.file.first+hi))
}

// damaged is the error that the rows of a file are not what was written, or nil.
func (m *mapping) damaged(err error) error {
	if err == nil {
		return nil
	}
	return &ParseError{File: m.name, Msg: err.Error(), Err: err}
}

// Changed returns a *ParseError if the file of a mapped matrix became shorter after it was
// mapped. To read beyond the end of such a file is a fault, which debug.SetPanicOnFault turns into
// a panic. Pass the value of the recovered panic; or nil, for which Changed compares the length
// of the file with its length when it was mapped. The goroutines of this module pass such panics
// on to their caller.
func (a *CSR) Changed(recovered any) error {
	if a.file == nil {
		return nil
	}
	return a.file.damaged(a.file.File.Changed(recovered))
}

// Prefetch asks the system to read rows lo to hi−1, and their labels, of a matrix that is
// Mapped, while others are computed with. It does not wait.
func (a *CSR) Prefetch(lo, hi int) {
	if a.file != nil {
		a.file.Prefetch(a.file.first+lo, a.file.first+hi)
	}
}

// Release gives back the memory of rows lo to hi−1, and of their labels, of a matrix that
// is Mapped; of another it has no effect. They are read again where they are used again.
func (a *CSR) Release(lo, hi int) {
	if a.file != nil {
		a.file.Release(a.file.first+lo, a.file.first+hi)
	}
}

// Close lets go of the file of data that are Mapped; X, Labels and what shares memory with
// them must not be used any more. Of other data it has no effect.
func (d *Dataset) Close() error {
	if d.X.file == nil {
		return nil
	}
	return d.X.file.Close()
}
