package pass

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// Ready are data as a run takes them.
type Ready struct {
	Rows           kernels.Rows // in their most compact form
	Longest, Scale float64      // largest and root mean square |aᵢ| of all processes; the first squared
}

// Prepare makes data ready, with values rounded to float32 if it is asked to. Before each
// part, which goes over all entries, it asks whether the run has ended: then the rest is
// left out, rows being as they are and numbers 0. Processes of a team are told the same.
func Prepare(t *Team, data *sparse.CSR, round bool, ended func() bool) Ready {
	n, _ := data.Dims()
	if ended() {
		return Ready{Rows: data.Rows(0, n)}
	}
	r := Ready{Rows: data.Compact(&sparse.CompactOptions{Round: round})}
	if !ended() {
		r.Longest, r.Scale = t.Norms(data.RowNormsSq())
	}
	return r
}
