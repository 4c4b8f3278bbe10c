// Package mpi connects processes by Open MPI: Open returns the Comm of a process that
// mpirun or srun has started together with others. Open works only if the program is built
// with the tag mpi, on a system with Open MPI (Debian: openmpi-bin and libopenmpi-dev):
//
//	go build -tags mpi ./solver/cmd/scas
//
// Without the tag, Open returns an error.
//
// Sums have the same bits on each rank and in each run. MPI_Allreduce does not promise this, because
// it may add in any order. So for a short vector, every rank gathers all vectors (MPI_Allgather) and
// adds them in the order of the ranks. A long vector is divided into as many parts as there are ranks.
// Rank r receives part r of every vector (MPI_Alltoall) and adds these parts in the order of the
// ranks. Then all ranks gather the sums (MPI_Allgather). With S ranks, each rank sends 2 (S − 1)/S times
// the length of the vector. The send buffer and the receive buffer have at most about 2²² numbers each.
//
// Close waits until all ranks call Close. A rank that fails alone must not call it, because the other ranks
// may still wait for a vector of this rank, and then all ranks would wait for ever. It must end its process
// with an exit code other than 0; mpirun then ends the job, as does srun with --kill-on-bad-exit.
//
// MPI is initialised with MPI_THREAD_FUNNELED: one goroutine, locked to its thread, makes all calls.
package mpi
