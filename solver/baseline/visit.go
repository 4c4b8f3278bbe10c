package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// visitBatches draws count samples and calls step for every batch of them, looking
// at the context and at x every 1024.
func (b *base) visitBatches(count, batch int, x []float64, step func(rows []int32)) error {
	for count > 0 {
		if err := b.run.Err(); err != nil {
			return err
		}
		rows := b.rows[:min(count, max(1, len(b.rows)/batch)*batch)]
		b.data.Draw(rows)
		count -= len(rows)
		for some := range slices.Chunk(rows, batch) {
			step(some)
		}
		if err := b.finite(x); err != nil {
			return err
		}
	}
	return nil
}

// A perSample method does one step per sample; an outer iteration is one pass.
type perSample struct {
	*base
	step    func(i int, t float64) // the t-th of all steps, on sample i
	average func()                 // sets the mean of the run
	t       float64
}

// uniform makes a method of steps, with uniform means.
func (b *base) uniform(step func(i int, t float64)) *perSample {
	return &perSample{base: b, step: step, average: b.publish}
}

func (m *perSample) Next() (bool, error) {
	if !m.run.Affords(1) {
		return false, nil
	}
	err := m.visitBatches(m.n, len(m.rows), m.x, func(rows []int32) {
		for _, i := range rows {
			m.t++
			m.step(int(i), m.t)
		}
	})
	if err != nil {
		return false, err
	}
	m.run.Spend(1)
	m.average()
	return true, nil
}

// onePass checks the budget of methods whose outer iterations are one pass.
type onePass struct{}

// Check implements solver.Checker.
func (onePass) Check(_ *solver.Problem, s *solver.Settings) error { return s.CheckBudget(1) }

// A decreasing step size η_t for the t-th sample, t from 1, is η₀/√t, or with
// mu > 0 the smaller of η₀ and 1/(mu t). Where η₀ is not given, it is chosen, and
// η_t is 1/(ν_f + √t/η₀), which no curvature of the loss makes unstable, or the
// smaller of that and 1/(mu t).
type decreasing struct {
	eta0, mu, nu float64
	automatic    bool
}

// The text of decreasing for MethodInfo.Eta, and its automatic η₀ in units of 1/ν_f.
const (
	decreasingEta  = "eta_0 of eta_0/sqrt(t), or of min(eta_0, 1/(mu t)); 16/nu_f"
	decreasingUnit = 16
)

func (b *base) decreasing() decreasing {
	return decreasing{b.orEta(decreasingUnit / b.nu), b.mu, b.nu, b.run.Settings.Eta == 0}
}

func (d decreasing) at(t float64) float64 {
	if d.mu == 0 {
		return d.convex(t)
	}
	return math.Min(d.cap(t), 1/float64(d.mu*t))
}

// convex is the schedule without strong convexity.
func (d decreasing) convex(t float64) float64 {
	if d.automatic {
		return 1 / (d.nu + math.Sqrt(t)/d.eta0)
	}
	return d.eta0 / math.Sqrt(t)
}

// cap bounds the schedules for strong convexity.
func (d decreasing) cap(t float64) float64 {
	if d.automatic {
		return d.convex(t)
	}
	return d.eta0
}
