// Package dist connects processes (ranks) that each hold a shard of the rows of a
// problem. A [Comm], which is a field of solver.Problem, lets them sum vectors and agree
// on values. Package mpi implements it with Open MPI, [Local] with goroutines. README.md
// in this directory describes the method, the handling of faults, the costs, and a model
// of the time. Read Comm first.
package dist

// A Comm connects ranks, which are processes or goroutines that each hold a shard of the rows of a
// problem. Calls are collective: every rank must make the same calls in the same order, with slices
// of the same length. A call returns only after the ranks whose vectors it needs have made the same
// call. After an error the Comm cannot be used any more. Only one goroutine may use a Comm.
type Comm interface {
	// Rank returns the number of this process, from 0 to Size − 1.
	Rank() int
	// Size returns the number of processes.
	Size() int
	// AllReduceSum replaces v by the sum of the vectors of all ranks, added in the order
	// of the ranks. The sum has the same bits on each rank and in each run.
	AllReduceSum(v []float64) error
	// AllReduceMax replaces v by the elementwise maximum over all ranks. v must not
	// contain NaN.
	AllReduceMax(v []float64) error
	// Bcast replaces v on all ranks by the v of rank root.
	Bcast(v []float64, root int) error
	// Close ends the connection; no calls may follow. A rank that fails closes its Comm
	// alone. The calls of the other ranks then return errors, or end their processes.
	Close() error
}

// A Checkpoint stores the state of a run.
type Checkpoint interface {
	// Save replaces the stored state. A failure leaves the old state.
	Save(state []byte) error
	// Load returns the stored state, or nothing if there is none.
	Load() ([]byte, error)
}
