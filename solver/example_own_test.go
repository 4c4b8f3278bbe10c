package solver_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A signal on a chain: the loss is the mean of squares, and the penalty is lambda times the sum of the
// absolute jumps. Between two jumps the fitted values are exactly equal.
func ExampleProblem_chain() {
	signal := []float64{1.1, 0.8, 1.2, 0.9, 3.2, 2.9, 3.1, 0.1, -0.2, 0.1}
	res, err := solver.Minimize(context.Background(), &solver.Problem{
		Data:       sparse.Identity(len(signal)),
		Labels:     signal,
		Loss:       solver.Squared{},
		Constraint: graph.Chain(len(signal)).Incidence(),
		Penalty:    solver.L1{Lambda: 0.05},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n%s, levels %v\n", res.X, res.Status, res.Groups)
	// Output:
	// [1.062 1.062 1.062 1.062 2.900 2.900 2.900 0.100 0.075 0.075]
	// converged, levels [[0 1 2 3] [4 5 6] [8 9]]
}

// logCosh is the loss log cosh(label − margin). It is nearly quadratic near zero, and nearly linear
// far away.
type logCosh struct{}

func (logCosh) Value(margin, label float64) float64 {
	r := math.Abs(label - margin)
	return r + math.Log1p(math.Exp(-2*r)) - math.Ln2
}

func (logCosh) Slope(margin, label float64) float64 { return math.Tanh(margin - label) }

func (logCosh) SecondDerivative(_, slope, _ float64) float64 { return 1 - slope*slope }
func (logCosh) Curvature() float64                           { return 1 }
func (logCosh) String() string                               { return "log-cosh" }
func (logCosh) Validate([]float64) error                     { return nil }

// Conjugate returns the convex conjugate of the loss. It is needed to prove a gap.
func (logCosh) Conjugate(alpha, label float64) float64 {
	entropy := func(p float64) float64 {
		if p <= 0 {
			return 0
		}
		return p * math.Log(p)
	}
	if math.Abs(alpha) > 1 {
		return math.Inf(1)
	}
	return label*alpha + entropy((1+alpha)/2) + entropy((1-alpha)/2) + math.Ln2
}

func (logCosh) ConjugateDomain(float64) (lo, hi float64) { return -1, 1 }

// A loss of your own; CheckLoss checks it before it is used. Conjugate and ConjugateDomain are
// optional; with them, gaps can be proved.
func ExampleLoss() {
	if err := solver.CheckLoss(logCosh{}, []float64{-2, 0, 3}); err != nil {
		log.Fatal(err)
	}
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: 300, Features: 5, Groups: 1, GroupSize: 2, Noise: 0.5, Regression: true, Seed: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	data.Labels[7] = 1e4 // an outlier; the loss limits its influence
	res, err := solver.Minimize(context.Background(), &solver.Problem{
		Data: data.X, Labels: data.Labels, Loss: logCosh{}, Penalty: solver.L1{Lambda: 0.05},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %s\n", res.X, res.Status)
	// Output: [0.92 0.98 0.00 0.00 0.00] converged
}

// fallingPenalty is a penalty: lambda times the sum of y if no yⱼ is negative, and +Inf otherwise.
type fallingPenalty struct{ lambda float64 }

func (g fallingPenalty) Value(y []float64) (sum float64) {
	for _, v := range y {
		if v < 0 {
			return math.Inf(1)
		}
		sum += g.lambda * v
	}
	return sum
}

func (g fallingPenalty) Prox(dst, v, step []float64) {
	for j := range v {
		dst[j] = math.Max(0, v[j]-step[j]*g.lambda)
	}
}

func (g fallingPenalty) Conjugate(z []float64) float64 {
	for _, v := range z {
		if v > g.lambda {
			return math.Inf(1)
		}
	}
	return 0
}

func (fallingPenalty) Separable() bool    { return true }
func (g fallingPenalty) Scale() float64   { return g.lambda }
func (fallingPenalty) Validate(int) error { return nil }

// A penalty of your own: the fitted signal on a chain never rises. L2 > 0 and the conjugate of the penalty
// make it possible to prove a gap.
func ExamplePenalty() {
	g := fallingPenalty{0.02}
	if err := solver.CheckPenalty(g, 4); err != nil {
		log.Fatal(err)
	}
	signal := []float64{2.0, 2.2, 0.8, 1.1, 0.9, -0.1, 0.1}
	res, err := solver.Minimize(context.Background(), &solver.Problem{
		Data: sparse.Identity(7), Labels: signal, Loss: solver.Squared{},
		Constraint: graph.Chain(7).Incidence(), Penalty: g, L2: 1e-3,
	}, &solver.Settings{Passes: 20000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("signal %.2f\njumps  %.2f, %s\n", res.X, res.Y, res.Status)
	// Output:
	// signal [2.06 2.06 0.95 0.95 0.90 0.03 0.03]
	// jumps  [0.00 1.11 0.00 0.05 0.86 0.00], converged
}
