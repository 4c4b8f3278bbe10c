// Package dist says how processes that have the rows of a problem in parts work together:
// by a Comm, which solver.Problem takes. Package mpi has that of Open MPI, Local that of
// goroutines. README.md beside it has the method, faults, costs, and a model of time.
package dist

// A Comm joins processes, or goroutines, that have the rows of a problem in parts. Calls
// are collective: every rank makes the same ones in the same order, with slices of the
// same length, and each returns when all ranks have come as far as it takes. After an
// error the connection is of no more use. A Comm serves one goroutine.
type Comm interface {
	// Rank is the number of this process, 0 to Size − 1.
	Rank() int
	// Size is the number of processes.
	Size() int
	// AllReduceSum replaces v by the sum of the vectors of all ranks, added up in the
	// order of the ranks: the same bits on each rank and in each run.
	AllReduceSum(v []float64) error
	// AllReduceMax replaces v by the largest entries. There is no NaN in v.
	AllReduceMax(v []float64) error
	// Bcast replaces v on all ranks by that of rank root.
	Bcast(v []float64, root int) error
	// Close ends the connection, after which there are no calls. A rank that fails closes
	// without the others, whose calls then return errors or end them.
	Close() error
}

// A Checkpoint keeps the state of a run.
type Checkpoint interface {
	// Save replaces what is kept, whole or not at all.
	Save(state []byte) error
	// Load returns what is kept, nothing if that is not there yet.
	Load() ([]byte, error)
}

// Self is the Comm of one process.
type Self struct{}

// Rank is 0.
func (Self) Rank() int { return 0 }

// Size is 1.
func (Self) Size() int { return 1 }

// AllReduceSum leaves v as it is.
func (Self) AllReduceSum([]float64) error { return nil }

// AllReduceMax leaves v as it is.
func (Self) AllReduceMax([]float64) error { return nil }

// Bcast leaves v as it is.
func (Self) Bcast([]float64, int) error { return nil }

// Close does nothing.
func (Self) Close() error { return nil }
