package rows

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
)

// MaxClasses is the largest number of classes of a model. With k classes, scoring keeps a table of k²
// numbers.
const MaxClasses = 5000

// Distinct returns the distinct numbers in the vectors v of all processes, in increasing order. If
// there are more than maxCount, it returns the maxCount smallest ones. No number may be NaN or +Inf.
func (t *Team) Distinct(v []float64, maxCount int) (numbers []float64) {
	list := InsertDistinct(nil, v, maxCount)
	if t == nil {
		return list
	}
	for len(numbers) < maxCount {
		localLeast := math.Inf(1)
		if len(list) > 0 {
			localLeast = list[0]
		}
		globalLeast := t.MinNumber(localLeast)
		if math.IsInf(globalLeast, 1) {
			break
		}
		numbers = append(numbers, globalLeast)
		if localLeast == globalLeast {
			list = list[1:]
		}
	}
	return numbers
}

// InsertDistinct inserts the numbers in v into list, which has distinct numbers in increasing order, and
// returns the result. The result has only the maxCount smallest numbers if there are more.
func InsertDistinct(list, v []float64, maxCount int) []float64 {
	previous := math.NaN()
	for _, x := range v {
		if x == previous || len(list) == maxCount && x > list[maxCount-1] {
			continue
		}
		previous = x
		if index, found := slices.BinarySearch(list, x); !found {
			list = slices.Insert(list, index, x)[:min(len(list)+1, maxCount)]
		}
	}
	return list
}

// Sides counts rows by the change of their loss when x moves without end in one direction. Sides[0] is the
// number of rows whose loss increases in the end, and Sides[1] the number of rows whose loss never increases.
// Rows whose margin does not change, or whose weight is 0, are not counted.
type Sides [2]float64

// Add counts the rows with the given labels and weights. changes has, for each row, the derivative of the
// margin in the direction of the move. Nil weights mean that no weight is 0.
func (s *Sides) Add(l term.Loss, changes, labels, weights []float64) {
	for i, v := range changes {
		if v == 0 || weights != nil && weights[i] == 0 {
			continue
		}
		side := 0
		if lo, hi := l.SlopeRange(labels[i]); v > 0 && hi <= 0 || v < 0 && lo >= 0 {
			side = 1
		}
		s[side]++
	}
}

// Separated reports whether rows were counted, and none of them has a loss that increases (see Sides).
func (s *Sides) Separated() bool { return s[0] == 0 && s[1] > 0 }

// Separates returns the result of Sides.Separated for the rows of all processes. The arguments are described
// at Sides.Add, and belong to the rows of this process.
func (t *Team) Separates(l term.Loss, changes, labels, weights []float64) bool {
	var s Sides
	s.Add(l, changes, labels, weights)
	t.Sum(s[:])
	return s.Separated()
}
