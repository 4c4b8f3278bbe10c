package oracle

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	terms "github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// TestRandomProblems solves random problems, and compares the solutions and the claimed gaps with the
// results of reference_test.go. By default there are 60 problems, with the seed 1. SCAS_FULL=1 means 300
// problems and a seed from the clock. SCAS_SEED sets the seed, SCAS_PROBLEMS the number of problems, and
// SCAS_PROBLEM selects a single problem by its number.
func TestRandomProblems(t *testing.T) {
	seed, count, start := uint64(1), uint64(60), uint64(0)
	if os.Getenv("SCAS_FULL") != "" {
		seed, count = uint64(time.Now().UnixNano()), 300
	}
	fromEnvironment(t, "SCAS_SEED", &seed)
	fromEnvironment(t, "SCAS_PROBLEMS", &count)
	if problemNumber := uint64(math.MaxUint64); fromEnvironment(t, "SCAS_PROBLEM", &problemNumber) {
		start, count = problemNumber, problemNumber+1
	}
	t.Logf("repeat with SCAS_SEED=%d", seed)
	unsolvedCount, excuses := 0, make(map[string]int)
	for k := start; k < count; k++ {
		p := draw(t, rand.New(rand.NewPCG(seed, k)))
		complaints, referenceFound := p.check(t)
		if !referenceFound {
			unsolvedCount++
			t.Logf("problem %d: %v: the reference did not converge", k, p)
		}
		if p.excuse != "" {
			excuses[p.excuse]++
		}
		for _, complaint := range complaints {
			t.Errorf("SCAS_SEED=%d SCAS_PROBLEM=%d (%v): %s", seed, k, p, complaint)
		}
	}
	excusedCount := 0
	for why, count := range excuses {
		excusedCount += count
		t.Logf("excused: %d: %s", count, why)
	}
	// About one problem of 28 is excused, independently of the others.
	if expected := float64(count) / 28; float64(excusedCount) > expected+4*math.Sqrt(expected) {
		t.Errorf("%d of %d problems are excused", excusedCount, count-start)
	}
	if uint64(unsolvedCount) > 1+count/50 {
		t.Errorf("the reference did not converge for %d of %d problems", unsolvedCount, count-start)
	}
}

// fromEnvironment sets v to the value of an environment variable, or returns false if it is not set.
func fromEnvironment(t *testing.T, name string, v *uint64) bool {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return false
	}
	var err error
	*v, err = strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(name, err)
	}
	return true
}

// knownWeakness returns the known weakness that explains why a run ended with a gap above a.goal, or "" if no
// known weakness does. optimumReached says that the objective at a.x is at most a.goal above the optimum. ref
// is the solution of the reference.
func (p *problem) knownWeakness(a *answer, ref *solution, optimumReached bool) string {
	dependent := p.task.hasDependentColumns(ref.x)
	switch {
	case ref.objective.float() < 1e-3*a.goal && a.gap <= 1e3*a.goal:
		return "free features fit all labels as well as one likes, so that there is no minimum"
	case optimumReached && a.gap <= 1e-12*a.objective:
		return "the goal is below the rounding of the objective"
	case optimumReached && dependent:
		return "columns without a penalty or bound are linearly dependent where the loss is curved"
	case optimumReached && p.task.loss == "huber":
		return "few residuals are within the delta of the Huber loss"
	case p.conic && dependent:
		return "columns without a penalty or bound are linearly dependent, with a domain, groups or squares; the optimum is not reached"
	case p.scaled && p.conic:
		return "badly scaled columns with a domain, groups or squares"
	case p.badlyScaled:
		return "columns scaled by up to 1e-8 and 1e8"
	}
	return ""
}

// An answer is the result of a solver.
type answer struct {
	x              []float64
	objective, gap float64
	goal           float64 // the gap that the solver was asked for
	converged      bool
	exact          bool // the solver says that zeros and ties are exact; for package model: it converged
	err            error
}

func (p *problem) solve(t *testing.T) *answer {
	if p.spec != nil {
		return p.modelAnswer(model.Fit(t.Context(), p.spec, p.Data, p.Labels))
	}
	res, err := solver.Minimize(t.Context(), p.Problem, &solver.Settings{RelTol: p.relTol})
	return p.answer(res, err)
}

// goal returns relTol times the objective at x = 0.
func (p *problem) goal() float64 {
	return p.relTol * p.task.objective(make([]double, len(p.task.columnRMS))).float()
}

func (p *problem) modelAnswer(m *model.Model, err error) *answer {
	if m == nil {
		return &answer{err: err}
	}
	c := m.Columns[0].Certificate
	x := append(slices.Clone(m.Columns[0].Coefficients), m.Columns[0].Intercept)
	return &answer{x, c.Objective, c.Gap, p.goal(), c.Status == solver.Converged, c.Status == solver.Converged, err}
}

func (p *problem) answer(res *solver.Result, err error) *answer {
	if res == nil {
		return &answer{err: err}
	}
	return &answer{res.X, res.At.Objective, res.DualityGap, p.goal(), res.Status == solver.Converged, res.Stats.Rounded, err}
}

// outOfCore solves the problem with the data in a mapped file. It returns nil if this is not supported.
func (p *problem) outOfCore(t *testing.T) *answer {
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: p.Data, Labels: p.Labels}); err != nil {
		t.Fatal(err)
	}
	d, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true, Memory: 1 << 20, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if p.spec != nil {
		spec := *p.spec
		spec.Memory = 4 << 20
		if m, err := model.Fit(t.Context(), &spec, d.X, d.Labels); !errors.Is(err, rows.ErrNotStreamed) {
			return p.modelAnswer(m, err)
		}
		return nil
	}
	_, features := d.X.Dims()
	a := p.Constraint
	if c, ok := a.(*solver.Constraint); ok {
		a = c.Operator
	}
	q := &exact.Problem{
		Data: d.X, Labels: p.Labels, Weights: p.SampleWeights, A: linalg.New(a, features),
		Ridge: slices.Repeat([]float64{p.L2}, features),
	}
	posed := q.Pose(terms.LossOf(p.Loss), terms.PenaltyOf(p.Penalty), terms.SetOf(p.Domain))
	if !posed || !d.X.Mapped() || q.FileRefusal() != "" {
		return nil
	}
	f := exact.NewFile(q, exact.FileSettings{Memory: 4 << 20})
	f.Stop = t.Context().Err
	if err := f.Survey(f.MaxSamples()); err != nil {
		return &answer{err: err}
	}
	q.File = f
	s, err := exact.New(q)
	if err != nil {
		return &answer{err: err}
	}
	goal := p.relTol * f.Scale()
	r := s.Finish(nil, &exact.Settings{Tol: goal})
	return &answer{r.X, r.Objective, r.Gap, goal, r.Gap <= goal, r.Polished, r.Err}
}

// check solves a problem in memory, out of core if this is supported, and by the reference. It returns
// the complaints about the answers. referenceFound is false if the reference found no solution.
func (p *problem) check(t *testing.T) (complaints []string, referenceFound bool) {
	answers := []*answer{p.solve(t), p.outOfCore(t)}
	ref, ok := p.task.solve()
	for k, a := range answers {
		if a == nil || a.x != nil && !ok {
			continue
		}
		for _, w := range p.judge(a, ref, k > 0) {
			if k > 0 {
				w = "out of core: " + w
			}
			complaints = append(complaints, w)
		}
	}
	return complaints, ok
}

// judge compares an answer with the reference, and returns complaints about the answer.
func (p *problem) judge(a *answer, ref *solution, outOfCore bool) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	if a.x == nil {
		complain("no answer: %v", a.err)
		return complaints
	}
	x := toDoubles(a.x)
	exactObjective := p.task.objective(x)
	objectiveAtZero := p.task.objective(make([]double, len(x))).float()
	// ref.objective is the objective at a point, so excess is at most the objective minus the optimum.
	excess := exactObjective.sub(ref.objective).float()
	claimedExcess := toDouble(a.objective).sub(ref.objective).float()
	if off := p.task.domainViolation(a.x); off > 0 {
		complain("outside of the domain by %.2g", off)
	} else if excess > a.gap || claimedExcess > a.gap+float64(len(p.task.rows))*0x1p-53*a.objective+p.task.marginRounding(x) {
		complain("a gap of %.3g is claimed, the excess is %.3g, or %.3g as computed (objective %.17g)",
			a.gap, excess, claimedExcess, a.objective)
	}
	if -excess > ref.errorBound+1e-13*math.Max(objectiveAtZero, a.objective) {
		complain("the reference is off: %.17g, %.3g above the solver's objective, and its bound %.3g",
			ref.objective.float(), -excess, ref.errorBound)
	}
	var failure *solver.NotConvergedError
	switch {
	case a.goal == 0 && a.err == nil: // the objective at x = 0 is 0, so the run has no goal
	case errors.As(a.err, &failure), a.err == nil && !a.converged:
		p.excuse = p.knownWeakness(a, ref, excess <= a.goal)
		if p.excuse == "" {
			complain("not converged: %v (excess %.3g)", a.err, excess)
		}
	case a.err != nil:
		complain("%v", a.err)
	case !(a.gap <= a.goal*(1+1e-9)):
		complain("converged with a gap of %.3g, and the goal is %.3g", a.gap, a.goal)
	case p.relTol < 1e-7 && !a.exact && outOfCore && (p.conic || p.badlyScaled || p.scaled):
		p.excuse = "zeros out of core, with a domain, groups or squares, or of badly scaled columns, are not always exact"
	case p.relTol < 1e-7 && !a.exact && p.badlyScaled:
		p.excuse = "zeros of badly scaled columns are not always exact"
	case p.relTol < 1e-7 && !a.exact:
		complain("zeros and ties are not exact")
	case p.relTol < 1e-7:
		for k := range p.task.terms {
			v, certain := p.task.clearlyZero(k, ref, a.x)
			switch {
			case !certain || v == 0:
			case p.conic:
				p.excuse = "zeros with a domain, groups or squares are not always exact"
			case p.badlyScaled:
				p.excuse = "zeros of badly scaled columns are not always exact"
			default:
				complain("row %d of A x is %.3g and clearly 0", k, v)
			}
		}
	}
	return complaints
}

// clearlyZero returns the largest absolute value at x of the linear forms of term number k. If certain is
// true, the forms are zero at every solution: at the solution ref, the multipliers of the term are well
// within its limit. certain is true only if each form is a coefficient, or a sum or difference of two
// coefficients.
func (t *task) clearlyZero(k int, ref *solution, x []float64) (maximum float64, certain bool) {
	tm := &t.terms[k]
	for _, form := range tm.forms {
		v, nonzeros := 0.0, 0
		for j, a := range form {
			v += a * x[j]
			if a != 0 {
				nonzeros++
				if a != 1 && a != -1 {
					return 0, false
				}
			}
		}
		if nonzeros > 2 {
			return 0, false
		}
		maximum = math.Max(maximum, math.Abs(v))
	}
	norm := 0.0
	for _, u := range ref.multipliers[k] {
		norm = math.Hypot(norm, u)
	}
	return maximum, tm.limit > 0 && norm < 0.9
}

// hasDependentColumns reports whether linearly dependent columns may be the reason that no gap is proved. It
// ignores directions with a penalty, features that are bounded on both sides, and samples whose loss is not
// curved at x.
func (t *task) hasDependentColumns(x []double) bool {
	if t.mu > 0 || t.radius > 0 || t.total > 0 {
		return false
	}
	var openFeatures []int
	for j := range t.columnRMS {
		if math.IsInf(t.lowerBound(j), -1) || math.IsInf(t.upperBound(j), 1) {
			openFeatures = append(openFeatures, j)
		}
	}
	curved := make([]bool, len(t.rows))
	for i, row := range t.rows {
		_, slope, curvature := t.phi(t.margin(i, row, x), t.labels[i])
		curved[i] = curvature.hi > 1e-7 && (t.loss != "squared-hinge" || slope.abs().hi > 1e-7)
	}
	gram := make([][]double, len(openFeatures))
	for i, j := range openFeatures {
		gram[i] = make([]double, len(openFeatures))
		for k, m := range openFeatures[:i+1] {
			for r, row := range t.rows {
				if !curved[r] {
					continue
				}
				gram[i][k] = gram[i][k].add(t.sampleShares[r].times(row[j] / t.columnRMS[j]).times(row[m] / t.columnRMS[m]))
			}
			for _, tm := range t.terms {
				for _, form := range tm.forms {
					if tm.limit > 0 || tm.squareFactor > 0 {
						gram[i][k] = gram[i][k].add(twoProduct(form[j]/t.columnRMS[j], form[m]/t.columnRMS[m]))
					}
				}
			}
		}
	}
	const minPivot = 1e-14
	for i, row := range gram {
		columnNorm := row[i].sqrt()
		if columnNorm.hi == 0 {
			return true
		}
		for k := range gram {
			if k <= i {
				gram[i][k] = gram[i][k].div(columnNorm)
			}
			if k >= i {
				gram[k][i] = gram[k][i].div(columnNorm)
			}
		}
		gram[i][i] = gram[i][i].sub(toDouble(minPivot))
	}
	_, definite := cholesky(gram, make([]double, len(openFeatures)))
	return !definite
}

// domainViolation returns by how much x violates the domain, apart from rounding.
func (t *task) domainViolation(x []float64) float64 {
	violation, sum, norm := 0.0, 0.0, 0.0
	for j, v := range x {
		violation = math.Max(violation, math.Max(t.lowerBound(j)-v, v-t.upperBound(j)))
		sum += v
		norm = math.Hypot(norm, v)
	}
	if t.radius > 0 && norm > t.radius*(1+1e-14) {
		violation = norm - t.radius
	}
	if t.total > 0 && math.Abs(sum-t.total) > 1e-13*t.total {
		violation = math.Max(violation, math.Abs(sum-t.total))
	}
	return violation
}
