//go:build !mpi

package mpi

import (
	"errors"

	"github.com/scas-admm/scas/solver/dist"
)

// Open returns an error, because the program was built without MPI.
func Open() (dist.Comm, error) {
	return nil, errors.New("this program was built without MPI: install Open MPI (Debian: apt-get install openmpi-bin libopenmpi-dev) and build it with go build -tags mpi ./solver/cmd/scas")
}
