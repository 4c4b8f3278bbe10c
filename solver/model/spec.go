package model

import (
	"cmp"
	"runtime"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A Spec specifies the objective, by the formula of the package comment, and how it is minimised. The zero
// value of every field is the default. Functions that take a *Spec do not change it.
type Spec struct {
	// Loss is the loss function; nil means solver.Logistic. Logistic and SquaredHinge are for classes,
	// Squared and Huber for numbers, Poisson for numbers that are not negative. The labels of two classes may
	// be any numbers, those of more classes must be whole numbers.
	Loss solver.Loss
	// Lambda ≥ 0 is the factor of the penalty. Path and CV ignore it and use PathSettings.Lambdas.
	Lambda float64
	// Penalty is an ElasticNet or a GroupLasso; nil means the lasso.
	Penalty Penalty
	// Graph has a node for each feature; nil means no graph. Each edge adds a penalty on the difference of
	// its two coefficients or, if its weight is negative, on their sum.
	Graph *graph.Graph
	// A, unless nil, is a matrix with a column for each feature; see R in the package comment. A excludes
	// Graph, PenaltyFactors and an L1Ratio below 1.
	A *sparse.CSR
	// Fusion is the factor of the penalties of the edges of Graph; zero means 1. To penalise only the edges,
	// set PenaltyFactors to zeros. A GroupLasso excludes other factors than 1.
	Fusion float64
	// Mu ≥ 0 adds the ridge (Mu/2) |s·b|², and MuA ≥ 0 adds (MuA/2) |A (s·b)|²; see the package comment for s
	// and b. Here A is [G; I] for a Graph with incidence matrix G, and the identity I if there is neither a
	// Graph nor an A.
	Mu, MuA float64
	// Domain is the set of allowed coefficients, for the data as given; nil allows all. It does not limit the
	// intercept. Sets other than solver.Box and solver.Nonnegative require NoIntercept, and features that are
	// not standardised.
	Domain solver.Domain
	// NoIntercept leaves the intercept out.
	NoIntercept bool
	// Standardize says whether the penalty applies to the coefficients of standardised features.
	Standardize Standardize
	// PenaltyFactors has a factor ≥ 0 for each feature; nil means that all factors are 1. A feature with
	// factor 0 is penalised only by Graph, Mu and MuA.
	PenaltyFactors []float64
	// SampleWeights has a weight ≥ 0 for each row; nil means that all weights are 1. Each class needs a row
	// whose weight is positive after multiplication by ClassWeights.
	SampleWeights []float64
	// ClassWeights maps a label to a factor for the weights of its rows. Labels that are not in the map have
	// the factor 1.
	ClassWeights map[float64]float64
	// Balanced weights the rows so that both classes have the same total weight. With more than two classes
	// this holds for each fit of one class against all others. Balanced excludes ClassWeights.
	Balanced bool
	// Offsets has for each row a number oᵢ, which is added to the margin of the row; nil means zeros.
	Offsets []float64
	// Positive is the label of the positive class of two classes; nil means the larger label. If Positive is
	// set, more than two different labels are an error.
	Positive *float64
	// Start is a model from which Fit begins, such as a model for another Lambda. It must have the number of
	// features of the data. A model of other classes is ignored. nil means no model. Path and CV ignore
	// Start.
	Start *Model
	// Features are the names of the features, which the model keeps; nil means no names.
	Features []string
	// IndexBase is the number of the first feature in data files, 0 or 1. The model keeps it. Indices in Go
	// count from 0.
	IndexBase int
	// Comm connects processes that each have a shard of the rows, with at least one row; nil means that this
	// process has all rows. Data, labels, SampleWeights and Offsets are for the shard; everything else is the
	// same in all processes. The processes call Fit, Path, CV and LambdaMax together, and end a Path at the
	// same step.
	Comm dist.Comm

	// Settings say how to solve the problem. The default is a proximal Newton method that proves its result.
	// Fit calls solver.Minimize if Method or another setting, such as Passes, requires it, and for problems
	// that the proximal Newton method does not solve. If the method does not support the problem, the error
	// is a *solver.SettingError.
	//
	// RelTol is relative to the mean loss of a model whose coefficients are all 0. With Poisson loss, this
	// model has the best intercept. If its mean loss is 0, RelTol is relative to the mean loss at the point
	// of Domain nearest to 0 instead. Out of core, SCASK and SCASL do not use
	// this point; the gap to reach is then 0.
	//
	// CV draws the folds at random, with Seed.
	//
	// The Recorder is called only if solver.Minimize runs. If features are standardised, its points have the
	// coefficients of the standardised features. With more than two classes, several goroutines call it.
	//
	// Fits that run in parallel do not call Report. If all rows are in the memory of one process, these are
	// the fits of more than two classes, and those of the folds of CV. Calls of Report do not overlap.
	//
	// The Checkpoint stores the models of the classes fitted so far and the state of solver.Minimize. A fit
	// with the same data and specification continues from this state. With three or more classes, a
	// checkpoint of data of another size, or of another Lambda, loss, PenaltyFactors, ElasticNet, GroupLasso,
	// Mu or MuA, is an error; a Graph, A, Domain and weights are not compared. Path, CV, LambdaMax and fits
	// out of core do not allow a Checkpoint. Settings.Start and Settings.Memory are errors: set Spec.Start
	// and Spec.Memory.
	solver.Settings
	// Average stores the averaged iterate of the method (solver.Result.XAverage) in the model, instead of the
	// last iterate.
	Average bool
	// Memory, unless zero, selects a fit out of core, for mapped data (sparse.CSR.Mapped). It is the
	// approximate number of bytes that the fit may use in each process. The default method supports up to
	// 2,048 coefficients, the intercept included, and up to 256 of them without any penalty. The only other
	// methods are solver.SCASK and solver.SCASL. They support any number of features, but no intercept, no
	// standardised features, no offsets, only one process and at most two classes. For them the labels of two
	// classes must be −1 and +1, as in a Dataset, and +1 must be the positive class.
	Memory int64
	// ClassFitted, unless nil, is called if there are more than two classes: by Fit after each class, and by
	// Path and CV after the path of each class on all rows. done is the number of finished classes, and total
	// the number of all classes. Calls do not overlap.
	ClassFitted func(done, total int)

	// The Dataset of FitData, CVData or PathData, without its rows; zero for other calls.
	data     sparse.Dataset
	unproved bool      // the models need no proof; CV sets it for the models of the folds
	outFold  exclusion // the rows that a fit out of core leaves out; CV sets it
}

// An exclusion says which rows a fit out of core leaves out: the rows of a fold.
type exclusion struct {
	folds []int32 // the fold of each row; nil if all rows are fitted
	fold  int32   // the fold that is left out
}

// Standardize says whether the penalty applies to the coefficients of standardised features. The model has
// coefficients for the data as given. Features are never centred.
type Standardize string

// The values of Standardize:
const (
	// StandardizeAuto means StandardizeOff if there is a Graph or a matrix A, and StandardizeOn otherwise.
	StandardizeAuto Standardize = ""
	// StandardizeOn divides each feature by its standard deviation, weighted with the weights of the rows. A
	// constant feature stays as it is. With a Graph, the penalty compares coefficients of scaled features.
	StandardizeOn Standardize = "on"
	// StandardizeOff scales no features.
	StandardizeOff Standardize = "off"
)

// A Penalty is the function R of the package comment: ElasticNet or GroupLasso.
type Penalty interface {
	check(s *Spec, p int) error
	name() string
}

// ElasticNet is a mixture of |b|₁ and ½|b|².
type ElasticNet struct {
	// L1Ratio, between 0 and 1, is the weight of |b|₁; the weight of ½|b|² is 1 − L1Ratio. L1Ratio 1 is the
	// lasso, and L1Ratio 0 ridge regression.
	L1Ratio float64
}

func (e ElasticNet) check(*Spec, int) error {
	if !(e.L1Ratio >= 0 && e.L1Ratio <= 1) {
		return errorf("ElasticNet.L1Ratio = %v; it must be between 0, ridge, and 1, the lasso", e.L1Ratio)
	}
	return nil
}

func (ElasticNet) name() string { return "elastic-net" }

// GroupLasso is the sum of the weighted Euclidean norms of groups of coefficients. All coefficients of a
// group become zero together. The default method proves a gap for any number of features, with two exceptions:
// with several processes, and with a Graph or a matrix A for which the Cholesky factor of A'A is not sparse, it
// proves a gap if there are at most some thousands of features. Otherwise it makes passes of solver.SCASK, in
// most cases without a proof, and Poisson loss is an error.
type GroupLasso struct {
	// Groups are disjoint sets of features. With a matrix A they are sets of rows of A. With a Graph they are
	// sets of rows of [G; I] (see Spec.MuA), where the edges come before the features. Features or rows that
	// are in no group are not penalised.
	Groups [][]int
	// Weights has a weight ≥ 0 for each group; nil means the square roots of the group sizes.
	Weights []float64
}

func (g GroupLasso) check(s *Spec, p int) error {
	kind, phrase := "feature", "the data have"
	if s.couples() {
		kind, phrase = "row", "A has"
		if s.A != nil {
			p, _ = s.A.Dims()
		} else {
			p += len(s.Graph.Edges())
		}
	}
	groupOf := make([]int, p)
	for k, members := range g.Groups {
		for _, j := range members {
			if j < 0 || j >= p {
				return errorf("GroupLasso.Groups[%d] has %s %d; %s 0..%d", k, kind, j, phrase, p-1)
			}
			if groupOf[j] != 0 {
				return errorf("GroupLasso.Groups[%d] and [%d] share %s %d; groups must be disjoint",
					groupOf[j]-1, k, kind, j)
			}
			groupOf[j] = k + 1
		}
	}
	return checkNumbers("GroupLasso.Weights", g.Weights, len(g.Groups), "groups", false)
}

func (GroupLasso) name() string { return "group-lasso" }

// weight returns the weight of group k.
func (g GroupLasso) weight(k int) float64 {
	return term.GroupL2{Lambda: 1, Groups: g.Groups, Weights: g.Weights}.Limit(k)
}

// factors returns the penalty factors of p features, or nil if all factors are 1. If the penalty is a
// GroupLasso, and there is no Graph and no A, features in a group with a positive weight have factor 1, and
// all others factor 0.
func (s *Spec) factors(p int) []float64 {
	g, ok := s.Penalty.(GroupLasso)
	if !ok || s.couples() {
		return s.PenaltyFactors
	}
	factors := make([]float64, p)
	for k, members := range g.Groups {
		for _, j := range members {
			if g.weight(k) > 0 {
				factors[j] = 1
			}
		}
	}
	return factors
}

func (s *Spec) grouped() bool {
	_, grouped := s.Penalty.(GroupLasso)
	return grouped
}

func (s *Spec) couples() bool { return s.Graph != nil || s.A != nil }

func (s *Spec) l1Ratio() float64 {
	if e, ok := s.Penalty.(ElasticNet); ok {
		return e.L1Ratio
	}
	return 1
}

func (s *Spec) loss() term.Loss { return term.LossOf(s.Loss) }

func (s *Spec) fusion() float64 { return cmp.Or(s.Fusion, 1) }

func (s *Spec) standardizes() bool {
	return s.Standardize == StandardizeOn || s.Standardize == StandardizeAuto && !s.couples()
}

// relTol returns the relative accuracy that the fit must prove; 0 means no proof.
func (s *Spec) relTol() float64 {
	switch {
	case s.RelTol == 0 && s.methodExceptAuto() == nil:
		return 1e-6
	case s.RelTol < 0:
		return 0
	}
	return s.RelTol
}

func (s *Spec) threads() int { return cmp.Or(s.Threads, runtime.GOMAXPROCS(0)) }

// weighs reports whether the rows have weights.
func (s *Spec) weighs() bool { return s.SampleWeights != nil || s.ClassWeights != nil || s.Balanced }

// streams reports whether the fit is out of core.
func (s *Spec) streams() bool { return s.Memory > 0 }

// classifies reports whether the labels of the loss are classes, not numbers.
func classifies(l solver.Loss) bool { return term.LossOf(l).Traits().Labels == term.Classes }

// lossesForNumbers lists the names of the losses whose labels are numbers, for errors.
func lossesForNumbers() string {
	return term.NamesWith(func(t term.Traits) bool { return t.Labels == term.Numbers })
}

// region returns the domain in R^p. It returns nil if there is no domain, or if package solver does not have its
// type.
func (s *Spec) region(p int) term.Region {
	if set := term.SetOf(s.Domain); set != nil {
		return set.Region(p)
	}
	return nil
}

// box returns the domain as a box in R^p. ok is false if there is no domain, or if it is not a box.
func (s *Spec) box(p int) (box term.Box, ok bool) {
	box, ok = s.region(p).(term.Box)
	return box, ok
}
