package sparse

import (
	"errors"
	"fmt"

	"github.com/scas-admm/scas/kernels/pkgerr"
)

// errorf returns an error of package sparse; it takes the arguments of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("sparse", format, args...) }

// fileErrorf returns an error about the file with this name. It takes the other arguments of fmt.Errorf.
func fileErrorf(name, format string, args ...any) *ParseError {
	err := fmt.Errorf(format, args...)
	return &ParseError{File: name, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// with sets the remedies of e, and returns e.
func (e *ParseError) with(remedies ...Remedy) *ParseError {
	e.Remedies = remedies
	return e
}
