package model

import (
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Model is a linear model with a summary of its data and its fit. The margin of a column for a row x is
// x'Coefficients + Intercept. The methods of a Model only read it, so several goroutines may use one Model at
// the same time.
type Model struct {
	// Loss is the loss that was fitted; nil means solver.Logistic.
	Loss solver.Loss
	// Classes are the labels; zero if the model predicts numbers.
	Classes sparse.Classes
	// Columns has one Column if the model predicts numbers. If it predicts more than two classes, Columns has
	// a Column for each of them, in the order of Classes. Two classes may have two Columns, too, but the fits
	// of this package give them one, whose margin is positive for the second class.
	Columns []Column
	// HasIntercept says whether intercepts were fitted.
	HasIntercept bool
	// Features are the names of the features; nil means no names.
	Features []string
	// LabelColumn and OffsetColumn are the names of columns of a table. Fill maps names of columns to the
	// numbers that replace missing values. FitData sets these fields if the data were a table.
	LabelColumn  string
	OffsetColumn string
	Fill         map[string]float64
	// IndexBase is the number of the first feature in data files, 0 or 1.
	IndexBase int

	Summary FitSummary
}

// A Column is a vector of coefficients with its intercept, and a summary of the fit.
type Column struct {
	// Coefficients has a coefficient for each feature. They apply to the data as given, even if features
	// were standardised.
	Coefficients []float64
	// Intercept is the constant term of the margin.
	Intercept float64
	// Groups lists sets of features whose coefficients are not zero and are tied, by a graph or by rows of A
	// with two entries: they are equal up to fixed factors. nil means that no ties are known.
	Groups [][]int

	Certificate Certificate
	Run         FitRun
}

// A FitSummary describes the data and the specification of a fit.
type FitSummary struct {
	Rows       int     `json:"n,omitempty"`
	NNZ        int64   `json:"nnz,omitempty"`
	Lambda     float64 `json:"lambda"`
	Penalty    string  `json:"penalty,omitempty"`  // lasso, elastic-net or group-lasso
	L1Ratio    float64 `json:"l1_ratio,omitempty"` // ElasticNet.L1Ratio
	GraphEdges int     `json:"graph_edges,omitempty"`
	Fusion     float64 `json:"fusion,omitempty"`
	ARows      int     `json:"a_rows,omitempty"` // number of rows of Spec.A
	Mu         float64 `json:"mu,omitempty"`
	MuA        float64 `json:"mu_a,omitempty"`
	// Domain is nonnegative, box, box:LOWER,UPPER, ball:RADIUS, simplex:TOTAL, or the Go type of a domain of
	// the caller; empty for no domain.
	Domain       string              `json:"domain,omitempty"`
	Standardized bool                `json:"standardized,omitempty"`
	Weighted     bool                `json:"weighted,omitempty"` // the rows had weights
	Balanced     bool                `json:"balanced,omitempty"`
	Offsets      bool                `json:"offsets,omitempty"` // the rows had offsets
	ClassWeights map[float64]float64 `json:"-"`
}

// A Certificate says how far a Column is from the optimum of its problem.
type Certificate struct {
	// Objective is the value of the objective at the model. MeanLoss and Ridge are parts of it: the mean
	// loss, and the term that Spec.Mu adds.
	Objective, MeanLoss, Ridge float64
	// Gap bounds the objective at the model minus the optimum. It includes the rounding errors of its
	// computation, but not the rounding error of Objective, which may be larger if the penalty of the model
	// is much larger than the loss. Gap is +Inf if no bound is proved.
	Gap float64
	// RelTol is the relative accuracy that the fit had to prove; 0 if no proof was requested.
	RelTol float64
	// Status says how the fit ended.
	Status solver.Status
	// NoOptimum is true if the fit found that the objective has no minimum. Coefficients without a penalty
	// then separate the classes (Albert and Anderson 1984), or (with the Poisson loss) can make the rates of
	// rows with count 0 as small as one likes. Gap bounds Objective minus the infimum.
	NoOptimum bool
}

// A FitRun says how the fit of a Column was made.
type FitRun struct {
	// Stats are the statistics of the method; a model file keeps some of them. Seconds and SetupSeconds are
	// 0, so that equal fits give equal models.
	solver.Stats
	Seed     uint64          `json:"seed"`
	Schedule solver.Schedule `json:"schedule,omitempty"` // Settings.Schedule
	Float32  bool            `json:"float32,omitempty"`  // Settings.Float32
	Average  bool            `json:"average,omitempty"`  // the coefficients are the average of the iterates
	// Last describes the last iterate; nil if it is not known.
	Last *LastIterate `json:"-"`
}

// A LastIterate has the objective and the residuals of the last iterate of a method, before small
// coefficients became zero and similar coefficients became equal.
type LastIterate struct {
	Objective, PrimalResidual, DualResidual float64
}

// Classifies reports whether the model predicts classes, not numbers.
func (m *Model) Classifies() bool { return !m.Classes.IsZero() }

// hasPositive reports whether the model has one column for two classes, a negative and a positive one.
func (m *Model) hasPositive() bool { return len(m.Classes.Values) == 2 && len(m.Columns) < 2 }

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

func (m *Model) loss() term.Loss { return term.LossOf(m.Loss) }
