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
	Joined   string  `json:"joined"`
	// Constants of all samples with mu = 0.
	NuF     float64 `json:"nu_f"`
	Lambda1 float64 `json:"lambda_1"`
	LambdaP float64 `json:"lambda_p"`
}

// facts returns those of a data set.
func (d *Data) facts(ctx context.Context) (*Facts, error) {
	n, p := d.X.Dims()
	l, _ := d.A.Dims()
	c, err := constants(ctx, &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: d.Lambda}, Constraint: d.A})
	if err != nil {
		return nil, err
	}
	return &Facts{
		Name: d.Name, Rows: n, Features: p, NNZ: d.X.NNZ(), Positive: d.Positive, Lambda: d.Lambda,
		Original: d.Original, Whole: d.Whole, Origin: d.Origin, Edges: d.Edges, RowsOfA: l, Joined: d.Joined,
		NuF: c.NuF, Lambda1: c.Lambda1, LambdaP: c.LambdaP,
	}, nil
}
