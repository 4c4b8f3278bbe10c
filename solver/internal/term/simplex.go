package term

import (
	"cmp"
	"math"
	"slices"
)

// Simplex is {x : x ≥ 0, Σ xⱼ = Total}.
type Simplex struct {
	// Total is the sum of the coordinates; zero means 1.
	Total float64
}

func (s Simplex) Sum() float64 {
	if s.Total == 0 {
		return 1
	}
	return s.Total
}

// Project replaces x by the nearest point of the simplex (Held, Wolfe and Crowder 1974). It first subtracts
// the largest coordinate, so that the result has the right sum even if coordinates are large.
func (s Simplex) Project(x []float64) {
	largest, unit, total := slices.Max(x), 1.0, s.Sum()
	if total > 0x1p900 {
		unit = 0x1p-100 // prevents overflow of sums
	}
	for j, v := range x {
		x[j] = unit * math.Max(v-largest, -2*total) // coordinates below largest − total become 0 in any case
	}
	u, scaledTotal := slices.Clone(x), float64(unit*total)
	slices.SortFunc(u, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, shift := 0.0, 0.0
	for k, v := range u {
		sum += v
		if t := (sum - scaledTotal) / float64(k+1); v > t {
			shift = t
		}
	}
	for range 2 { // corrects the rounding error of shift
		count := 0.0
		sum = 0
		for _, v := range x {
			if v > shift {
				sum += v - shift
				count++
			}
		}
		shift += (sum - scaledTotal) / count
	}
	sum = 0
	for j, v := range x {
		x[j] = math.Max(v-shift, 0)
		sum += x[j]
	}
	factor := scaledTotal / sum // corrects the sum, because shift still has a small error
	for j, v := range x {
		x[j] = math.Min(float64(factor*v)/unit, total)
	}
}

func (s Simplex) Diameter() float64 { return s.Sum() * math.Sqrt2 }

func (s Simplex) Validate(int) error {
	if !(s.Total >= 0) || math.IsInf(s.Total, 0) {
		return errorf("Simplex.Total = %v; it must be positive and finite, or 0 for 1", s.Total)
	}
	return nil
}

func (s Simplex) Support(u []float64) float64 { return float64(s.Sum() * slices.Max(u)) }

func (s Simplex) Region(int) Region { return s }

func (s Simplex) Bounds(p int) Bounds {
	return Bounds{Lower: make([]float64, p), Upper: slices.Repeat([]float64{math.Inf(1)}, p), Total: s.Sum()}
}

func (s Simplex) Excess(e, errors, x []float64, mu float64) float64 {
	if mu > 0 {
		return ridgeExcess(s, e, errors, x, mu)
	}
	minE, maxError := math.Inf(1), 0.0
	for j, v := range e {
		minE = math.Min(minE, v)
		maxError = math.Max(maxError, errors[j])
	}
	var sum, total float64
	for j, v := range x {
		sum += float64(v * (e[j] - minE))
		total += v
	}
	return sum + float64(math.Abs(total-s.Sum())*math.Abs(minE)) + float64(2*s.Sum()*maxError) +
		float64(float64(len(x))*roundoff*float64(s.Sum()*math.Abs(minE)))
}
