package paper

import (
	"context"

	"github.com/scas-admm/scas/solver"
)

// Facts describe a data set in a report.
type Facts struct {
	Name     string  `json:"name"`
	Rows     int     `json:"rows"`
	Features int     `json:"features"`
	NNZ      int64   `json:"nnz"`
	Positive float64 `json:"positive"` // share of samples
	Lambda   float64 `json:"lambda"`
	Original bool    `json:"original"`
	Whole    bool    `json:"whole"`
	Origin   string  `json:"origin"`
	Edges    int     `json:"edges"`
	RowsOfA  int     `json:"rows_of_a"`
	Joined   string  `json:"joined"` // how the graph was made
	// Constants of all samples with mu = 0.
	NuF     float64 `json:"nu_f"`
	Lambda1 float64 `json:"lambda_1"`
	LambdaP float64 `json:"lambda_p"`
}

// describe returns the facts of a data set.
func (d *Data) describe(ctx context.Context) (*Facts, error) {
	c, err := constants(ctx, &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: d.Lambda}, Constraint: d.A})
	f := d.facts
	f.NuF, f.Lambda1, f.LambdaP = c.NuF, c.Lambda1, c.LambdaP
	return &f, err
}
