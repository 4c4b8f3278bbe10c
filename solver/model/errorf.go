package model

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package model. Its arguments are the arguments of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("model", format, args...) }
