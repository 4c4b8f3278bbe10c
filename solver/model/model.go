package model

import (
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A Model is a linear model with a summary of its data and its fit. It has one column of coefficients
// if it predicts numbers or two classes. For more classes it has one column for each class, fitted
// against the rest. Each column has a margin for a row: xᵢ'Coefficients + Intercept. The methods of a
// Model only read it, so several goroutines may use one Model at the same time.
type Model struct {
	// Loss is the loss of the fit; it defines what a margin means. nil means solver.Logistic.
	Loss solver.Loss
	// Labels are the labels of two classes; zero for numbers and for more classes.
	Labels sparse.LabelMapping
	// Classes are the labels of more than two classes, in increasing order; zero otherwise.
	// FitData sets Classes.Names if the classes are words.
	Classes sparse.Classes
	// Columns has one Column for numbers and two classes, or one for each class, in the order of Classes.
	Columns []Column
	// HasIntercept says whether intercepts were fitted.
	HasIntercept bool
	// Features are the names of the features; nil if they have no names.
	Features []string
	// FitData sets Target, Offset and Fill for the data of a table; they are empty for other data.
	// Target is the name of the label column, and Offset the name of the offset column. Fill maps the
	// name of each numeric column to the number that replaces its missing values.
	Target string
	Offset string
	Fill   map[string]float64
	// IndexBase is the number of the first feature in files, 0 or 1.
	IndexBase int

	Summary FitSummary
}

// A Column is a vector of coefficients with its intercept, and a summary of the fit.
type Column struct {
	// Coefficients has a coefficient for each feature, on the scale of the data.
	Coefficients []float64
	// Intercept is added to the margin of each row.
	Intercept float64
	// Groups lists groups of features that a graph ties. The coefficients of a group are equal up to
	// sign, and not zero. If features are standardised, this holds for the coefficients of the
	// standardised features. Groups is nil if no coefficients are exactly tied.
	Groups [][]int

	Certificate Certificate
	Run         FitRun
}

// A FitSummary describes the data and the specification of a fit.
type FitSummary struct {
	Rows         int                 `json:"n,omitempty"`
	NNZ          int64               `json:"nnz,omitempty"`
	Lambda       float64             `json:"lambda"`
	Penalty      string              `json:"penalty,omitempty"`  // lasso, elastic-net or group-lasso
	L1Ratio      float64             `json:"l1_ratio,omitempty"` // L1Ratio of an elastic net
	GraphEdges   int                 `json:"graph_edges,omitempty"`
	Fusion       float64             `json:"fusion,omitempty"`
	ARows        int                 `json:"a_rows,omitempty"` // number of rows of a matrix A
	Mu           float64             `json:"mu,omitempty"`
	MuA          float64             `json:"mu_a,omitempty"`
	Domain       string              `json:"domain,omitempty"` // nonnegative, box, box:LOWER,UPPER, ball:RADIUS or simplex:TOTAL
	Standardized bool                `json:"standardized,omitempty"`
	Weighted     bool                `json:"weighted,omitempty"` // rows had weights
	Balanced     bool                `json:"balanced,omitempty"`
	Offsets      bool                `json:"offsets,omitempty"` // rows had offsets; predictions need offsets, too
	ClassWeights map[float64]float64 `json:"-"`
}

// A Certificate says how far a column is from the optimum of its problem.
type Certificate struct {
	// Objective is the value of the objective at the model. MeanLoss is its first term, the mean loss.
	// Ridge is its term (Mu/2) Σⱼ (sⱼbⱼ)².
	Objective, MeanLoss, Ridge float64
	// Gap bounds the objective at the model minus the optimum, including the rounding errors of the bound.
	// It is +Inf if no bound is proved.
	Gap float64
	// RelTol is the relative accuracy that the fit had to prove; 0 if no proof was requested.
	RelTol float64
	// Status says how the fit ended.
	Status solver.Status
	// NoOptimum says that the objective has no minimum. Gap then bounds Objective minus the infimum.
	// The coefficients that are not penalised separate the classes (Albert and Anderson 1984), or make
	// rates of rows with count 0 ever smaller. These coefficients grow without limit as RelTol falls.
	NoOptimum bool
}

// A FitRun says how a column was fitted.
type FitRun struct {
	// Stats are the statistics of the method. Model files keep Method, the counts of steps and passes,
	// Eta, Rho, InnerSteps, and a BatchSize above 1. Seconds and SetupSeconds are 0, because nothing in a
	// Model depends on the machine. The methods proximal-newton and streamed-newton set only Method,
	// NewtonSteps and Passes.
	solver.Stats
	Seed     uint64          `json:"seed"`
	Schedule solver.Schedule `json:"schedule,omitempty"` // Settings.Schedule of the specification
	Float32  bool            `json:"float32,omitempty"`  // values were rounded to 32 bits
	Average  bool            `json:"average,omitempty"`  // the model has the average of the iterates, not the last
	// Last describes the last iterate. It is nil if solver.Minimize did not fit the model, if the model
	// has the average of the iterates, and if the model was read from a file.
	Last *LastIterate `json:"-"`
}

// A LastIterate has the objective and the residuals of the last iterate of solver.Minimize, before
// coefficients were made exactly zero or exactly equal; see solver.Result.
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

// className returns the name that class k has in files. Classes are numbered from 0. If there are
// two classes, the negative class is number 0.
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

// classOf returns the number of the class with this label, in the numbering of className. known is
// false if no class has this label.
func (m *Model) classOf(label float64) (k int, known bool) {
	if !m.Classes.IsZero() {
		return m.Classes.Find(label)
	}
	sign, known := m.Labels.Sign(label)
	return classOf(sign), known
}

// loss returns m.Loss, or the logistic loss if m.Loss is nil.
func (m *Model) loss() solver.Loss {
	if m.Loss == nil {
		return solver.Logistic{}
	}
	return m.Loss
}
