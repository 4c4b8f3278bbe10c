package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/sparse"
)

// SCAS is Algorithm 1 of the paper (general convex).
type SCAS struct{}

// SCASStrong is Algorithm 2 of the paper (strongly convex), which needs X = R^p.
type SCASStrong struct{}

// SCASK updates y and beta Settings.DualUpdates times per snapshot: the inner loop
// of Algorithm 1 in blocks, each followed by the dual step. Where Eta and Rho are
// automatic and columns are on scales far apart, steps and ρ are each column's own.
type SCASK struct{}

// SCASL is SCASK with the penalty linearised at the start of each block: (κ/2)|w −
// x|², κ = ρ λ₁, in place of (ρ/2)|A(w − x)|². Steps then cost as many operations as
// a row has nonzeros whatever the graph.
type SCASL struct{}

// Methods lists SCAS-ADMM in its forms, the default first.
func Methods() []Method { return []Method{Auto{}, SCASK{}, SCAS{}, SCASStrong{}, SCASL{}} }

// scasInfo has what the forms share.
func scasInfo(name, summary string) MethodInfo {
	return MethodInfo{
		Name: name, Summary: summary, Rate: "none proven", Memory: "4p + 2l + n, with a graph the rotated data",
		Reference: "this package", Eta: "the step size; from the curvature at each snapshot",
		TakesEta: true, TakesBatchSize: true, TakesInnerSteps: true, AnyProblem: true, Planned: true, Watched: true,
	}
}

// Info implements Method.
func (SCASK) Info() MethodInfo {
	info := scasInfo("scas-k", "SCAS-ADMM with K dual updates per snapshot")
	info.Rate, info.ManyUpdates = "none proven; fastest in practice", true
	return info
}

// Info implements Method.
func (SCAS) Info() MethodInfo {
	info := scasInfo("scas", "SCAS-ADMM, Algorithm 1 (general convex)")
	info.Rate, info.Reference, info.Theorem = "O(1/T) in outer iterations", "Zhao, Li, Zhou", 1
	return info
}

// Info implements Method.
func (SCASStrong) Info() MethodInfo {
	info := scasInfo("scas-strong", "SCAS-ADMM, Algorithm 2 (strongly convex)")
	info.Rate, info.Reference, info.Theorem = "O(1/T) in outer iterations", "Zhao, Li, Zhou", 2
	return info
}

// Info implements Method.
func (SCASL) Info() MethodInfo {
	info := scasInfo("scas-l", "SCAS-ADMM with the penalty linearised per block; any graph at O(nnz) a step")
	info.Memory, info.ManyUpdates = "4p + 2l + n", true
	return info
}

// Begin implements Method.
func (SCASK) Begin(r *Run) (Iteration, error) { return newSCAS(r, (*scas).blocks, false) }

// Begin implements Method.
func (SCAS) Begin(r *Run) (Iteration, error) { return newSCAS(r, (*scas).blocks, false) }

// Begin implements Method.
func (SCASStrong) Begin(r *Run) (Iteration, error) { return newSCAS(r, (*scas).strong, false) }

// Begin implements Method.
func (SCASL) Begin(r *Run) (Iteration, error) { return newSCAS(r, (*scas).blocks, true) }

// scas is SCAS-ADMM in all its forms.
type scas struct {
	*Run
	stage func(*scas) error // an outer iteration, after the snapshot
	state admm.Iterate
	data  *sparse.CSR // as the inner loop has them
	each  int         // rows of a process, on average

	rows          *admm.RowCurvature // nil until needed
	meanCurvature float64            // smoothness of the mean loss, for batches
}

func newSCAS(r *Run, stage func(*scas) error, linearised bool) (*scas, error) {
	s := &scas{Run: r, stage: stage, each: r.Problem.team().Each(len(r.Problem.Labels)), state: admm.Iterate{
		X: r.X, Y: r.Y, Dual: r.Dual, Gradient: r.Snapshot.Gradient, Ridge: r.Problem.L2,
		A: r.A, Step: r.dual, Project: r.Problem.project, Draw: r.Samples.Draw, Interrupt: r.Problem.team().Within(r.Err),
	}}
	st, set := &r.Stats, &r.Settings
	if set.Method.Info().ManyUpdates {
		if st.DualUpdates = set.DualUpdates; st.DualUpdates == 0 {
			st.DualUpdates = s.naturalDualUpdates()
		}
	}
	if set.Rho == 0 {
		factor := 1.0
		if st.DualUpdates > 1 { // with many dual updates more is better
			factor = 3
		}
		steps := r.Samples.Curvature() * float64(r.Samples.scale*r.Samples.scale)
		r.SetRho(max(r.NaturalRho(factor), min(s.ridgeRho(), 0.1*steps/st.Constants.Lambda1)))
	}
	s.fitScale()
	if s.state.Metric == nil {
		s.state.Anchor.Pull = r.Problem.loss().Curvature() * pass.Pull(r.Problem.team(), r.Samples.rows, len(r.X))
	}
	if linearised {
		if s.state.Kappa = float64(st.Rho * st.Constants.Lambda1); s.state.Metric != nil {
			s.state.Kappa = s.stiffness()
		}
	}
	var err error
	if s.state.Plan, err = admm.NewPlan(s.innerLoop()); err != nil {
		return nil, err
	}
	st.Plan, st.PlanReason, st.BatchSize = s.state.Plan.Name(), s.state.Plan.Reason(), s.state.Plan.BatchSize()
	s.fitBatch()
	return s, nil
}

// innerLoop describes the inner loop to its plan.
func (s *scas) innerLoop() *admm.InnerLoop {
	p, set := s.Problem, &s.Settings
	l := &admm.InnerLoop{
		Data: p.Data, Rows: s.Samples.rows, Labels: p.Labels, Slope0: s.Snapshot.Slope,
		Loss: p.loss(), A: s.A.Algebra, Set: p.domain(),
		Rho: s.Stats.Rho, Ridge: p.L2 + s.state.Anchor.Pull, Kappa: s.state.Kappa,
		Steps: set.InnerSteps, Block: set.InnerSteps / max(1, min(s.Stats.DualUpdates, set.InnerSteps/2)),
		BatchSize: set.BatchSize, Share: set.Schedule == Practical, Unrotated: set.NoRotation, Interrupt: s.Problem.team().Within(s.Err),
	}
	if m := s.state.Metric; m != nil {
		l.Data, l.Rows = m.Data, m.Data.Compact(&sparse.CompactOptions{Round: set.Float32})
		l.A, l.Rho, l.Ridge = m.A, 1, 0
	}
	l.Scratch = kernels.NewScratch(l.Rows)
	return l
}

// fitScale takes the metric in which the inner loop runs, where the method and its
// parameters are the package's to choose.
func (s *scas) fitScale() {
	p, set := s.Problem, &s.Settings
	free := set.Method.Info().ManyUpdates && s.autoEta() && set.Rho == 0 && s.dual.Limit != nil && p.Coupling == nil &&
		p.Domain == nil && (s.A.Identity() || s.A.Matrix() != nil)
	s.data = p.Data
	if !free {
		return
	}
	m := admm.NewMetric(&admm.MetricProblem{
		Data: p.Data, A: s.A.Algebra, Limit: s.dual.Limit,
		Curvature: p.loss().Curvature(), Ridge: p.L2, Unit: s.marginUnit(), Least: s.ridgeRho(), Slope: pass.SlopeAtZero(p.samples(s.Samples.rows), s.Snapshot.Slope), Team: p.team(),
	})
	if m != nil {
		rho, shares := m.Shares()
		s.SetRho(rho)
		s.dual.SetShares(shares)
		s.state.Metric, s.data = m, m.Data
	}
}

// stiffness is the largest eigenvalue of K.
func (s *scas) stiffness() float64 {
	if m := s.state.Metric; m != nil {
		return m.A.Largest()
	}
	return float64(s.Stats.Rho*s.Stats.Constants.Lambda1) + s.Problem.L2 + s.state.Anchor.Pull
}

// Next implements Iteration.
func (s *scas) Next() (bool, error) {
	if more, err := s.begin(); err != nil || !more {
		return false, err
	}
	if err := s.stage(s); err != nil {
		return false, err
	}
	if t := s.Problem.team(); !t.Alone() {
		s.state.Average(t, s.Problem.samples(s.Samples.rows).Mass())
	}
	if name := s.state.Plan.Name(); name != s.Stats.Plan {
		s.Stats.Plan, s.Stats.PlanReason = name, s.state.Plan.Reason()
	}
	s.Average()
	return true, nil
}

// NaturalEta is what a diverged run should try at the iterate restored.
func (s *scas) NaturalEta() float64 {
	s.takeSnapshot()
	return s.naturalEta()
}

// begin takes the snapshot at x, watches over the objective there, fixes η and
// M for the coming outer iteration, and reports whether the budget allows it.
func (s *scas) begin() (bool, error) {
	if t := s.Problem.team(); !t.Alone() { // in every iteration anew: resumed runs draw the same
		s.Samples.drawn.Restart(s.Settings.Seed, uint64(s.Stats.OuterIterations+1)<<32+uint64(t.Rank()))
	}
	if s.Settings.Schedule == Practical && !s.Affords(s.cost(s.Settings.InnerSteps)) {
		return false, nil
	}
	if err := s.WatchedSnapshot(s.autoEta()); err != nil {
		return false, err
	}
	eta, steps := s.schedule()
	if !s.Affords(s.cost(steps)) {
		if s.Stats.OuterIterations == 0 {
			return false, s.Settings.CheckBudget(s.cost(steps))
		}
		return false, nil
	}
	s.Stats.Eta, s.Stats.InnerSteps = eta, steps
	s.Stats.GradientNorm = math.Sqrt(s.state.GradientSquared())
	s.Spend(s.cost(steps))
	return true, nil
}

// autoEta reports whether η follows the curvature at each snapshot.
func (s *scas) autoEta() bool { return s.Settings.Eta == 0 && s.Settings.Schedule == Practical }

// cost is that of one outer iteration in effective passes, as the paper counts.
func (s *scas) cost(steps int) float64 {
	return 1 + float64(steps)/float64(s.each)
}

// iterates returns how many inner iterates M samples make.
func (s *scas) iterates() int { return max(2, s.Stats.InnerSteps/s.Stats.BatchSize) }

// blocks is one outer iteration of Algorithm 1 of the paper with K dual updates.
func (s *scas) blocks() error {
	return s.state.Blocks(s.Stats.Eta, s.iterates(), s.Stats.DualUpdates)
}

// strong is one outer iteration of Algorithm 2 of the paper.
func (s *scas) strong() error {
	return s.state.Strong(s.Stats.Eta, s.Stats.Constants.NuL, s.iterates())
}

// checkPlanned checks what the inner loop of SCAS-ADMM and its theorems ask for.
func (s *Settings) checkPlanned(info MethodInfo, p *Problem) error {
	n := p.team().Each(len(p.Labels))
	bounded := p.Domain != nil && !math.IsInf(p.Domain.Diameter(), 1)
	theorem := s.Schedule == Theorem
	switch m := s.InnerSteps; {
	case info.Theorem == 2 && p.Domain != nil:
		return &SettingError{"Method", info.Name, fmt.Sprintf("Algorithm 2 is for X = R^p; with a domain use %s or %s", nameOf(SCASK{}), nameOf(SCAS{}))}
	case info.Theorem == 2 && theorem && p.L2 == 0:
		return &SettingError{"Schedule", s.Schedule, "Theorem 2 needs strong convexity; set Problem.L2 > 0"}
	case info.Theorem == 1 && theorem && !bounded:
		return &SettingError{"Schedule", s.Schedule, "Theorem 1 needs a bounded domain; set Problem.Domain to a Box or Ball"}
	case s.DualUpdates > m:
		return &SettingError{"DualUpdates", s.DualUpdates, fmt.Sprintf("it must lie between 1 and the %d inner steps, or be 0 for the default", m)}
	case s.BatchSize > 1 && s.BatchSize > m/2:
		return &SettingError{"BatchSize", s.BatchSize, fmt.Sprintf("it must lie between 1 and half the %d inner steps, or be 0 for the default", m)}
	case s.Schedule == Practical:
		return s.CheckBudget(1 + float64(m)/float64(n))
	}
	return nil
}
