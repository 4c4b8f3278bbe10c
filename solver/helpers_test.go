package solver

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// dataDir returns the directory of the reference data or skips the test.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skip("skipped: SCAS_DATA is not set; it names the directory with the real data sets")
	}
	return dir
}

// load reads a LIBSVM file of the reference data.
func load(t testing.TB, name string, features int) *Problem {
	t.Helper()
	ds, err := sparse.ReadLIBSVMFile(filepath.Join(dataDir(t), name), &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{Data: ds.X, Labels: ds.Labels}
}

// planted is a small problem whose solution is known to be graph-sparse.
func planted(t testing.TB, opt sparse.SyntheticOptions, lambda float64) (*Problem, *sparse.Synthetic) {
	t.Helper()
	s, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	_, p := s.X.Dims()
	g, err := graph.FromPairs(p, s.Edges)
	if err != nil {
		t.Fatal(err)
	}
	prob := &Problem{Data: s.X, Labels: s.Labels, Penalty: L1{Lambda: lambda}, Constraint: g.FusedLasso()}
	if opt.Regression {
		prob.Loss = Squared{}
	}
	return prob, s
}

func mustMinimize(t testing.TB, p *Problem, s *Settings) *Result {
	t.Helper()
	res, err := Minimize(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// naive runs one outer iteration of Algorithm 1 or 2 as the paper prints it:
// dense loops, math.Exp, every w and w̃ formed. It is what the plans must equal.
type naive struct {
	p          *Problem
	x, y, beta []float64
	eta, rho   float64
	nu         float64 // ν_L of Algorithm 2
	kappa      float64 // ρ λ₁ where the penalty is linearised
	anchor     []float64
	batch      int
	rng        *rand.PCG
}

func newNaive(p *Problem, s *Settings) *naive {
	n := &naive{p: p, eta: s.Eta, rho: s.Rho, rng: rand.NewPCG(s.Seed, 0x5ca5)}
	_, cols := p.Data.Dims()
	n.x = make([]float64, cols)
	n.y = n.mulA(n.x)
	n.beta = make([]float64, len(n.y))
	return n
}

func (n *naive) slope(i int, x []float64) float64 {
	t, b := dot(n.p.Data, i, x), n.p.Labels[i]
	if _, squared := n.p.Loss.(Squared); squared {
		return -2 * (b - t)
	}
	return -b / (1 + math.Exp(b*t))
}

// step returns π_X(w − η[(φ'(aᵢ'w) − φ'(aᵢ'x))aᵢ + mu(w−x) + ∇f(x) + A'(β + ρ(Aw − y))]).
func (n *naive) step(w, full []float64) []float64 {
	rows, _ := n.p.Data.Dims()
	at := w
	if n.kappa > 0 {
		at = n.anchor
	}
	aw := n.mulA(at)
	for j := range aw {
		aw[j] = n.beta[j] + n.rho*(aw[j]-n.y[j])
	}
	g := n.mulAT(aw)
	b := max(1, n.batch)
	for range b {
		hi, _ := bits.Mul64(n.rng.Uint64(), uint64(rows))
		i := int(hi)
		delta := n.slope(i, w) - n.slope(i, n.x)
		idx, val := n.p.Data.Row(i)
		for k, j := range idx {
			g[j] += delta * val[k] / float64(b)
		}
	}
	next := make([]float64, len(w))
	for j := range w {
		next[j] = w[j] - n.eta*(g[j]+full[j]+n.p.L2*(w[j]-n.x[j]))
		if n.kappa > 0 {
			next[j] -= n.eta * n.kappa * (w[j] - n.anchor[j])
		}
	}
	if n.p.Domain != nil {
		n.p.Domain.Project(next)
	}
	return next
}

func (n *naive) fullGradient() []float64 {
	rows, cols := n.p.Data.Dims()
	full := make([]float64, cols)
	for i := range rows {
		idx, val := n.p.Data.Row(i)
		for k, j := range idx {
			full[j] += n.slope(i, n.x) * val[k] / float64(rows)
		}
	}
	for j := range full {
		full[j] += n.p.L2 * n.x[j]
	}
	return full
}

// outer runs Algorithm 1 with K blocks of M/K, or Algorithm 2.
func (n *naive) outer(m, k int, strong bool) {
	full := n.fullGradient()
	snapshot := n.x
	for b := range k {
		size := (b+1)*m/k - b*m/k
		w := append([]float64(nil), n.x...)
		sum := make([]float64, len(w))
		n2 := *n
		n2.anchor = n.x
		n2.x = snapshot // slopes and full gradient refer to the snapshot
		if strong {
			s := n.eta / (1 - n.nu*n.eta/2)
			r := 2*n.eta - s
			for range size {
				next := n2.step(w, full)
				for j := range sum {
					sum[j] += (r*w[j] + s*next[j]) / (2 * n.eta)
				}
				w = next
			}
		} else {
			for it := range size {
				for j := range sum {
					sum[j] += w[j]
				}
				if it < size-1 {
					w = n2.step(w, full)
				}
			}
		}
		x := make([]float64, len(w))
		for j := range x {
			x[j] = sum[j] / float64(size)
		}
		n.x = x
		n.dualStep()
	}
}

func (n *naive) dualStep() {
	for j, v := range n.mulA(n.x) {
		lambda := n.p.Penalty.(L1).limit(j)
		u := v + n.beta[j]/n.rho
		n.y[j] = math.Copysign(math.Max(math.Abs(u)-lambda/n.rho, 0), u)
		n.beta[j] += n.rho * (v - n.y[j])
	}
}

func (n *naive) mulA(x []float64) []float64 {
	if n.p.Constraint == nil {
		return append([]float64(nil), x...)
	}
	l, _ := n.p.Constraint.Dims()
	out := make([]float64, l)
	for r := range out {
		out[r] = dot(n.p.Constraint.(*sparse.CSR), r, x)
	}
	return out
}

func (n *naive) mulAT(v []float64) []float64 {
	if n.p.Constraint == nil {
		return append([]float64(nil), v...)
	}
	l, p := n.p.Constraint.Dims()
	out := make([]float64, p)
	for r := range l {
		idx, val := n.p.Constraint.(*sparse.CSR).Row(r)
		for k, j := range idx {
			out[j] += val[k] * v[r]
		}
	}
	return out
}

func dot(a *sparse.CSR, row int, x []float64) float64 {
	var sum float64
	idx, val := a.Row(row)
	for k, j := range idx {
		sum += val[k] * x[j]
	}
	return sum
}

// relative returns |u − v|₂ / |v|₂, or |u|₂ if v is zero.
func relative(u, v []float64) float64 {
	norm := math.Sqrt(sumSquares(v))
	if norm == 0 {
		norm = 1
	}
	return distance(u, v) / norm
}
