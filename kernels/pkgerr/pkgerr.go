// Package pkgerr makes errors that store the name of the package that calls it. Their text begins with this
// name, as programmers expect; a program can leave the name out when it shows the text to its users.
package pkgerr

import "fmt"

// An Error is the error Err of the package with the name Package.
type Error struct {
	Package string
	Err     error
}

// Errorf returns an Error of the package pkg, with format and args as for fmt.Errorf.
func Errorf(pkg, format string, args ...any) error {
	return &Error{pkg, fmt.Errorf(format, args...)}
}

// Error returns the name of the package, a colon and the text of Err.
func (e *Error) Error() string { return e.Package + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Text returns the text of err. If err itself is an *Error, Text leaves the name of the package out.
func Text(err error) string {
	if pkgErr, ok := err.(*Error); ok {
		return pkgErr.Err.Error()
	}
	return err.Error()
}
