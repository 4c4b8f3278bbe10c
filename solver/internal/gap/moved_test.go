package gap

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestMovedRoot moves α to 0 at all samples that have a free feature. X'Cα is then the sum of the gradient
// before the move and the move. The bound of its error must include the rounding of this gradient.
func TestMovedRoot(t *testing.T) {
	const n = 1000
	entries, labels := make([]float64, 2*n), make([]float64, n)
	for i := range n {
		entries[2*i+i%2], labels[i] = 1, 1
	}
	x, err := sparse.FromDense(n, 2, entries)
	if err != nil {
		t.Fatal(err)
	}
	sums := rows.NewSums(nil, rows.NewChunks(x, 1), nil, n, 2)
	m := DataProblem{
		Problem: &Problem{
			Penalty: NewPenalty(linalg.New(nil, 2), make([]float64, 2), nil, nil), Ridge: make([]float64, 2),
			Columns: ColumnsOf(x, sums, nil),
		},
		Sums: sums, Data: x, Loss: term.Squared{}, Labels: labels,
	}
	m.Prepare()
	point := &Point{X: []float64{0, 1}, Margin: make([]float64, n), Slope: make([]float64, n)}
	x.MulVec(point.Margin, point.X)
	point.Loss = sums.Mean(m.Loss, point.Slope, point.Margin, labels)
	tally := m.Tally(point, point.Slope)
	move := m.MoveBy([]float64{0, 1})
	move.Head = []float64{-1, 0}
	sum := m.movedSum(&tally, []float64{-1, -1}, move)
	sum.RootSums = func() []float64 { return m.rootSums(sums.MeanWeights, point.Slope) }
	m.setDualPoint(nil, &tally, &sum, true)
	m.rootChange(&sum)
	if got, want := m.dual.eErr[1], n/2*roundoff; m.RootCount() != 2 || !(got >= want && got < math.Inf(1)) {
		t.Errorf("%d roots, the error is at most %v, want at least %v", m.RootCount(), got, want)
	}
}
