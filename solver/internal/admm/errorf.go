package admm

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package solver. The arguments are those of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("solver", format, args...) }
