package stream

import "github.com/scas-admm/scas/kernels/pkgerr"

// errorf returns an error of package stream. The arguments are those of fmt.Errorf.
func errorf(format string, args ...any) error { return pkgerr.Errorf("stream", format, args...) }
