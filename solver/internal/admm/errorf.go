package admm

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package solver.
func errorf(format string, args ...any) error { return pkgerr.Errorf("solver", format, args...) }
