package quadratic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
)

// randomSeparable returns a random problem, and the matrix H = X'WX + ridge·I in two forms, as Dense and as
// Columns. W is a diagonal matrix of weights, some of which are 0. The field H of the problem is not set.
// Every fourth column of X has entries in all rows, the others are sparse. The columns have different
// scales, and some are equal. Columns has X in the storage form with the given number, see storageForms,
// and between its columns others that do not belong to H.
func randomSeparable(
	rng *rand.Rand, rows, order int, ridge float64, bounds bool, form int,
) (*Separable, *Dense, *Columns) {
	z := make([]float64, rows*order) // √W X, by columns
	columns := &Columns{
		MaxIterations: 200, XT: kernels.Rows{Ptr: []int64{0}, Cols: rows},
		Weights: make([]float64, rows),
	}
	for i := range rows {
		columns.Weights[i] = max(0, rng.Float64()-0.1)
	}
	x := make([]float64, rows)
	var idx []int32
	var val []float64
	for k := range order {
		scale := math.Pow(10, 2*rng.Float64()-1)
		if k == 0 || rng.IntN(6) > 0 { // otherwise the column is equal to the last one
			clear(x)
			for i := range rows {
				if k%4 == 3 || rng.IntN(3) == 0 {
					x[i] = float64(float32(scale * rng.NormFloat64()))
					if form >= 4 {
						x[i] = 1
					}
				}
			}
		}
		for rng.IntN(3) == 0 { // a column that does not belong to H
			idx, val = append(idx, int32(rng.IntN(rows))), append(val, 1)
			columns.XT.Ptr = append(columns.XT.Ptr, int64(len(idx)))
		}
		columns.Cols = append(columns.Cols, int32(columns.XT.Len()))
		for i, v := range x {
			z[k*rows+i] = math.Sqrt(columns.Weights[i]) * v
			if v != 0 {
				idx, val = append(idx, int32(i)), append(val, v)
			}
		}
		columns.XT.Ptr = append(columns.XT.Ptr, int64(len(idx)))
	}
	storageForms[form](&columns.XT, idx, val)
	ridges := slices.Repeat([]float64{ridge}, order)
	columns.Prepare(ridges)
	dense := &Dense{Order: order, H: make([]float64, order*order)}
	for i := range order {
		for j := i; j < order; j++ {
			dense.H[i*order+j] = kernels.Dot(z[i*rows:(i+1)*rows], z[j*rows:(j+1)*rows])
		}
	}
	dense.Mirror()
	dense.Prepare(ridges)
	q := &Separable{FreeIndex: -1}
	for _, v := range []*[]float64{&q.X, &q.Gradient, &q.Limit, &q.Unit} {
		*v = make([]float64, order)
	}
	b := make([]float64, rows) // a gradient Z'b ensures that there is a minimum
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	if bounds {
		q.Lower, q.Upper = make([]float64, order), make([]float64, order)
	}
	for k := range order {
		q.Gradient[k] = kernels.Dot(z[k*rows:(k+1)*rows], b)
		if rng.IntN(2) == 0 {
			q.X[k] = rng.NormFloat64()
		}
		q.Unit[k] = 1
		if rng.IntN(8) > 0 {
			q.Limit[k] = 2 * rng.Float64()
			q.Unit[k] = q.Limit[k]
		}
		if bounds {
			q.Lower[k], q.Upper[k] = -rng.Float64(), rng.Float64()
			if rng.IntN(3) == 0 {
				q.Upper[k] = math.Inf(1)
			}
			q.X[k] = max(q.Lower[k], min(q.X[k], q.Upper[k]))
		}
	}
	return q, dense, columns
}

// storageForms store entries in each form of kernels.Rows. All values are numbers of type float32. In the
// last two forms they must be 1.
var storageForms = []func(a *kernels.Rows, idx []int32, val []float64){
	func(a *kernels.Rows, idx []int32, val []float64) { a.Idx, a.Val = idx, val },
	func(a *kernels.Rows, idx []int32, val []float64) { a.Idx16, a.Val = converted[uint16](idx), val },
	func(a *kernels.Rows, idx []int32, val []float64) { a.Idx, a.Val32 = idx, converted[float32](val) },
	func(a *kernels.Rows, idx []int32, val []float64) {
		a.Idx16, a.Val32 = converted[uint16](idx), converted[float32](val)
	},
	func(a *kernels.Rows, idx []int32, _ []float64) { a.Idx = idx },
	func(a *kernels.Rows, idx []int32, _ []float64) { a.Idx16 = converted[uint16](idx) },
}

func converted[T uint16 | float32, S int32 | float64](v []S) []T {
	out := make([]T, len(v))
	for k, x := range v {
		out[k] = T(x)
	}
	return out
}

// violation returns the largest violation of the optimality conditions at q.U, in units of q.Unit.
func violation(q *Separable, h *Dense) (worst float64) {
	column := make([]float64, len(q.U))
	for k, u := range q.U {
		h.Column(column, k)
		derivative := q.Gradient[k]
		for j, v := range q.U {
			derivative += column[j] * (v - q.X[j])
		}
		down, up := derivative-q.Limit[k], derivative+q.Limit[k] // the left and right derivative at u = 0
		if u > 0 {
			down = up
		} else if u < 0 {
			up = down
		}
		if down > 0 && (q.Lower == nil || u > q.Lower[k]) {
			worst = max(worst, down/q.Unit[k])
		}
		if up < 0 && (q.Lower == nil || u < q.Upper[k]) {
			worst = max(worst, -up/q.Unit[k])
		}
	}
	return worst
}

// TestSeparable checks the optimality conditions at solutions with Dense and with Columns, each without and
// with an eliminated coordinate. All four must reach the same minimum.
func TestSeparable(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows, order := 5+rng.IntN(60), 1+rng.IntN(60)
		q, dense, columns := randomSeparable(rng, rows, order, float64(seed%3)/2, seed%2 > 0, int(seed/6)%len(storageForms))
		free := rng.IntN(order)
		q.Limit[free] = 0
		if q.Lower != nil {
			q.Lower[free], q.Upper[free] = math.Inf(-1), math.Inf(1)
		}
		var values []float64
		for k, h := range []Hessian{dense, columns, dense, columns} {
			q.H, q.FreeIndex = h, -1
			if k >= 2 {
				q.FreeIndex = free
			}
			if !q.Solve(&SeparableSettings{Tolerance: 1e-9, MaxSweeps: 5000}) {
				t.Errorf("seed %d, case %d: not solved", seed, k)
			}
			if v := violation(q, dense); v > 1e-7 {
				t.Errorf("seed %d, case %d: conditions are violated by %.1e", seed, k, v)
			}
			for j, u := range q.U {
				if q.Lower != nil && (u < q.Lower[j] || u > q.Upper[j]) {
					t.Errorf("seed %d, case %d: coordinate %d is %v, outside [%v, %v]", seed, k, j, u, q.Lower[j], q.Upper[j])
				}
			}
			values = append(values, q.Value())
			if !nearlyEqual(q.Value(), values[0]) {
				t.Errorf("seed %d: %.15g in case %d, %.15g in case 0", seed, q.Value(), k, values[0])
			}
		}
	}
}

// TestAccurate checks that RelTolerance ends a solution early, and that it does not if Accurate returns true.
// Accurate must be called with the decrease of the function.
func TestAccurate(t *testing.T) {
	earlyCount := 0
	for seed := range uint64(20) {
		q, dense, _ := randomSeparable(rand.New(rand.NewPCG(seed, 2)), 40, 30, 0.5, false, 0)
		q.H = dense
		for _, accurate := range []bool{false, true} {
			calls := 0
			q.Solve(&SeparableSettings{Tolerance: 1e-9, RelTolerance: 0.5, MaxSweeps: 5000, Accurate: func(fall float64) bool {
				calls++
				if !nearlyEqual(fall, -q.Value()) {
					t.Errorf("seed %d: fall %v, the value is %v", seed, fall, q.Value())
				}
				return accurate
			}})
			v := violation(q, dense)
			if accurate && v > 1e-7 {
				t.Errorf("seed %d: conditions are violated by %.1e", seed, v)
			}
			if !accurate && calls > 0 && v > 1e-7 {
				earlyCount++
			}
		}
	}
	if earlyCount == 0 {
		t.Error("no solution ended early")
	}
}

func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-8*(1+math.Abs(a)) }

// TestSeparableDependent checks that Solve reaches its tolerance in 20 sweeps if columns are nearly equal.
// Many of these columns then enter the support of the Newton steps at once, and leave it one after the other.
func TestSeparableDependent(t *testing.T) {
	const rows, order, groups = 60, 48, 3
	rng := rand.New(rand.NewPCG(7, 7))
	z, b := make([]float64, rows*order), make([]float64, rows) // z is stored by columns
	for i := range rows {
		b[i] = rng.NormFloat64()
		for k := range order {
			z[k*rows+i] = rng.NormFloat64()
			if k >= groups {
				z[k*rows+i] = math.FMA(1e-4, z[k*rows+i], z[k%groups*rows+i])
			}
		}
	}
	h := &Dense{Order: order, H: make([]float64, order*order)}
	q := &Separable{H: h, FreeIndex: -1, X: make([]float64, order), Gradient: make([]float64, order)}
	q.Limit = slices.Repeat([]float64{1e-4}, order)
	q.Unit = q.Limit
	for k := range order {
		column := z[k*rows : (k+1)*rows]
		q.Gradient[k] = kernels.Dot(column, b)
		for j := range order {
			h.H[k*order+j] = kernels.Dot(column, z[j*rows:(j+1)*rows])
		}
	}
	h.Mirror()
	h.Prepare(make([]float64, order))
	if !q.Solve(&SeparableSettings{Tolerance: 1e-4}) {
		t.Errorf("not solved; largest violation %g of the limits", violation(q, h)/q.Limit[0])
	}
}

// TestSeparableSmooth checks the optimality conditions for problems without limits and bounds. For such
// problems, Solve solves a linear system.
func TestSeparableSmooth(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		q, dense, columns := randomSeparable(rng, 5+rng.IntN(60), 1+rng.IntN(60), float64(seed%3)/2, false,
			int(seed)%len(storageForms))
		clear(q.Limit)
		for name, h := range map[string]Hessian{"formed": dense, "by columns": columns} {
			q.H = h
			solved := q.Solve(&SeparableSettings{Tolerance: 1e-9})
			if v := violation(q, dense); !solved || v > 1e-7 {
				t.Errorf("seed %d, %s: solved %v, conditions are violated by %.1e", seed, name, solved, v)
			}
		}
	}
}

// TestSeparableKnown checks a problem with the identity as its matrix. Its solution is the soft threshold,
// clipped to the bounds.
func TestSeparableKnown(t *testing.T) {
	q := &Separable{
		FreeIndex: -1,
		H:         &Dense{Order: 4, H: []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
		X:         make([]float64, 4), Gradient: []float64{-3, 0.5, 2, -5}, Limit: []float64{1, 1, 1, 0},
		Unit:  []float64{1, 1, 1, 1},
		Lower: []float64{-9, -9, -0.25, -9}, Upper: []float64{9, 9, 9, 9},
	}
	q.H.Prepare(make([]float64, 4))
	if want := []float64{2, 0, -0.25, 5}; !q.Solve(&SeparableSettings{}) || !slices.Equal(q.U, want) {
		t.Errorf("%v, want %v", q.U, want)
	}
}

// TestSeparableEnds checks that Solve makes the objective smaller even if it ends early or if its moves are
// bounded. It also checks Dense.MostSweeps.
func TestSeparableEnds(t *testing.T) {
	for name, set := range map[string]func(q *Separable, s *SeparableSettings){
		"relative tolerance": func(_ *Separable, s *SeparableSettings) { s.RelTolerance = 0.5 },
		"bounded moves": func(q *Separable, s *SeparableSettings) {
			q.MaxMove, s.DescentOnly = slices.Repeat([]float64{1e-3}, len(q.X)), true
		},
		"stop":    func(q *Separable, _ *SeparableSettings) { q.Stop = func() bool { return true } },
		"sweeps":  func(_ *Separable, s *SeparableSettings) { s.MaxSweeps = 1 },
		"descent": func(_ *Separable, s *SeparableSettings) { s.DescentOnly = true },
	} {
		t.Run(name, func(t *testing.T) {
			q, dense, _ := randomSeparable(rand.New(rand.NewPCG(7, 2)), 50, 30, 0.1, false, 0)
			q.H = dense
			s := &SeparableSettings{Tolerance: 1e-12}
			set(q, s)
			q.Solve(s)
			if v := q.Value(); !(v < 0) {
				t.Errorf("the function fell by %v", -v)
			}
			if name == "bounded moves" {
				for k, u := range q.U {
					if d := math.Abs(u - q.X[k]); d > 0.021 { // 20 sweeps with MaxMove 0.001
						t.Errorf("coordinate %d moved by %v", k, d)
					}
				}
			}
		})
	}
	if s := fmt.Sprint((&Dense{}).MostSweeps(30), (&Dense{}).MostSweeps(3000)); s != "10 100" {
		t.Errorf("sweeps %s", s)
	}
}

// TestFactorUpdates checks that a Dense that updates its factor solves the equation of Hessian.Solve like a
// new Dense, which has no factor to update. In each of 60 rounds, up to two coordinates enter or leave the
// support. In round 20 the Dense also gets more coordinates, and in round 40 other ridges.
func TestFactorUpdates(t *testing.T) {
	const rows = 300
	for _, eliminate := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(9, 9))
		z := make([]float64, 120*rows)
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		dense := func(order int, column func(k int) int, ridge float64) *Dense {
			h := &Dense{Order: order}
			for i := range order {
				for j := range order {
					h.H = append(h.H, kernels.Dot(z[column(i)*rows:(column(i)+1)*rows], z[column(j)*rows:(column(j)+1)*rows]))
				}
			}
			h.Prepare(slices.Repeat([]float64{ridge}, order))
			return h
		}
		double := func(k int) int { return 2 * k }
		identity := func(k int) int { return k }
		h, column, ridge := dense(60, double, 0), double, 0.0
		member := make([]bool, 120) // for each column of z, whether it is in the support
		for k := range 50 {
			member[2*k] = true
		}
		updates := 0
		for round := range 60 {
			switch round {
			case 20: // h now has a coordinate for each column of z; before, only for the even columns
				replacement, places := dense(120, identity, ridge), make([]int, 60)
				for k := range places {
					places[k] = 2 * k
				}
				h.H, h.Order, column = replacement.H, replacement.Order, identity
				h.Renumber(places)
				h.Prepare(slices.Repeat([]float64{ridge}, 120))
			case 40:
				ridge = 100
				h.Prepare(slices.Repeat([]float64{ridge}, 120))
			}
			for range 2 {
				k := column(rng.IntN(h.Order))
				member[k] = !member[k]
			}
			var support []int32
			for k := range h.Order {
				if member[column(k)] {
					support = append(support, int32(k))
				}
			}
			var f []float64
			if eliminate {
				f = make([]float64, h.Order)
				for k := range f {
					f[k] = math.Sin(float64(column(k)))
				}
			}
			n := len(support)
			descent, got, want := make([]float64, n), make([]float64, n), make([]float64, n)
			for k := range descent {
				descent[k] = rng.NormFloat64()
			}
			if before := slices.Clone(h.lastFactor.order); h.update(f, support) && len(before) > 0 {
				updates++
			}
			h.Solve(got, descent, f, support, nil, nil)
			dense(h.Order, column, ridge).Solve(want, descent, f, support, nil, nil)
			for k, v := range want {
				if !(math.Abs(got[k]-v) <= 1e-9*(1e-3+math.Abs(v))) {
					t.Fatalf("round %d: entry %d is %v, want %v", round, k, got[k], v)
				}
			}
		}
		if updates < 55 {
			t.Errorf("only %d of 60 factors were updates", updates)
		}
	}
}

// TestSweepStaysWithinBounds checks that rounding errors do not move a coordinate beyond its bound.
func TestSweepStaysWithinBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		h := &Dense{Order: 1, H: []float64{1 + rng.Float64()}}
		h.Prepare([]float64{0})
		x := rng.NormFloat64()
		upper := math.Abs(x) + math.Round(100*rng.ExpFloat64())/100 + 0.01
		q := &Separable{
			H: h, X: []float64{x}, Gradient: []float64{-100}, Limit: []float64{0.01},
			Lower: []float64{math.Inf(-1)}, Upper: []float64{upper}, FreeIndex: -1, Unit: []float64{1},
		}
		q.Solve(&SeparableSettings{Tolerance: 1e-9, MaxSweeps: 1, DescentOnly: true})
		if q.U[0] > upper {
			t.Fatalf("from %v to %v, beyond the bound %v", x, q.U[0], upper)
		}
	}
}
