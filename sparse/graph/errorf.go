package graph

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package graph; it takes the arguments of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("graph", format, args...) }
