package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// marginErrors returns two bounds for margins that were computed at x: err for the error of a margin, and
// roundings for the number of roundings in a margin and its slope.
func (p *Problem) marginErrors(x []float64) (err, roundings float64) {
	var size, count float64
	for j, v := range x {
		if v != 0 {
			size += math.Abs(float64(v * p.Columns.LargestEntry[j]))
			count++
		}
	}
	// In the worst case, one lane of a vector register sums all terms of a margin.
	roundings = 32 + count
	if p.Columns.LongestRow > 0 {
		roundings = min(roundings, 32+p.Columns.LongestRow)
	}
	return float64(roundoff * (float64(roundings*size) + float64(4*p.Columns.LargestOffset))), roundings
}

// objectiveRounding bounds the relative rounding error of a computed objective, see RoundedGap.
const objectiveRounding = 0x1p-50

// RoundedGap turns gap, a bound of P(x) − P* in real arithmetic, into a bound for the computed objective. It
// assumes that every term of the objective is accurate to its last digit. Near a perfect fit this
// assumption may be false. A NaN becomes +Inf.
func RoundedGap(gap, objective float64) float64 {
	gap += float64(objectiveRounding * math.Abs(objective))
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// GapAtObjective turns a bound of P(z) − P* at a point z into a bound of P(x) − P* at another point x, and
// returns this bound. boundObjective is P(z) and objective is P(x), both as computed. Their rounding errors
// that come from rounded margins add up to at most rounding, see LossError. If boundObjective has overflowed,
// the result is +Inf.
func GapAtObjective(bound, boundObjective, objective, rounding float64) float64 {
	if math.IsInf(boundObjective, 1) {
		return math.Inf(1)
	}
	bound += objective - boundObjective + math.Max(1e-12*math.Abs(objective), rounding)
	return RoundedGap(math.Max(bound, 0), objective)
}

// LossError bounds the error of a computed mean loss, if the error of no margin exceeds marginError. For a
// loss φ ≥ 0 whose second derivative is at most curvature, φ'² ≤ 2·curvature·φ. So an error d of the margin
// changes φ by at most √(2·curvature·φ) d + curvature·d²/2. LossError returns 0 if curvature has no bound.
func LossError(loss, marginError, curvature float64) float64 {
	if marginError == 0 || math.IsInf(curvature, 1) {
		return 0
	}
	return float64(marginError * (math.Sqrt(2*curvature*loss) + float64(0.5*curvature*marginError)))
}

// LossErrorOf bounds the rounding error of the mean loss at x, like LossError. It reads data, the rows of this
// process, to bound the errors of the margins. team has all processes; nil means that there is only one.
func LossErrorOf(team *rows.Team, data *sparse.CSR, x []float64, loss, curvature float64) float64 {
	marginError := 0.0
	n, _ := data.Dims()
	for i := range n {
		idx, val := data.Row(i)
		size := 0.0
		for k, j := range idx {
			size += math.Abs(float64(val[k] * x[j]))
		}
		marginError = math.Max(marginError, float64(len(idx)+8)*roundoff*size)
	}
	return LossError(loss, team.MaxNumber(marginError), curvature)
}

// LossErrorAt bounds the rounding error of the mean loss at x, like LossErrorOf, but does not read the data. It
// bounds the errors of the margins by the statistics in p.Columns.
func (p *Problem) LossErrorAt(x []float64, loss, curvature float64) float64 {
	marginError, _ := p.marginErrors(x)
	return LossError(loss, marginError, curvature)
}
