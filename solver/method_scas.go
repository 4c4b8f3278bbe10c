package solver

import (
	"cmp"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// SCAS is Algorithm 1 of the paper, for general convex problems.
type SCAS struct{}

// SCASStrong is Algorithm 2 of the paper, for strongly convex problems with X = R^p.
type SCASStrong struct{}

// SCASK is Algorithm 1 with Settings.DualUpdates updates of y and beta for each full gradient: the
// inner loop is divided into rounds, and each round ends with a dual update. If Eta and Rho are
// automatic, each column of the data may have its own step size, and each row of A its own ρ.
type SCASK struct{}

// SCASL is SCASK with the augmented penalty linearised in every round: an upper bound (κ/2)|w − x|²
// replaces (ρ/2)|A(w − x)|², where w is the point of the inner loop and x the point at which the round
// began. The cost of a step is then proportional to the entries of a row of the data, for every A.
type SCASL struct{}

// Methods returns the methods of this package; the default is the first.
func Methods() []Method { return []Method{Auto{}, SCASK{}, SCAS{}, SCASStrong{}, SCASL{}} }

// scasInfo returns the fields of MethodInfo that SCAS-ADMM methods share.
func scasInfo(name, summary string) MethodInfo {
	return MethodInfo{
		Name: name, Summary: summary, Rate: "none proven",
		Memory:    "4p + 2l + n, with a graph the rotated data",
		Reference: "this package", Eta: "the step size; from the curvature at each snapshot",
		TakesEta: true, TakesBatchSize: true, TakesInnerSteps: true, AnyProblem: true, SCASInnerLoop: true,
	}
}

func (SCASK) Info() MethodInfo {
	info := scasInfo("scas-k", "SCAS-ADMM with K dual updates per snapshot")
	info.Rate, info.ManyUpdates = "none proven; fastest in practice", true
	return info
}

func (SCAS) Info() MethodInfo {
	info := scasInfo("scas", "SCAS-ADMM, Algorithm 1 (general convex)")
	info.Rate, info.Reference, info.Theorem = "O(1/T) in outer iterations", "Zhao, Li, Zhou", 1
	return info
}

func (SCASStrong) Info() MethodInfo {
	info := scasInfo("scas-strong", "SCAS-ADMM, Algorithm 2 (strongly convex)")
	info.Rate, info.Reference, info.Theorem = "O(1/T) in outer iterations", "Zhao, Li, Zhou", 2
	return info
}

func (SCASL) Info() MethodInfo {
	info := scasInfo("scas-l", "SCAS-ADMM with the penalty linearised per round; any graph at O(nnz) a step")
	info.Memory, info.ManyUpdates = "4p + 2l + n", true
	return info
}

func (SCASK) Begin(r *Run) (Iteration, error) { return beginSCAS(r) }

func (SCAS) Begin(r *Run) (Iteration, error) { return beginSCAS(r) }

func (SCASStrong) Begin(r *Run) (Iteration, error) { return beginSCAS(r) }

func (SCASL) Begin(r *Run) (Iteration, error) { return beginSCAS(r) }

// scas is a run of a SCAS-ADMM method with data in memory.
type scas struct {
	*Run
	outer        admm.OuterLoop
	rowSet       admm.RowSet        // all rows of data
	data         *sparse.CSR        // data of the inner loop: Problem.Data, or a copy with scaled columns
	rowCurvature *admm.RowCurvature // |aᵢ|² of some rows of data; nil before the first call of curvatureHere
}

func beginSCAS(r *Run) (Iteration, error) {
	s, err := newSCAS(r)
	if err != nil {
		return nil, err
	}
	return s.next, nil
}

func newSCAS(r *Run) (*scas, error) {
	p, st, set := r.Problem, &r.Stats, &r.Settings
	info := set.Method.Info()
	s := &scas{Run: r, data: p.Data}
	s.outer = admm.OuterLoop{
		TakeSnapshot: func() error { return r.WatchedSnapshot(s.autoEta()) },
		NextEta:      s.schedule, SnapshotCurvature: s.curvatureHere,
		EachRowSet: func(runInnerLoop func(*admm.RowSet) error) error { return runInnerLoop(&s.rowSet) },
		Point:      admm.Point(r.Iterate), Scales: r.scales, Keeper: &r.keeper, Gradient: r.Snapshot.Gradient,
		A: r.product, DualStep: r.dual, Project: p.project, Interrupt: p.team().IfAlone(r.Err),
		ManyUpdates: info.ManyUpdates, UseAlgorithm2: info.Theorem == 2,
	}
	if info.ManyUpdates {
		st.DualUpdates = set.DualUpdates
		if st.DualUpdates == 0 {
			n, _ := p.Data.Dims()
			st.DualUpdates = admm.DualUpdates(float64(set.InnerSteps),
				p.team().Mean(float64(p.Data.NNZ()), float64(n)), r.product.Operations())
		}
	}
	if set.Rho == 0 {
		r.SetRho(r.scales.Rho(st.DualUpdates))
	}
	s.chooseMetric()
	if s.outer.Metric == nil {
		s.outer.Anchor.Weight = p.loss().Curvature() * admm.ProximalWeight(p.team(), r.Samples.rows, len(r.X))
	}
	if _, linearised := set.Method.(SCASL); linearised {
		s.outer.Linearise()
	}
	plan, err := admm.NewPlan(s.innerLoop())
	if err != nil {
		return nil, err
	}
	st.Plan, st.PlanReason, st.BatchSize = plan.Name(), plan.Reason(), plan.BatchSize()
	s.adaptToBatchSize()
	s.outer.NuL, s.outer.BatchSize = st.Constants.NuL, st.BatchSize
	r.automaticStep = s.automaticEta
	s.rowSet = admm.RowSet{Plan: plan, Draw: r.Samples.Draw, Updates: st.DualUpdates}
	return s, nil
}

// innerLoop returns the inner loop for which admm.NewPlan chooses a plan.
func (s *scas) innerLoop() *admm.InnerLoop {
	p, set := s.Problem, &s.Settings
	l := &admm.InnerLoop{
		Data: p.Data, Rows: s.Samples.rows, Labels: p.Labels, Slope0: s.Snapshot.Slope,
		Loss: p.loss(), A: s.product.Algebra, Set: p.domain(),
		Rho: s.Stats.Rho, Ridge: p.L2 + s.outer.Anchor.Weight, Kappa: s.outer.Kappa,
		Samples:      set.InnerSteps,
		RoundSamples: set.InnerSteps / max(1, min(s.Stats.DualUpdates, set.InnerSteps/2)),
		BatchSize:    set.BatchSize, NoRotation: set.NoRotation, Interrupt: s.outer.Interrupt,
	}
	if set.Schedule == Theorem {
		l.BatchSize = max(1, set.BatchSize) // the plan must not choose a larger one
	}
	if m := s.outer.Metric; m != nil {
		l.Data, l.Rows = m.Data, m.Data.Compact(set.Float32)
		l.A, l.Rho, l.Ridge = m.A, 1, 0
	}
	return l
}

// chooseMetric chooses a metric, which is a step size for each column and a ρ for each row of A, if the
// method, the settings and the problem allow it and the problem needs it.
func (s *scas) chooseMetric() {
	p, set := s.Problem, &s.Settings
	allowed := set.Method.Info().ManyUpdates && s.autoEta() && set.Rho == 0 && s.dual.Limit != nil &&
		p.Coupling == nil &&
		p.Domain == nil && (s.product.IsIdentity() || s.product.Matrix() != nil)
	if !allowed {
		return
	}
	m := admm.NewMetric(&admm.MetricProblem{
		Data: p.Data, A: s.product.Algebra, Limit: s.dual.Limit,
		Curvature: p.loss().Curvature(), Ridge: p.L2, Unit: s.scales.Unit,
		LeastRho: s.scales.RidgeRho(s.Stats.DualUpdates),
		Slope:    rows.SlopeRMSAtZero(p.samples(s.Samples.rows), s.Snapshot.Slope), Team: p.team(),
	})
	if m != nil {
		rho, shares := m.RhoRatios()
		s.SetRho(rho)
		s.dual.SetRhoRatios(shares)
		s.outer.Metric, s.data = m, m.Data
	}
}

// adaptToBatchSize lowers the number of dual updates if rounds would have too few steps. If a step has
// several samples, adaptToBatchSize also sets MeanCurvature, which the automatic step size needs: the largest
// over all processes, so that all have the same step size.
func (s *scas) adaptToBatchSize() {
	st, steps := &s.Stats, s.Settings.InnerSteps
	if st.BatchSize > 1 && s.Settings.DualUpdates == 0 { // a round of few steps changes x too little
		st.DualUpdates = max(1, min(st.DualUpdates, steps/st.BatchSize/32))
	}
	st.DualUpdates = max(1, min(st.DualUpdates, steps/st.BatchSize/2))
	curvature := 0.0
	if p := s.Problem; st.BatchSize > 1 {
		curvature = admm.MeanCurvature(p.loss().Curvature(), s.data, p.SampleWeights)
	}
	s.outer.MeanCurvature = s.Problem.team().MaxNumber(curvature)
}

func (s *scas) next() (bool, error) {
	t := s.Problem.team()
	if !t.Alone() { // restart, because a checkpoint has the random state of the first process only
		s.Samples.sampler.Restart(s.Settings.Seed, uint64(s.Stats.OuterIterations+1)<<32+uint64(t.Rank()))
	}
	if s.Settings.Schedule == Practical && !s.Affords(s.cost(s.Settings.InnerSteps)) {
		return false, nil
	}
	if more, err := s.outer.Next(); err != nil || !more {
		return false, err
	}
	if !t.Alone() {
		s.outer.Average(t, s.Problem.samples(s.Samples.rows).Mass())
	}
	s.Stats.Plan, s.Stats.PlanReason = s.rowSet.Plan.Name(), s.rowSet.Plan.Reason()
	s.Average()
	return true, nil
}

// curvatureHere returns the curvature that limits the step size at the snapshot: the largest result of
// RowCurvature.AtMargins over all processes.
func (s *scas) curvatureHere() float64 {
	if s.rowCurvature == nil {
		s.rowCurvature = admm.NewRowCurvature(s.data, s.Problem.SampleWeights)
	}
	return s.Problem.team().MaxNumber(s.rowCurvature.AtMargins(s.Problem.loss(), s.Snapshot.Margin,
		s.Snapshot.Slope, s.Problem.Labels))
}

// automaticEta returns the automatic step size at the iterate. It takes a snapshot there.
func (s *scas) automaticEta() float64 {
	s.takeSnapshot()
	return s.outer.NaturalEta(s.Stats.OuterIterations)
}

// checkInnerLoop checks the settings of the inner loop of SCAS-ADMM and of the theorem schedule.
func (s *Settings) checkInnerLoop(info MethodInfo, p *Problem) error {
	n := p.team().MeanCount(len(p.Labels))
	bounded := p.Domain != nil && !math.IsInf(p.Domain.Diameter(), 1)
	theoremSchedule := s.Schedule == Theorem
	m := s.InnerSteps
	err := cmp.Or(
		require(info.Theorem != 2 || p.Domain == nil, "Method", info.Name, "Algorithm 2 is for X = R^p",
			sparse.Remedy{Field: "Problem.Domain", To: "nil"},
			useMethod(nameOf(SCASK{})+" or "+nameOf(SCAS{}))),
		require(info.Theorem != 2 || !theoremSchedule || p.L2 > 0, "Schedule", s.Schedule,
			"Theorem 2 needs strong convexity", raiseL2),
		require(info.Theorem != 1 || !theoremSchedule || bounded, "Schedule", s.Schedule,
			"Theorem 1 needs a bounded domain", sparse.Remedy{Field: "Problem.Domain", To: "a Box or Ball"}),
		require(!theoremSchedule || s.BatchSize <= 1, "BatchSize", s.BatchSize,
			"the theorems are for steps of one sample", leaveZero),
		require(s.DualUpdates <= m, "DualUpdates", s.DualUpdates,
			fmt.Sprintf("it must lie between 1 and the %d inner steps", m), useDefault),
		require(s.BatchSize <= max(1, m/2), "BatchSize", s.BatchSize,
			fmt.Sprintf("it must lie between 1 and half the %d inner steps", m), useDefault),
	)
	if err != nil || theoremSchedule {
		return err
	}
	return s.CheckBudget(1 + float64(m)/float64(n))
}
