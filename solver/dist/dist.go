// Package dist connects processes (ranks) that each hold a shard of the rows of a
// problem. A [Comm], which is a field of solver.Problem, lets them sum vectors and agree
// on values. Package mpi implements it with Open MPI, [Local] with goroutines. README.md
// in this directory describes the method, the handling of faults, the costs, and a model
// of the time. Read Comm first.
package dist

// A Comm connects ranks, which are processes or goroutines. All ranks must make the same calls in
// the same order, with slices of the same length. A call waits for the ranks whose vectors it
// needs. After an error only Close may be called. Only one goroutine may use a Comm.
type Comm interface {
	// Rank returns the number of this rank, from 0 to Size − 1.
	Rank() int
	// Size returns the number of ranks.
	Size() int
	// AllReduceSum replaces v by the sum of the vectors of all ranks, added in the order
	// of the ranks. The sum has the same bits on each rank and in each run.
	AllReduceSum(v []float64) error
	// AllReduceMax sets each entry of v to its maximum over all ranks. No entry may be NaN.
	AllReduceMax(v []float64) error
	// Bcast sets the v of every rank to the v of rank root.
	Bcast(v []float64, root int) error
	// Close ends the connection; no calls may follow. It may wait until all ranks call it, as with MPI.
	// If a rank fails alone, it must not leave the others waiting for it: with Local it calls Close, and
	// the calls of the others return ErrDead; with MPI it ends its process (see package mpi).
	Close() error
}

// A Checkpoint stores the state of a run, so that a later run can resume it.
type Checkpoint interface {
	// Save replaces the stored state. If it fails, the old state remains stored.
	Save(state []byte) error
	// Load returns the stored state, or no bytes if none is stored.
	Load() ([]byte, error)
}
