package graph

import "github.com/scas-admm/scas/kernels/pkgerr"

func errorf(format string, args ...any) error { return pkgerr.Errorf("graph", format, args...) }
