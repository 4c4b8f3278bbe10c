package sparse

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package sparse; it takes the arguments of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("sparse", format, args...) }
