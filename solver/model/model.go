package model

import (
	"cmp"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A Model is a linear model, xᵢ'Coefficients + Intercept, and where it comes from. Its
// methods only read it, so one may serve many goroutines.
type Model struct {
	// Loss is what was fitted; it says what margins mean.
	Loss solver.Loss
	// Labels are the two labels of classification, zero for regression.
	Labels sparse.LabelMapping
	// Coefficients has one of each feature, on the scale of the data.
	Coefficients []float64
	// Intercept is added to all margins; zero unless HasIntercept.
	Intercept    float64
	HasIntercept bool
	// Features are the names, nil if there are none.
	Features []string
	// Target is the name of the label column of the table that was fitted, Offset that of
	// the column of offsets, and Fill has what takes the place of missing values in its
	// columns of numbers; empty for other data. Fit knows none of them: who has read the
	// table sets them.
	Target string
	Offset string
	Fill   map[string]float64
	// IndexBase is the number of the first feature in files, 0 or 1.
	IndexBase int
	// Groups lists features that a graph ties, whose coefficients are equal up to sign, and not zero:
	// those of standardised features, if they were standardised. It is nil where ties are not exact.
	Groups [][]int

	Facts       Facts
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

// A Certificate says how far a model is from the optimum of its problem.
type Certificate struct {
	// Objective is what was minimised, at the model; MeanLoss is its first part.
	Objective, MeanLoss float64
	// Gap bounds the excess of Objective over the optimum, rounding included; +Inf if
	// nothing is proved.
	Gap float64
	// RelTol is what was asked for.
	RelTol float64
	// Status says how the fit ended.
	Status solver.Status
	// NoOptimum says that the objective has no least value, only a greatest lower bound,
	// which Gap is then about: coefficients that are not penalised tell the classes
	// apart, and grow without limit as RelTol falls; see Separates.
	NoOptimum bool
}

// A Run says what a fit took. Nothing in it depends on the machine.
type Run struct {
	Method          string  `json:"method,omitempty"`
	Seed            uint64  `json:"seed"`
	NewtonSteps     int     `json:"newton_steps,omitempty"`
	Passes          float64 `json:"passes,omitempty"`
	OuterIterations int     `json:"outer_iterations,omitempty"`
	DualUpdates     int     `json:"dual_updates,omitempty"`
	Eta             float64 `json:"eta,omitempty"`
	Rho             float64 `json:"rho,omitempty"`
}

// Classifies reports whether the model is one of two classes.
func (m *Model) Classifies() bool { return !m.Labels.IsZero() }

// NonZeros returns the number of coefficients that are not zero.
func (m *Model) NonZeros() (count int) {
	for _, v := range m.Coefficients {
		if v != 0 {
			count++
		}
	}
	return count
}

// loss returns Loss, nil being the logistic one.
func (m *Model) loss() solver.Loss {
	if m.Loss == nil {
		return solver.Logistic{}
	}
	return m.Loss
}

func sortWeights(w []classWeight) {
	slices.SortFunc(w, func(a, b classWeight) int { return cmp.Compare(a.Label, b.Label) })
}
