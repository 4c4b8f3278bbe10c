// Package mpi joins processes by Open MPI: Open returns the Comm of a process that mpirun or
// srun has started with others. It is there where the program is built with the tag mpi, on
// a system with Open MPI (Debian: openmpi-bin and libopenmpi-dev),
//
//	go build -tags mpi ./solver/cmd/scas
//
// and without the tag nothing of it is linked: Open then says so.
//
// Sums have the same bits on each rank and in each run, which MPI_Allreduce does not
// promise: it may add up in any order, and Open MPI's order depends on the number of ranks,
// the length and the network. Of a short vector every rank gathers all vectors and adds them
// up in the order of the ranks. A long one is cut into as many parts as there are ranks;
// each rank is sent all vectors of its part (MPI_Alltoall), adds them up in the order of the
// ranks, and all gather the sums (MPI_Allgather). That moves 2 (S − 1)/S lengths out of each
// of S ranks, no more than the best of the algorithms that do not keep an order; what it
// costs are buffers of twice a piece of the vector, and messages that are S times shorter.
//
// MPI is initialised with MPI_THREAD_FUNNELED: one thread, locked, makes all calls.
package mpi
