package model

import (
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A Model is a linear model, and where it comes from. It has one column of coefficients for
// numbers and for two classes; for more classes it has one for each class, fitted against the
// rest. The margins of a row are xᵢ'Coefficients + Intercept, one for each column. The methods
// of a Model only read it, so one Model may serve many goroutines.
type Model struct {
	// Loss is the loss of the fit; it says what margins mean. nil means solver.Logistic.
	Loss solver.Loss
	// Labels are the labels of two classes; zero for numbers and for more classes.
	Labels sparse.LabelMapping
	// Classes are the labels of more than two classes, in increasing order; zero otherwise.
	// FitData sets Classes.Names of classes that are words.
	Classes sparse.Classes
	// Columns has one Column, or one for each of Classes, in their order.
	Columns []Column
	// HasIntercept says whether intercepts were fitted.
	HasIntercept bool
	// Features are the names, nil if there are none.
	Features []string
	// Target is the name of the label column of the table that was fitted, and Offset the name of
	// the column of offsets. Fill has the number for missing values of each column of
	// numbers. They are empty for other data. FitData sets them.
	Target string
	Offset string
	Fill   map[string]float64
	// IndexBase is the number of the first feature in files, 0 or 1.
	IndexBase int

	Facts Facts
}

// A Column is a vector of coefficients, and a summary of its fit.
type Column struct {
	// Coefficients has a coefficient for each feature, on the scale of the data.
	Coefficients []float64
	// Intercept is added to all margins.
	Intercept float64
	// Groups lists groups of features that a graph ties. Their coefficients are equal up to sign, and
	// not zero; with standardised features, these are the coefficients of the standardised features. It
	// is nil if ties are not exact.
	Groups [][]int

	Certificate Certificate
	Run         Run
}

// Facts describe the data and the specification of a fit.
type Facts struct {
	Rows         int                 `json:"n,omitempty"`
	NNZ          int64               `json:"nnz,omitempty"`
	Lambda       float64             `json:"lambda"`
	Penalty      string              `json:"penalty,omitempty"`  // lasso, elastic-net or group-lasso
	L1Ratio      float64             `json:"l1_ratio,omitempty"` // of an elastic net
	GraphEdges   int                 `json:"graph_edges,omitempty"`
	Fusion       float64             `json:"fusion,omitempty"`
	ARows        int                 `json:"a_rows,omitempty"` // of a matrix A
	Mu           float64             `json:"mu,omitempty"`
	MuA          float64             `json:"mu_a,omitempty"`
	Domain       string              `json:"domain,omitempty"` // nonnegative, box, box:LOWER,UPPER, ball:RADIUS or simplex:TOTAL
	Standardized bool                `json:"standardized,omitempty"`
	Weighted     bool                `json:"weighted,omitempty"` // rows had weights
	Balanced     bool                `json:"balanced,omitempty"`
	Offsets      bool                `json:"offsets,omitempty"` // rows had them: predictions want theirs
	ClassWeights map[float64]float64 `json:"-"`
}

// A Certificate says how far a column is from the optimum of its problem.
type Certificate struct {
	// Objective is the objective of the fit at the model. MeanLoss is its first part, and Ridge its part
	// (Mu/2) Σⱼ (sⱼbⱼ)².
	Objective, MeanLoss, Ridge float64
	// Gap bounds the excess of Objective over the optimum, rounding included; +Inf if
	// nothing is proved.
	Gap float64
	// RelTol is the accuracy that the fit was asked for; 0 if it was not asked to prove one.
	RelTol float64
	// Status says how the fit ended.
	Status solver.Status
	// NoOptimum says that the objective has no least value. Gap is then about its greatest lower
	// bound. Coefficients that are not penalised separate the classes,
	// and grow without limit as RelTol falls (Albert and Anderson 1984).
	NoOptimum bool
}

// A Run says how a column was fitted.
type Run struct {
	// Stats has what the method did. Model files keep Method, the counts of steps and passes, Eta, Rho,
	// InnerSteps, and a BatchSize above 1. Seconds and SetupSeconds are 0, because nothing in a Model
	// depends on the machine. Of the exact solvers of this package, proximal-newton and
	// streamed-newton, it has Method, NewtonSteps and Passes.
	solver.Stats
	Seed     uint64          `json:"seed"`
	Schedule solver.Schedule `json:"schedule,omitempty"` // of the settings
	Float32  bool            `json:"float32,omitempty"`  // values were rounded to 32 bits
	Average  bool            `json:"average,omitempty"`  // the model has the average of the iterates, not the last
	// Last is nil if the run was not by package solver, if the model has the average, and in models
	// from files.
	Last *LastIterate `json:"-"`
}

// A LastIterate is the last iterate of a run of package solver before zeros and ties were made
// exact; see solver.Result.
type LastIterate struct {
	Objective, PrimalResidual, DualResidual float64
}

// Classifies reports whether the model predicts classes, not numbers.
func (m *Model) Classifies() bool { return !m.Labels.IsZero() || !m.Classes.IsZero() }

// featureCount returns the number of features.
func (m *Model) featureCount() int {
	if len(m.Columns) == 0 {
		return 0
	}
	return len(m.Columns[0].Coefficients)
}

// NonZeros returns the number of coefficients that are not zero, in all columns.
func (m *Model) NonZeros() (count int) {
	for k := range m.Columns {
		for _, v := range m.Columns[k].Coefficients {
			if v != 0 {
				count++
			}
		}
	}
	return count
}

// className returns the name of class k in files, counted from 0. Of two classes the
// negative one is number 0.
func (m *Model) className(k int) string {
	if m.Classes.IsZero() {
		return m.Labels.Name(float64(2*k - 1))
	}
	return m.Classes.Name(k)
}

// classCount returns the number of classes, 0 for numbers.
func (m *Model) classCount() int {
	switch {
	case !m.Classes.IsZero():
		return len(m.Classes.Values)
	case !m.Labels.IsZero():
		return 2
	}
	return 0
}

// classOf returns the number of the class of a label, as className counts.
func (m *Model) classOf(label float64) (k int, known bool) {
	if !m.Classes.IsZero() {
		return m.Classes.Find(label)
	}
	sign, known := m.Labels.Sign(label)
	return classOf(sign), known
}

// loss returns Loss, nil being the logistic one.
func (m *Model) loss() solver.Loss {
	if m.Loss == nil {
		return solver.Logistic{}
	}
	return m.Loss
}
