package shards

import "math"

// Costs are what a machine and its network take.
type Costs struct {
	Setup    float64 // seconds for each nonzero before the first step
	Gradient float64 // seconds for each nonzero of a pass, margins and gradient, where caches hold the vectors
	Wide     float64 // the same with 10⁷ features, the columns of a row being drawn evenly
	Step     float64 // the same as Gradient of stochastic steps
	Product  float64 // seconds for each product of a Hessian
	Bytes    float64 // a second, that a rank sends and receives at once
	Latency  float64 // seconds of a message
}

// A Job is a problem and a way to solve it.
type Job struct {
	Rows, Features float64
	PerRow         float64 // nonzeros of a row
	InSet          float64 // of these, in the working set
	Working        float64 // columns of the working set
	Outer          float64 // outer iterations of local loops
	Newton         float64 // Newton steps
	Path           float64 // Newton steps with few columns, from lambda_max down
}

// A Time is what a job takes, in seconds.
type Time struct{ Computing, Communicating float64 }

// Total is the sum.
func (t Time) Total() float64 { return t.Computing + t.Communicating }

// AllReduce is what the sum of so many numbers takes on so many ranks: each sends and
// receives twice (S − 1)/S of them, in S − 1 messages each time, or gathers short ones in
// log S rounds.
func (c Costs) AllReduce(numbers, ranks float64) float64 {
	if ranks == 1 {
		return 0
	}
	if numbers*ranks <= 1<<13 {
		return math.Ceil(math.Log2(ranks))*c.Latency + 8*numbers*ranks/c.Bytes
	}
	return 2 * (ranks - 1) * (c.Latency + 8*numbers/ranks/c.Bytes)
}

// smallCalls are the short messages of a Newton step, among them those of a line search and
// of a certificate.
const smallCalls = 12

// Predict returns what a job takes on so many ranks. An outer iteration is a gradient, n/S
// steps on each rank, and sums of p + 1 and 2p + 1 numbers (A = I). A Newton step on a
// working set is a Hessian, margins and gradient of the columns there, and for its
// certificate a gradient of all of them, with sums of as many numbers.
func (c Costs) Predict(j Job, ranks float64) (t Time) {
	nonzeros := j.Rows * j.PerRow / ranks
	t.Computing = nonzeros*c.Setup + j.Outer*nonzeros*(c.Wide+c.Step) + (j.Newton+j.Path)*nonzeros*c.Wide
	inSet := j.Rows * j.InSet / ranks
	t.Computing += j.Newton * inSet * ((j.InSet+1)/2*c.Product + 3*c.Gradient)
	small := smallCalls * c.AllReduce(1, ranks)
	t.Communicating = j.Outer*(c.AllReduce(j.Features+1, ranks)+c.AllReduce(2*j.Features+1, ranks)+3*c.AllReduce(1, ranks)) +
		j.Newton*(c.AllReduce(j.Working*(j.Working+1)/2, ranks)+small) + (j.Newton+j.Path)*c.AllReduce(j.Features, ranks)
	return t
}

// Work is what a run did, on all ranks together: how often it went through the nonzeros.
type Work struct {
	Nonzeros          float64
	Setups            float64 // 1, or 0 of the difference of two runs
	Gradients, Steps  float64 // passes
	Messages, Numbers float64 // of each rank; they count as of equal length
}

// Of returns what work takes on so many ranks, each with a CPU.
func (c Costs) Of(w Work, ranks float64) (t Time) {
	t.Computing = w.Nonzeros / ranks * (w.Setups*c.Setup + w.Gradients*c.Gradient + w.Steps*c.Step)
	if w.Messages > 0 {
		t.Communicating = w.Messages * c.AllReduce(w.Numbers/w.Messages, ranks)
	}
	return t
}
