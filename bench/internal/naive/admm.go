package naive

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// An ADMM runs SCAS-ADMM in plain Go loops, for the logistic loss without a domain. It draws the same
// samples as the solver, so its iterates agree with the solver's up to rounding.
type ADMM struct {
	steps        *kernels.Steps // data, labels, slopes at the snapshot, and step size
	a, aTrans, k *kernels.Rows  // A, A' and rho A'A; all nil if A = I
	dualUpdates  int
	rho          float64
	rng          *rand.PCG

	X      []float64 // the outer iterate, at which an inner loop begins
	w, sum []float64 // the iterate of the inner loop, and the sum of its iterates
	z      []float64 // mean gradient at the snapshot
	d      []float64 // z + A'dual, which is constant during an inner loop
	q      []float64 // memory for rho A'A w

	// One entry for each row of A; dual is beta − rho y, ax is A x, and limit bounds |beta|.
	y, beta, dual, ax, limit []float64

	sampled []int32 // the row numbers of the inner steps
}

// NewADMM returns a run that begins at 0. The problem has a penalty solver.L1, and its Constraint is nil or a
// *sparse.CSR. The settings have the step size, rho and the seed. dualUpdates is the number of dual updates
// in an outer iteration.
func NewADMM(p *solver.Problem, s *solver.Settings, dualUpdates int) *ADMM {
	n, features := p.Data.Dims()
	v := func(n int) []float64 { return make([]float64, n) }
	m := &ADMM{
		steps:       &kernels.Steps{Rows: *rows(p.Data), Label: p.Labels, Slope0: v(n), Eta: s.Eta},
		dualUpdates: dualUpdates, rho: s.Rho, rng: rand.NewPCG(s.Seed, 0x5ca5),
		X: v(features), w: v(features), sum: v(features), d: v(features), z: v(features), q: v(features),
		sampled: make([]int32, 0, n),
	}
	l := features
	if a, ok := p.Constraint.(*sparse.CSR); ok {
		l, _ = a.Dims()
		k, err := a.Gram().ScaleColumns(slices.Repeat([]float64{m.rho}, features))
		if err != nil {
			panic(err) // cannot happen: rho is finite
		}
		m.a, m.aTrans, m.k = rows(a), rows(a.Transpose()), rows(k)
	}
	m.y, m.beta, m.dual, m.ax, m.limit = v(l), v(l), v(l), v(l),
		slices.Repeat([]float64{p.Penalty.(solver.L1).Lambda}, l)
	return m
}

func rows(a *sparse.CSR) *kernels.Rows {
	n, _ := a.Dims()
	r := a.Rows(0, n)
	return &r
}

// Iterate makes an outer iteration: a full gradient, as many inner steps as there are samples, and the dual
// updates.
func (m *ADMM) Iterate() {
	m.computeGradient()
	n := len(m.steps.Label)
	for k := range m.dualUpdates {
		size := (k+1)*n/m.dualUpdates - k*n/m.dualUpdates // number of points in the mean: x and the iterates
		m.runInnerLoop(size - 1)
		for j, s := range m.sum {
			m.X[j] = (m.X[j] + s) / float64(size)
		}
		multiply(m.ax, m.a, m.X)
		ProxDual(m.beta, m.y, m.ax, m.limit, m.rho)
	}
}

// computeGradient sets m.z to the mean gradient at m.X and stores the slopes in m.steps.Slope0.
func (m *ADMM) computeGradient() {
	clear(m.z)
	for i, b := range m.steps.Label {
		idx, val := Row(m.steps.Rows, i)
		s := Slope(rowDot(idx, val, m.X), b)
		m.steps.Slope0[i] = s
		addRow(m.z, s, idx, val)
	}
	for j := range m.z {
		m.z[j] /= float64(len(m.steps.Label))
	}
}

// runInnerLoop makes the given number of inner steps, each with a random sample. It begins at m.X, and sets
// m.w to the last iterate and m.sum to the sum of all iterates.
func (m *ADMM) runInnerLoop(steps int) {
	for i, b := range m.beta {
		m.dual[i] = b - m.rho*m.y[i]
	}
	multiply(m.d, m.aTrans, m.dual)
	for j, z := range m.z {
		m.d[j] += z
	}
	m.sampled = m.sampled[:0]
	for range steps {
		i, _ := bits.Mul64(m.rng.Uint64(), uint64(len(m.steps.Label)))
		m.sampled = append(m.sampled, int32(i))
	}
	copy(m.w, m.X)
	clear(m.sum)
	if m.k == nil {
		Inner(m.w, m.sum, m.d, m.rho, m.steps, m.sampled)
	} else {
		innerGraph(m.w, m.sum, m.d, m.q, *m.k, m.steps, m.sampled)
	}
}

// multiply sets dst = a v. A nil a stands for I.
func multiply(dst []float64, a *kernels.Rows, v []float64) {
	if a == nil {
		copy(dst, v)
		return
	}
	Margins(dst, *a, v)
}
