package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A Spec says what is minimised, and how; see the package comment for the formula. The zero
// value of every field is the default. A Spec is only read.
type Spec struct {
	// Loss is φ; nil means solver.Logistic. Logistic and SquaredHinge are for classes
	// of any values, Squared and Huber for numbers, Poisson for numbers that are not negative.
	Loss solver.Loss
	// Lambda ≥ 0 is the weight of the penalty beside the mean loss. Path and CV choose
	// their own and ignore it.
	Lambda float64
	// Penalty is R; nil means the lasso.
	Penalty Penalty
	// Graph has a node for each feature. The coefficients of features that an edge joins tend to be
	// equal or, if the weight of the edge is negative, opposite. nil means no graph.
	Graph *graph.Graph
	// A, unless nil, is a matrix with a column for each feature: R is then the sum of |(A (s·b))_k| over
	// its rows. It excludes Graph, ElasticNet and PenaltyFactors.
	A *sparse.CSR
	// Fusion is the weight of the differences along the graph, relative to the coefficients: zero means 1.
	// To penalise only the differences, set PenaltyFactors to zeros.
	Fusion float64
	// Mu ≥ 0 adds the ridge (Mu/2) Σⱼ (sⱼbⱼ)², which Lambda does not multiply. MuA ≥ 0 adds (MuA/2)|A
	// (s·b)|²; with a Graph A is [G; I], and with neither Graph nor A it is I.
	Mu, MuA float64
	// Domain confines the coefficients of the data as given, but not the intercept; nil confines none.
	// A solver.Box has bounds for each coefficient, such as their signs. Other sets need NoIntercept
	// and StandardizeOff.
	Domain solver.Domain
	// NoIntercept leaves the intercept out.
	NoIntercept bool
	// Standardize says whether features are penalised on the scale of their standard
	// deviations.
	Standardize Standardize
	// PenaltyFactors has a factor ≥ 0 for each feature, 0 for one that is not penalised;
	// nil means ones. They are not normalised.
	PenaltyFactors []float64
	// SampleWeights has a weight ≥ 0 for each row, nil meaning ones.
	SampleWeights []float64
	// ClassWeights has a factor for the weights of the rows of a label; other labels have the
	// factor 1.
	ClassWeights map[float64]float64
	// Balanced makes both classes count the same, or each of several and the rest; it excludes
	// ClassWeights.
	Balanced bool
	// Offsets has a number oᵢ for each row that is added to its margin; nil means zeros.
	Offsets []float64
	// Positive is the label that is the positive class of two; nil means the larger. With it,
	// labels of more than two values are an error.
	Positive *float64
	// Start is a model from which Fit begins, with the same number of features, such as a model of fewer
	// rows or another Lambda. If it has the same classes, or some of them, fewer steps are
	// needed. The proof does not depend on it. nil means none; Path and CV ignore it.
	Start *Model
	// Features are names for the model; nil means none.
	Features []string
	// IndexBase is the number of the first feature in the files of the data, 0 or
	// 1, which the model keeps. Indices in Go count from 0 whatever it is.
	IndexBase int
	// Comm joins processes that each have a shard of the rows, at least one row. Data, labels,
	// SampleWeights and Offsets belong to the shard; everything else is the same in all processes. They
	// call Fit, Path, CV and LambdaMax together, and end a Path at the same step. nil means that this
	// process has all rows.
	Comm dist.Comm

	// Settings say how to solve. The default, a nil Method or solver.Auto and zeros for the settings
	// that only iterations of package solver have, is a proximal Newton method with a proved result.
	// If the problem does not allow that method, if Method is another one, or if one of those
	// settings is set, solver.Minimize solves the problem. A method that does not take the problem
	// is a *MethodError.
	//
	// RelTol is relative to the objective at b = 0, c = 0 with the Offsets; with Poisson loss, at
	// b = 0 and the best c. The folds of CV are drawn with Seed. The Recorder and the Logger are
	// called by solver.Minimize only, with the coefficients of standardised features, and with
	// more than two classes by several goroutines. The Checkpoint keeps the classes that are
	// fitted, and of solver.Minimize the state; a fit continues from there if data and
	// specification are the same. With Comm, a Checkpoint makes Auto the default. Path and CV take
	// no Checkpoint. Settings.Start is not used: see Spec.Start.
	solver.Settings
	// Average stores the averaged iterate of the method (Result.XAverage of package solver) in the model,
	// instead of the last iterate.
	Average bool
	// Memory, unless zero, fits out of core: it is the approximate number of bytes that a fit may
	// take, in each process with Comm, to pass over mapped data (sparse.CSR.Mapped) that are
	// larger. The labels of two classes are then −1 and +1. All penalties, and a Graph, are
	// possible with up to 2,047 features. The only methods are the default and, for
	// any number of features, but without an intercept, standardising and offsets, solver.SCASK
	// and solver.SCASL. Results depend on Memory within RelTol.
	Memory int64
	// Progress, unless nil, is called during fits with Memory.
	Progress func(Progress)
	// Fitted, unless nil, is called if there are more than two classes: by Fit after each fitted class,
	// and by CV after the path of each class on all rows. done is the number of classes so far, of total.
	// Calls do not overlap.
	Fitted func(done, total int)

	unproved bool // the models are only judged on other rows: see exact.Settings.Unproved
}

// Standardize says whether the penalty uses the scale of the standard deviations, as if features were
// standardised before the fit and coefficients scaled back after it. Features are never centred: with
// an intercept this would change nothing else.
type Standardize string

// The choices.
const (
	// StandardizeAuto is StandardizeOff with a graph or A, so that the coefficients of the model become
	// equal, and StandardizeOn without.
	StandardizeAuto Standardize = ""
	// StandardizeOn divides each feature by its weighted standard deviation (divisor Σω); a constant
	// feature stays as it is. With a graph, the coefficients of the standardised features become equal.
	StandardizeOn Standardize = "on"
	// StandardizeOff takes features as they are.
	StandardizeOff Standardize = "off"
)

// A Penalty is R: ElasticNet or GroupLasso; nil is the lasso.
type Penalty interface {
	check(s *Spec, p int) error
	name() string
}

// ElasticNet mixes |b|₁ and ½|b|².
type ElasticNet struct {
	// L1Ratio, between 0 and 1, is the share of |b|₁: 1 is the lasso, 0 ridge
	// regression.
	L1Ratio float64
}

func (e ElasticNet) check(*Spec, int) error {
	if !(e.L1Ratio >= 0 && e.L1Ratio <= 1) {
		return fmt.Errorf("model: ElasticNet.L1Ratio = %v; it must be between 0, ridge, and 1, the lasso", e.L1Ratio)
	}
	return nil
}

func (ElasticNet) name() string { return "elastic-net" }

// GroupLasso makes groups of coefficients zero together. Results are proved up to some
// thousands of features.
type GroupLasso struct {
	// Groups are disjoint sets of features. With a Graph or A they are sets of rows of A = [G; I], the
	// rows of the edges first. Features or rows in no group are not penalised.
	Groups [][]int
	// Weights has a weight ≥ 0 for each group; nil means the square root of its size.
	Weights []float64
}

func (g GroupLasso) check(s *Spec, p int) error {
	of, there := "feature", "the data have"
	if s.couples() {
		of, there = "row", "A has"
		if s.A != nil {
			p, _ = s.A.Dims()
		} else {
			p += len(s.Graph.Edges())
		}
	}
	owner := make([]int, p)
	for k, members := range g.Groups {
		for _, j := range members {
			if j < 0 || j >= p {
				return fmt.Errorf("model: GroupLasso.Groups[%d] has %s %d; %s 0..%d", k, of, j, there, p-1)
			}
			if owner[j] != 0 {
				return fmt.Errorf("model: GroupLasso.Groups[%d] and [%d] share %s %d; groups must be disjoint", owner[j]-1, k, of, j)
			}
			owner[j] = k + 1
		}
	}
	if g.Weights != nil && len(g.Weights) != len(g.Groups) {
		return fmt.Errorf("model: GroupLasso.Weights has length %d; there are %d groups", len(g.Weights), len(g.Groups))
	}
	for k, w := range g.Weights {
		if !finite(w) || w < 0 {
			return fmt.Errorf("model: GroupLasso.Weights[%d] = %v; it must be finite and not negative", k, w)
		}
	}
	return nil
}

func (GroupLasso) name() string { return "group-lasso" }

// weights returns the weight of each group.
func (g GroupLasso) weights() []float64 {
	if g.Weights != nil {
		return g.Weights
	}
	weights := make([]float64, len(g.Groups))
	for k, members := range g.Groups {
		weights[k] = math.Sqrt(float64(len(members)))
	}
	return weights
}

// factors returns the penalty factors of p features, nil for ones. With a GroupLasso they
// are 1 for the features that it penalises, and 0 for the others.
func (s *Spec) factors(p int) []float64 {
	g, ok := s.Penalty.(GroupLasso)
	if !ok || s.couples() {
		return s.PenaltyFactors
	}
	factors := make([]float64, p)
	for k, w := range g.weights() {
		for _, j := range g.Groups[k] {
			if w > 0 {
				factors[j] = 1
			}
		}
	}
	return factors
}

// stateless returns an error if there is a checkpoint.
func (s *Spec) stateless() error {
	if s != nil && s.Checkpoint != nil {
		return errors.New("model: Settings.Checkpoint is for Fit; other calls keep no state")
	}
	return nil
}

// couples reports whether the penalty is a function of A b.
func (s *Spec) couples() bool { return s.Graph != nil || s.A != nil }

// l1Ratio returns r, 1 without an elastic net.
func (s *Spec) l1Ratio() float64 {
	if e, ok := s.Penalty.(ElasticNet); ok {
		return e.L1Ratio
	}
	return 1
}

func (s *Spec) loss() solver.Loss {
	if s.Loss == nil {
		return solver.Logistic{}
	}
	return s.Loss
}

func (s *Spec) fusion() float64 {
	if s.Fusion == 0 {
		return 1
	}
	return s.Fusion
}

func (s *Spec) standardizes() bool {
	return s.Standardize == StandardizeOn || s.Standardize == StandardizeAuto && !s.couples()
}

// relTol returns the accuracy to prove, 0 if none is asked for.
func (s *Spec) relTol() float64 {
	switch {
	case s.RelTol == 0 && s.named() == nil:
		return 1e-6
	case s.RelTol < 0:
		return 0
	}
	return s.RelTol
}

// threads returns the number of goroutines.
func (s *Spec) threads() int {
	if s.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return s.Threads
}

// errTime is the cause of a context whose time limit has passed.
var errTime = errors.New("model: time limit reached")

// limit returns ctx with the time limit.
func (s *Spec) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.TimeLimit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.TimeLimit, errTime)
}

// streams reports whether the fit is out of core.
func (s *Spec) streams() bool { return s.Memory > 0 }

// badSettings reports the first setting that is negative.
func (s *Spec) badSettings() error {
	switch {
	case s.TimeLimit < 0:
		return fmt.Errorf("model: Settings.TimeLimit = %v; it must be positive, or 0 for no limit", s.TimeLimit)
	case s.Threads < 0:
		return fmt.Errorf("model: Settings.Threads = %d; it must be positive, or 0 for GOMAXPROCS", s.Threads)
	case s.Memory < 0:
		return fmt.Errorf("model: Spec.Memory = %d; it must be positive, or 0 for data that fit in memory", s.Memory)
	}
	return nil
}

// classifies reports whether the loss is for labels of two classes.
func classifies(l solver.Loss) bool { return traits(l).Labels == term.Classes }

func traits(l solver.Loss) term.Traits { return term.LossOf(l).Traits() }

// check reports the first thing wrong with the specification for n rows of p features.
func (s *Spec) check(n, p int) error {
	for _, part := range []struct {
		name string
		v    []float64
		want int
		of   string
	}{{"PenaltyFactors", s.PenaltyFactors, p, "features"}, {"SampleWeights", s.SampleWeights, n, "rows"}, {"Offsets", s.Offsets, n, "rows"}} {
		if part.v != nil && len(part.v) != part.want {
			return fmt.Errorf("model: Spec.%s has length %d; the data have %d %s", part.name, len(part.v), part.want, part.of)
		}
		for i, v := range part.v {
			if offsets := part.name == "Offsets"; !finite(v) && offsets {
				return fmt.Errorf("model: Spec.Offsets[%d] = %v; it must be finite", i, v)
			} else if !finite(v) || v < 0 && !offsets {
				return fmt.Errorf("model: Spec.%s[%d] = %v; it must be finite and not negative", part.name, i, v)
			}
		}
	}
	switch {
	case !(s.Lambda >= 0) || math.IsInf(s.Lambda, 0):
		return fmt.Errorf("model: Spec.Lambda = %v; it must be finite and not negative", s.Lambda)
	case !(s.Fusion >= 0) || math.IsInf(s.Fusion, 0):
		return fmt.Errorf("model: Spec.Fusion = %v; it must be positive and finite, or 0 for 1", s.Fusion)
	case !(s.Mu >= 0) || math.IsInf(s.Mu, 0):
		return fmt.Errorf("model: Spec.Mu = %v; it must be finite and not negative", s.Mu)
	case !(s.MuA >= 0) || math.IsInf(s.MuA, 0):
		return fmt.Errorf("model: Spec.MuA = %v; it must be finite and not negative", s.MuA)
	case !slices.Contains([]Standardize{StandardizeAuto, StandardizeOn, StandardizeOff}, s.Standardize):
		return fmt.Errorf("model: Spec.Standardize = %q; choose on, off or the empty string", s.Standardize)
	case s.IndexBase != 0 && s.IndexBase != 1:
		return fmt.Errorf("model: Spec.IndexBase = %d; it must be 0 or 1", s.IndexBase)
	case s.Start != nil && s.Start.featureCount() != p:
		return fmt.Errorf("model: Spec.Start has %d features; the data have %d", s.Start.featureCount(), p)
	case s.Features != nil && len(s.Features) != p:
		return fmt.Errorf("model: Spec.Features has %d names; the data have %d features", len(s.Features), p)
	case s.Balanced && s.ClassWeights != nil:
		return fmt.Errorf("model: Spec.Balanced and Spec.ClassWeights are both set; choose one")
	case !(s.RelTol < 1):
		return fmt.Errorf("model: Settings.RelTol = %v; it must be below 1, or 0 for the default", s.RelTol)
	case s.Settings.Start.X != nil || s.Settings.Start.Y != nil || s.Settings.Start.Dual != nil:
		return errors.New("model: Settings.Start is of package solver; set Spec.Start")
	}
	if err := s.badSettings(); err != nil {
		return err
	}
	if err := s.checkCombination(p); err != nil {
		return err
	}
	if err := s.checkMethod(); err != nil {
		return err
	}
	if s.Penalty != nil {
		if err := s.Penalty.check(s, p); err != nil {
			return err
		}
	}
	return s.checkDomain(p)
}

// checkDomain returns an error if the domain is not valid, or if it is not a box and the specification
// has an intercept, standardised features, or penalty factors with an elastic net.
func (s *Spec) checkDomain(p int) error {
	if s.Domain == nil {
		return nil
	}
	if err := s.Domain.Validate(p); err != nil {
		return fmt.Errorf("model: Spec.Domain: %s", strings.TrimPrefix(err.Error(), "solver: "))
	}
	if region := term.SetOf(s.Domain).Region(p); region != nil {
		if _, box := region.Box(); box {
			return nil
		}
	}
	switch {
	case !s.NoIntercept:
		return fmt.Errorf("model: Spec.Domain %T holds no intercept; set NoIntercept", s.Domain)
	case s.standardizes():
		return fmt.Errorf("model: Spec.Domain %T is of features as they are; set Standardize to StandardizeOff", s.Domain)
	case s.l1Ratio() < 1 && s.PenaltyFactors != nil:
		return fmt.Errorf("model: Spec.Domain %T with an ElasticNet takes no PenaltyFactors; leave them nil", s.Domain)
	}
	return nil
}

// checkCombination reports parts of the specification that do not go together.
func (s *Spec) checkCombination(p int) error {
	_, grouped := s.Penalty.(GroupLasso)
	if s.A != nil {
		if _, columns := s.A.Dims(); columns != p {
			return fmt.Errorf("model: Spec.A has %d columns; the data have %d features", columns, p)
		}
	}
	switch {
	case s.Graph != nil && s.Graph.Nodes() != p:
		return fmt.Errorf("model: Spec.Graph has %d nodes; the data have %d features", s.Graph.Nodes(), p)
	case s.Graph != nil && s.A != nil:
		return fmt.Errorf("model: Spec.Graph and Spec.A are both set; choose one")
	case s.A != nil && (s.l1Ratio() < 1 || s.PenaltyFactors != nil):
		return fmt.Errorf("model: Spec.A takes no ElasticNet and no PenaltyFactors; multiply its rows, and for squares set Mu or MuA")
	case grouped && s.MuA > 0:
		return fmt.Errorf("model: a GroupLasso takes no MuA; set Mu")
	case s.Graph == nil && s.Fusion != 0:
		return fmt.Errorf("model: Spec.Fusion = %v without a Graph; leave it 0", s.Fusion)
	case grouped && s.PenaltyFactors != nil:
		return fmt.Errorf("model: a GroupLasso takes no PenaltyFactors; give it Weights")
	case !classifies(s.loss()) && (s.Balanced || s.ClassWeights != nil || s.Positive != nil):
		return fmt.Errorf("model: Balanced, ClassWeights and Positive are for classification; the %s loss is for numbers", s.loss())
	}
	return nil
}
