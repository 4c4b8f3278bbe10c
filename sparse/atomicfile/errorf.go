package atomicfile

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package atomicfile; it takes the arguments of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("atomicfile", format, args...) }
