package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// drawBatches draws the given number of samples and calls step for every batch of them. It returns an error
// if it finds that the context is cancelled or that x is not finite.
func (b *base) drawBatches(samples, batchSize int, x []float64, step func(rows []int32)) error {
	for samples > 0 {
		if err := b.run.Err(); err != nil {
			return err
		}
		rows := b.rows[:min(samples, max(1, len(b.rows)/batchSize)*batchSize)]
		b.data.Draw(rows)
		samples -= len(rows)
		for batch := range slices.Chunk(rows, batchSize) {
			step(batch)
		}
		if err := b.checkFinite(x); err != nil {
			return err
		}
	}
	return nil
}

// A sampleLoop makes one step for each sample that it draws. An outer iteration draws n samples.
type sampleLoop struct {
	*base
	step    func(i int, t float64) // makes step number t = 1, 2, …, with sample i
	setMean func()                 // sets Run.Mean
	t       float64                // number of steps so far
}

// newAveragingLoop returns a sampleLoop that makes the given steps and sets Run.Mean to the means in b.sums.
func (b *base) newAveragingLoop(step func(i int, t float64)) *sampleLoop {
	return &sampleLoop{base: b, step: step, setMean: b.setMeanFromSums}
}

func (m *sampleLoop) iterate() (bool, error) {
	if !m.run.Affords(1) {
		return false, nil
	}
	err := m.drawBatches(m.n, len(m.rows), m.x, func(rows []int32) {
		for _, i := range rows {
			m.t++
			m.step(int(i), m.t)
		}
	})
	if err != nil {
		return false, err
	}
	m.run.Spend(1)
	m.setMean()
	return true, nil
}

// onePassCheck is embedded in methods whose outer iteration is one pass. Check returns an error if the budget
// is less than one pass.
type onePassCheck struct{}

func (onePassCheck) Check(_ *solver.Problem, s *solver.Settings) error { return s.CheckBudget(1) }

// An etaSequence is a decreasing step size η_t for step t = 1, 2, … If Settings.Eta is not 0, it is η₀; then
// η_t is η₀/√t for mu = 0, and min(η₀, 1/(mu t)) for mu > 0. If Settings.Eta is 0, η₀ is automatic; then η_t
// is 1/(ν_f + √t/η₀) for mu = 0, and the smaller of this number and 1/(mu t) for mu > 0. The package comment
// says what ν_f is.
type etaSequence struct {
	eta0, mu, nu float64
	automatic    bool
}

// decreasingEta is the text for MethodInfo.Eta. The automatic η₀ is decreasingUnit/ν_f; the package comment
// says what ν_f is.
const (
	decreasingEta  = "eta_0 of eta_0/sqrt(t), or of min(eta_0, 1/(mu t)); 16/nu_f"
	decreasingUnit = 16
)

func (b *base) etaSequence() etaSequence {
	return etaSequence{b.run.StepSize(decreasingUnit / b.nu), b.mu, b.nu, b.run.Settings.Eta == 0}
}

func (d etaSequence) stepSize(t float64) float64 {
	if d.mu == 0 {
		return d.convexStepSize(t)
	}
	return math.Min(d.maxStepSize(t), 1/float64(d.mu*t))
}

// convexStepSize returns η_t for mu = 0.
func (d etaSequence) convexStepSize(t float64) float64 {
	if d.automatic {
		return 1 / (d.nu + math.Sqrt(t)/d.eta0)
	}
	return d.eta0 / math.Sqrt(t)
}

// maxStepSize returns an upper bound of η_t for mu > 0. The caller takes the smaller of this bound and a
// second one, such as 1/(mu t).
func (d etaSequence) maxStepSize(t float64) float64 {
	if d.automatic {
		return d.convexStepSize(t)
	}
	return d.eta0
}
