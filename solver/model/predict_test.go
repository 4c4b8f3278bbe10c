package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestPredict checks that predictions for single rows and for matrices have the same bits, and agree with
// plain loops.
func TestPredict(t *testing.T) {
	x, y := randomData(t, 60, 20, 3, true)
	m := mustFit(t, &Spec{Lambda: 0.01}, x, y)
	margins, err := m.Margins(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	probabilities, err := m.Probabilities(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := m.Predictions(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range margins {
		idx, val := x.Row(i)
		margin, err := m.Margin(idx, val)
		probability, err2 := m.Probability(idx, val)
		class, err3 := m.Predict(idx, val)
		if margin != want || probability != probabilities[i] || class != classes[i] || err != nil || err2 != nil || err3 != nil {
			t.Errorf("row %d: %v, %v, %v alone, %v, %v, %v together",
				i, margin, probability, class, want, probabilities[i], classes[i])
		}
		sum := m.Columns[0].Intercept
		for k, j := range idx {
			sum += val[k] * m.Columns[0].Coefficients[j]
		}
		if math.Abs(sum-margin) > 1e-12*(1+math.Abs(sum)) ||
			math.Abs(probability-1/(1+math.Exp(-sum))) > 1e-13 ||
			class != map[bool]float64{true: 7, false: 3}[sum > 0] {
			t.Errorf("row %d: margin %v, probability %v, class %v; by plain loops %v", i, margin, probability, class, sum)
		}
	}
	regressionModel := mustFit(t, &Spec{Loss: solver.Squared{}, Lambda: 0.01}, x, y)
	values, err := regressionModel.Predictions(nil, x)
	idx, val := x.Row(0)
	prediction, err2 := regressionModel.Predict(idx, val)
	if err != nil || err2 != nil || prediction != values[0] {
		t.Errorf("%v and %v, %v and %v", prediction, values[0], err, err2)
	}
	if _, err := regressionModel.Probabilities(nil, x); err != ErrNoProbability {
		t.Errorf("probabilities of a regression: %v", err)
	}
}

// TestThreshold checks that PredictData predicts the positive class if its score is above the threshold: a
// probability, or a margin with the squared hinge. It also checks the errors of PredictData.
func TestThreshold(t *testing.T) {
	x, y := randomData(t, 60, 20, 3, true)
	d := &sparse.Dataset{X: x, Labels: y, Offsets: make([]float64, 60)}
	for i := range d.Offsets {
		d.Offsets[i] = float64(i%3) - 1
	}
	for _, loss := range []solver.Loss{solver.Logistic{}, solver.SquaredHinge{}} {
		m := mustFit(t, &Spec{Loss: loss, Lambda: 0.01}, x, y)
		for _, threshold := range []float64{-0.5, 0.2, 0.5, 0.9} {
			p, err := m.PredictData(d, &threshold)
			if err != nil {
				t.Fatal(err)
			}
			for i, score := range p.Scores {
				margin, err := m.Margin(x.Row(i))
				margin += d.Offsets[i]
				if loss == (solver.Logistic{}) {
					margin = 1 / (1 + math.Exp(-margin))
				}
				if err != nil || math.Abs(score-margin) > 1e-13 ||
					(p.Classes[i] == 1) != (score > threshold) ||
					p.Names[p.Classes[i]] != map[bool]string{false: "3", true: "7"}[score > threshold] {
					t.Errorf("%v, row %d: score %v, want %v; class %d of %v with threshold %v; %v",
						loss, i, score, margin, p.Classes[i], p.Names, threshold, err)
				}
			}
		}
	}
	half, nan := 0.5, math.NaN()
	m, numbers := mustFit(t, &Spec{Lambda: 0.01}, x, y), mustFit(t, &Spec{Loss: solver.Squared{}, Lambda: 0.01}, x, y)
	for want, call := range map[string]func() (*DataPredictions, error){
		"the data are nil":       func() (*DataPredictions, error) { return m.PredictData(nil, nil) },
		"threshold is NaN":       func() (*DataPredictions, error) { return m.PredictData(d, &nan) },
		"0.5 is for two classes": func() (*DataPredictions, error) { return numbers.PredictData(d, &half) },
		"Dataset.Offsets has length 61; there are 60 rows": func() (*DataPredictions, error) {
			return m.PredictData(&sparse.Dataset{X: x, Offsets: make([]float64, 61)}, nil)
		},
	} {
		_, err := call()
		sparsetest.CheckError(t, err, want)
	}
}

// TestHostileRows checks that invalid rows are errors, and that a matrix may have more or fewer columns than
// the model has features.
func TestHostileRows(t *testing.T) {
	m := &Model{
		Columns: []Column{{Coefficients: []float64{1, 2, math.MaxFloat64}}},
		Classes: sparse.Classes{Values: []float64{-1, 1}},
	}
	for want, row := range map[string]struct {
		idx []int32
		val []float64
	}{
		"index 500 is outside 0..2":                    {[]int32{0, 500}, []float64{1, 1}},
		"position 0: index -1":                         {[]int32{-1}, []float64{1}},
		"index 1 follows 1":                            {[]int32{1, 1}, []float64{1, 1}},
		"index 0 follows 2":                            {[]int32{2, 0}, []float64{1, 1}},
		"2 indices and 1 values":                       {[]int32{1, 2}, []float64{1}},
		"value NaN of index 1":                         {[]int32{0, 1}, []float64{1, math.NaN()}},
		"position 0: value -Inf of index":              {[]int32{0, 1}, []float64{math.Inf(-1), 1}},
		"the margin is +Inf; its values are too large": {[]int32{2}, []float64{10}},
	} {
		for _, predict := range []func([]int32, []float64) (float64, error){m.Margin, m.Probability, m.Predict} {
			_, err := predict(row.idx, row.val)
			sparsetest.CheckError(t, err, want)
		}
	}
	x, err := sparse.FromTriplets(3, 600, []sparse.Triplet{{Row: 1, Col: 0, Value: 1}, {Row: 2, Col: 500, Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Margins(nil, x)
	sparsetest.CheckError(t, err, "row 2 has column 500")
	narrowX, err := sparse.FromTriplets(2, 1, []sparse.Triplet{{Row: 1, Col: 0, Value: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Margins(nil, narrowX); err != nil || got[0] != 0 || got[1] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	wideX, err := sparse.FromTriplets(1, 9, []sparse.Triplet{{Row: 0, Col: 1, Value: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Margins(nil, wideX); err != nil || got[0] != 6 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestTies checks that rows have equal margins if they differ only in features with coefficient 0. The AUC is
// then 0.5.
func TestTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 13))
	m := &Model{Columns: []Column{{Coefficients: make([]float64, 40)}}, Classes: sparse.Classes{Values: []float64{-1, 1}}}
	for j := 20; j < 40; j += 3 {
		m.Columns[0].Coefficients[j] = rng.NormFloat64()
	}
	const n = 64
	var entries []sparse.Triplet
	y := make([]float64, n)
	for i := range n {
		y[i] = float64(1 - i%2*2)
		for j, w := range m.Columns[0].Coefficients {
			switch {
			case w != 0:
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: 1 / float64(j)})
			case rng.IntN(2) == 0:
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: float64(rng.IntN(3))})
			}
		}
	}
	x, err := sparse.FromTriplets(n, 40, entries)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := m.Score(x, y, nil); err != nil || *s.Classes.AUC != 0.5 {
		t.Errorf("area %v, %v, want 0.5", *s.Classes.AUC, err)
	}
}

// TestPredictAllocates checks that predictions allocate no memory.
func TestPredictAllocates(t *testing.T) {
	x, y := randomData(t, 60, 20, 3, true)
	m := mustFit(t, &Spec{Lambda: 0.01}, x, y)
	idx, val := x.Row(5)
	dst := make([]float64, 60)
	for name, call := range map[string]func(){
		"Margin":        func() { _, _ = m.Margin(idx, val) },
		"Probability":   func() { _, _ = m.Probability(idx, val) },
		"Predict":       func() { _, _ = m.Predict(idx, val) },
		"Margins":       func() { _, _ = m.Margins(dst, x) },
		"Probabilities": func() { _, _ = m.Probabilities(dst, x) },
		"Predictions":   func() { _, _ = m.Predictions(dst, x) },
	} {
		if allocs := testing.AllocsPerRun(100, call); allocs > 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}

// TestPredictTogether uses one model in many goroutines, so that the race detector checks it.
func TestPredictTogether(t *testing.T) {
	x, y := randomData(t, 60, 20, 3, true)
	m := mustFit(t, &Spec{Lambda: 0.01}, x, y)
	want, _ := m.Margins(nil, x)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range want {
				idx, val := x.Row(i)
				if got, err := m.Margin(idx, val); got != want[i] || err != nil {
					t.Errorf("row %d: %v, not %v", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkPredict(b *testing.B) {
	x, y := loadData(b, "small/a1a", 123)
	m := mustFit(b, &Spec{Lambda: 1e-3}, x, y)
	n, _ := x.Dims()
	b.Run("row", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			idx, val := x.Row(i % n)
			if _, err := m.Probability(idx, val); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	b.Run("batch", func(b *testing.B) {
		b.ReportAllocs()
		dst := make([]float64, n)
		for b.Loop() {
			if _, err := m.Probabilities(dst, x); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
	})
}

// TestOverflow checks that a margin that is not finite is an error that names the row.
func TestOverflow(t *testing.T) {
	x := denseMatrix(t, 3, 1, []float64{1, -1e200, 1})
	for _, c := range []struct {
		m    Model
		row  int
		want float64
	}{
		{Model{Columns: []Column{{Coefficients: []float64{1e200}}}}, 1, math.Inf(-1)},
		{Model{Columns: []Column{{Coefficients: []float64{1e308}, Intercept: math.MaxFloat64}}}, 0, math.Inf(1)},
	} {
		var overflow *OverflowError
		if _, err := c.m.Margins(nil, x); !errors.As(err, &overflow) || overflow.Row != c.row || overflow.Margin != c.want {
			t.Errorf("%+v: %v", c.m, err)
		}
		if _, err := c.m.Margin(x.Row(c.row)); !errors.As(err, &overflow) || overflow.Row != 0 || overflow.Margin != c.want {
			t.Errorf("%+v: of one row %v", c.m, err)
		}
	}
}
