package solvertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A NamedProblem is a problem with a name for subtests.
type NamedProblem struct {
	Name string
	*solver.Problem
}

// Losses returns the losses of package solver that accept the labels. If argument is above 0, it is the
// number after the name of each loss that has one, such as Huber.Delta; otherwise they have their defaults.
func Losses(argument float64, labels ...float64) (losses []solver.Loss) {
	for _, l := range term.Losses(argument, labels...) {
		publicLoss, err := solver.ParseLoss(l.String())
		if publicLoss == nil {
			panic(fmt.Sprintf("solver.ParseLoss lacks the loss %s: %v", l, err))
		}
		losses = append(losses, publicLoss)
	}
	return losses
}

// EveryProblem returns a small problem for each combination of losses, some penalties, domains, ridges and
// matrices A. The random data depend on the seed. The losses are those that accept the labels −1 and +1.
func EveryProblem(t testing.TB, seed uint64) (problems []NamedProblem) {
	const p = 6
	x, classes, numbers := randomData(t, seed, p)
	chain := graph.Chain(p).FusedLasso()
	losses := Losses(0, -1, 1)
	penalties := []solver.Penalty{
		nil, solver.L1{Lambda: 0.03}, solver.ElasticNet{L1: 0.03, L2: 0.02}, solver.SquaredL2{Lambda: 0.05},
		solver.GroupL2{Lambda: 0.03, Groups: [][]int{{0, 1, 2}, {3, 5}}},
	}
	domains := []solver.Domain{
		nil, solver.NewBox(p, -0.2, 0.3), solver.Ball{Radius: 0.4}, solver.Nonnegative{}, solver.Simplex{},
	}
	for k := range len(losses) * len(penalties) * len(domains) * 4 {
		q := &solver.Problem{Data: x, Labels: classes, L2: 0.02 * float64(k/2%2)}
		if k%2 == 1 {
			q.Constraint = chain
		}
		k /= 4
		q.Domain = domains[k%len(domains)]
		k /= len(domains)
		q.Penalty, q.Loss = penalties[k%len(penalties)], losses[k/len(penalties)]
		if q.Loss.Validate([]float64{0.5}) == nil {
			q.Labels = numbers
		}
		if net, ok := q.Penalty.(solver.ElasticNet); ok && q.L2 > 0 {
			net.Weights = make([]float64, p)
			if q.Constraint != nil {
				net.Weights = make([]float64, 2*p-1)
			}
			for j := range net.Weights {
				net.Weights[j] = float64(j%4) / 2
			}
			q.Penalty = net
		}
		problems = append(problems,
			NamedProblem{
				fmt.Sprintf("%s/%T/%T/%g/%t", q.Loss, q.Penalty, q.Domain, q.L2, q.Constraint != nil), q,
			})
	}
	return problems
}

// randomData returns random data with p features, and two vectors of labels: classes −1 and +1, and numbers.
func randomData(t testing.TB, seed uint64, p int) (x *sparse.CSR, classes, numbers []float64) {
	const n = 80
	rng := rand.New(rand.NewPCG(seed, 1))
	dense := make([]float64, n*p)
	classes, numbers = make([]float64, n), make([]float64, n)
	for i := range n {
		sum := 0.3 * rng.NormFloat64()
		for j := range p {
			dense[i*p+j] = rng.NormFloat64()
			sum += dense[i*p+j] * float64(j-2) / 4
		}
		numbers[i], classes[i] = sum, math.Copysign(1, sum)
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		t.Fatal(err)
	}
	return x, classes, numbers
}
