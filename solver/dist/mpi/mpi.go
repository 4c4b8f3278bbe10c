//go:build mpi

package mpi

/*
#cgo pkg-config: ompi-c
#include <stdlib.h>
#include <mpi.h>

// These functions call MPI from C, because MPI_COMM_WORLD, MPI_DOUBLE and similar constants of Open MPI are
// macros that cgo cannot translate.

static int scas_init(int *provided) {
	// Open MPI must not replace the signal handlers of the Go runtime.
	setenv("OMPI_MCA_opal_signal", "", 1);
	int err = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, provided);
	if (err == MPI_SUCCESS)
		err = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	return err;
}

static int scas_funneled(int provided) { return provided >= MPI_THREAD_FUNNELED; }

static int scas_rank(int *rank) { return MPI_Comm_rank(MPI_COMM_WORLD, rank); }

static int scas_size(int *size) { return MPI_Comm_size(MPI_COMM_WORLD, size); }

static int scas_allgather(const double *send, double *receive, int n) {
	return MPI_Allgather(send, n, MPI_DOUBLE, receive, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

static int scas_alltoall(const double *send, double *receive, int n) {
	return MPI_Alltoall(send, n, MPI_DOUBLE, receive, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

static int scas_max(double *v, int n) {
	return MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static int scas_bcast(double *v, int n, int root) {
	return MPI_Bcast(v, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/scas-admm/scas/solver/dist"
)

const (
	// segment is the largest number of vector elements in a message; MPI counts must be less than
	// 2³¹.
	segment = 1 << 22
	// maxGather is the largest number of elements, of all ranks together, for gatherAndSum.
	maxGather = 1 << 13
)

// world is the Comm of MPI_COMM_WORLD.
type world struct {
	rank, size int
	calls      chan func()
	failed     bool

	send, receive []float64 // buffers of scatterAndSum and gatherAndSum, which grow as needed
}

// Open initialises MPI. It may be called once in a program.
func Open() (dist.Comm, error) {
	w := &world{calls: make(chan func())}
	opened := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: only this thread may call MPI
		opened <- w.begin()
		for do := range w.calls {
			do()
		}
	}()
	if err := <-opened; err != nil {
		close(w.calls) // ends the goroutine and its thread
		return nil, err
	}
	return w, nil
}

func (w *world) begin() error {
	var provided, rank, size C.int
	if err := errorOf("MPI_Init_thread", C.scas_init(&provided)); err != nil {
		return err
	}
	if C.scas_funneled(provided) == 0 {
		return errors.New("mpi: this MPI has no MPI_THREAD_FUNNELED, which a Go program needs")
	}
	err := errors.Join(errorOf("MPI_Comm_rank", C.scas_rank(&rank)),
		errorOf("MPI_Comm_size", C.scas_size(&size)))
	w.rank, w.size = int(rank), int(size)
	return err
}

// call runs do on the thread of MPI.
func (w *world) call(do func() error) error {
	done := make(chan error, 1)
	w.calls <- func() { done <- do() }
	err := <-done
	w.failed = w.failed || err != nil
	return err
}

func (w *world) Rank() int { return w.rank }

func (w *world) Size() int { return w.size }

func (w *world) AllReduceSum(v []float64) error {
	return w.inSegments(v, func(v []float64) error {
		if len(v)*w.size <= maxGather {
			return w.gatherAndSum(v)
		}
		return w.scatterAndSum(v)
	})
}

// AllReduceMax calls MPI_Allreduce, because a maximum is the same in any order.
func (w *world) AllReduceMax(v []float64) error {
	return w.inSegments(v, func(v []float64) error {
		return errorOf("MPI_Allreduce", C.scas_max(pointer(v), C.int(len(v))))
	})
}

func (w *world) Bcast(v []float64, root int) error {
	return w.inSegments(v, func(v []float64) error {
		return errorOf("MPI_Bcast", C.scas_bcast(pointer(v), C.int(len(v)), C.int(root)))
	})
}

// Close finalises MPI: it waits until all ranks call Close. After a failed call it does nothing, because
// MPI_Finalize would wait for ranks that have ended.
func (w *world) Close() error {
	if w.failed {
		return nil
	}
	err := w.call(func() error { return errorOf("MPI_Finalize", C.MPI_Finalize()) })
	close(w.calls)
	return err
}

// inSegments calls do, on the thread of MPI, for each segment of v in turn.
func (w *world) inSegments(v []float64, do func(v []float64) error) error {
	return w.call(func() error {
		for len(v) > 0 {
			n := min(len(v), segment)
			if err := do(v[:n]); err != nil {
				return err
			}
			v = v[n:]
		}
		return nil
	})
}

func (w *world) grow(sendLength, receiveLength int) {
	if len(w.send) < sendLength {
		w.send = make([]float64, sendLength)
	}
	if len(w.receive) < receiveLength {
		w.receive = make([]float64, receiveLength)
	}
}

// gatherAndSum gathers the vectors of all ranks on every rank and adds them.
func (w *world) gatherAndSum(v []float64) error {
	w.grow(0, w.size*len(v))
	err := errorOf("MPI_Allgather", C.scas_allgather(pointer(v), pointer(w.receive), C.int(len(v))))
	if err != nil {
		return err
	}
	w.sum(v, len(v))
	return nil
}

// scatterAndSum sets v to the sum over the ranks. Each rank adds up one part of all vectors, and sends
// this part of the sum to all other ranks.
func (w *world) scatterAndSum(v []float64) error {
	partLength := (len(v) + w.size - 1) / w.size
	w.grow(w.size*partLength, w.size*partLength)
	clear(w.send[copy(w.send, v) : w.size*partLength])
	err := errorOf("MPI_Alltoall", C.scas_alltoall(pointer(w.send), pointer(w.receive), C.int(partLength)))
	if err != nil {
		return err
	}
	w.sum(w.send, partLength)
	err = errorOf("MPI_Allgather", C.scas_allgather(pointer(w.send), pointer(w.receive), C.int(partLength)))
	if err != nil {
		return err
	}
	copy(v, w.receive)
	return nil
}

// sum adds the vectors w.receive[:n], w.receive[n:2n] and so on, one from each rank, and writes the sum to
// dst.
func (w *world) sum(dst []float64, n int) {
	copy(dst[:n], w.receive)
	for r := 1; r < w.size; r++ {
		for j, x := range w.receive[r*n : (r+1)*n] {
			dst[j] += x
		}
	}
}

func pointer(v []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(v))) }

// errorOf returns the error that an MPI function has reported by code, or nil for MPI_SUCCESS.
func errorOf(name string, code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	text := make([]C.char, C.MPI_MAX_ERROR_STRING)
	var length C.int
	C.MPI_Error_string(code, &text[0], &length)
	return fmt.Errorf("mpi: %s: %s", name, C.GoStringN(&text[0], length))
}
