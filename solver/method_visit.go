package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// visit draws count samples and calls step for each, looking at the context and
// at x every 1024 of them.
func (b *baseline) visit(count int, x []float64, step func(i int)) error {
	return b.visitBatches(count, len(b.rows), x, func(rows []int32) {
		for _, i := range rows {
			step(int(i))
		}
	})
}

// visitBatches is visit with a step for every batch of samples.
func (b *baseline) visitBatches(count, batch int, x []float64, step func(rows []int32)) error {
	for count > 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		rows := b.rows[:min(count, max(1, len(b.rows)/batch)*batch)]
		b.samples.draw(rows)
		count -= len(rows)
		for len(rows) > 0 {
			size := min(batch, len(rows))
			step(rows[:size])
			rows = rows[size:]
		}
		if norm2 := kernels.Dot(x, x); math.IsNaN(norm2) || math.IsInf(norm2, 0) {
			return b.lost(norm2)
		}
	}
	return nil
}

// divergenceFactor is how far above the objective at the start an iterate may
// be before the run is given up.
const divergenceFactor = 10

// settle judges r.x at the end of an outer iteration by the part of the
// objective that needs no data, and remembers it if it is not lost.
func (b *baseline) settle() error {
	value := b.prob.ridge(b.x) + b.dualStep.g.Value(b.applyA(b.x))
	if !(value <= divergenceFactor*b.start) {
		return b.lost(value)
	}
	b.remember()
	return nil
}

// remember keeps the iterates to return to.
func (b *baseline) remember() {
	b.safe = append(b.safe[:0], b.x...)
	b.safeY = append(b.safeY[:0], b.y...)
	b.safeB = append(b.safeB[:0], b.beta...)
}

// judge judges r.x at the end of the run by the whole objective, with the clock
// stopped.
func (b *baseline) judge() error {
	b.pause()
	defer b.resume()
	if value := b.prob.Evaluate(b.x).Objective; !(value <= divergenceFactor*b.start) {
		return b.lost(value)
	}
	return nil
}

// lost goes back to the last iterate that was remembered, or to the start if
// that one is lost as well: settle does not look at the data.
func (b *baseline) lost(objective float64) error {
	copy(b.x, b.safe)
	copy(b.y, b.safeY)
	copy(b.beta, b.safeB)
	if !(b.prob.Evaluate(b.x).Objective <= divergenceFactor*b.start) {
		clear(b.x)
		copy(b.x, b.set.Start)
		copy(b.y, b.applyA(b.x))
		clear(b.beta)
	}
	return &DivergenceError{
		Outer: b.outer, Objective: objective, Start: b.start,
		Eta: b.eta, Rho: b.rho, Try: math.Min(b.eta/8, b.natural),
	}
}

// A perSample method does one step per sample; an outer iteration is one pass.
type perSample struct {
	*baseline
	step    func(i int)
	average func() // sets r.xbar and r.ybar
}

func (m *perSample) next() (bool, error) {
	if !m.affords(1) {
		return false, m.budgetError(1)
	}
	if err := m.visit(m.n, m.x, m.step); err != nil {
		return false, err
	}
	m.passes++
	m.average()
	return true, m.settle()
}

// A decreasing step size η_t for the t-th sample, t from 1, is η₀/√t, or with
// mu > 0 the smaller of η₀ and 1/(mu t). Where η₀ is not given, it is chosen, and
// η_t is 1/(ν_f + √t/η₀), which no curvature of the loss makes unstable, or the
// smaller of that and 1/(mu t).
type decreasing struct {
	eta0, mu, nu float64
	automatic    bool
}

// automaticDecrease is the automatic η₀ in units of 1/ν_f.
const automaticDecrease = 16

func (b *baseline) decreasing() decreasing {
	nu := b.constants.NuF
	return decreasing{b.orEta(automaticDecrease / nu), b.mu, nu, b.set.Eta == 0}
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
