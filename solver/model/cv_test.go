package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func foldsOf(c *crossValidation) []int {
	folds := make([]int, len(c.y))
	for i := range folds {
		folds[i] = int(c.foldOf[i])
	}
	return folds
}

// TestFolds checks that rows and classes are divided evenly among the folds. The folds must depend
// on the seed, and be the same for rows in memory, in a file and in several processes.
func TestFolds(t *testing.T) {
	const n = 103
	x, numbers := randomData(t, n, 3, 4, false)
	twoLabels, manyLabels := make([]float64, n), make([]float64, n)
	for i := range n {
		twoLabels[i], manyLabels[i] = -1, float64(i*i%11%4)
		if i%5 == 0 || i > 90 {
			twoLabels[i] = 1
		}
	}
	for name, y := range map[string][]float64{"numbers": numbers, "two": twoLabels, "many": manyLabels} {
		spec := &Spec{Settings: solver.Settings{Seed: 7}}
		if name == "numbers" {
			spec.Loss = solver.Squared{}
		}
		fileData := storeInFile(t, &sparse.Dataset{X: x, Labels: y}, name == "numbers").fileData
		for _, k := range []int{2, 10, 99, n} {
			newCV := func(_ context.Context, spec *Spec, x *sparse.CSR, y []float64) (*crossValidation, error) {
				return newCrossValidation(spec, x, y, &CVSettings{Folds: k})
			}
			c, err := newCV(t.Context(), spec, x, y)
			if err != nil {
				t.Fatal(err)
			}
			folds, classCounts := foldsOf(c), map[float64][]int{}
			foldSizes := make([]int, k)
			for i, f := range folds {
				class := y[i]
				if name == "numbers" {
					class = 0
				}
				if classCounts[class] == nil {
					classCounts[class] = make([]int, k)
				}
				classCounts[class][f]++
				foldSizes[f]++
			}
			for class, rows := range classCounts {
				if slices.Max(rows)-slices.Min(rows) > 1 || slices.Max(foldSizes)-slices.Min(foldSizes) > 1 {
					t.Errorf("%s: %d folds of %v rows, of class %v %v", name, k, foldSizes, class, rows)
				}
			}
			otherSpec := *spec
			otherSpec.Seed = 8
			sameSeed, _ := newCV(t.Context(), spec, x, y)
			otherSeed, _ := newCV(t.Context(), &otherSpec, x, y)
			if !slices.Equal(folds, foldsOf(sameSeed)) || slices.Equal(folds, foldsOf(otherSeed)) {
				t.Errorf("%s: %d folds: the seed does not decide", name, k)
			}
			for ranks := 1; ranks < 5; ranks++ {
				rankCVs, errs := onRanks(t, ranks, spec, x, y, newCV)
				var joinedFolds []int
				for r, rankCV := range rankCVs {
					if errs[r] != nil {
						t.Fatal(errs[r])
					}
					joinedFolds = append(joinedFolds, rankCV.result.Assignment...)
				}
				if !slices.Equal(folds, joinedFolds) {
					t.Errorf("%s: %d folds on %d ranks are %v, want %v", name, k, ranks, joinedFolds, folds)
				}
			}
			spec := *spec
			spec.Memory = 1 << 20
			fileCV, err := newCV(t.Context(), &spec, fileData.X, fileData.Labels)
			if err != nil || !slices.Equal(folds, foldsOf(fileCV)) {
				t.Errorf("%s: %d folds of a file are %v, want %v (%v)", name, k, foldsOf(fileCV), folds, err)
			}
		}
	}
}

// TestCVByHand compares the results of CV with separate fits of all rows and of the rows outside each fold.
func TestCVByHand(t *testing.T) {
	tolerances := map[Measure]float64{ByLoss: 1e-6, ByError: 1e-12, ByAUC: 1e-9}
	twoClassData, twoLabels := randomData(t, 90, 6, 3, true)
	threeClassData, threeClassLabels := threeClassSample(t)
	for _, c := range []struct {
		x            *sparse.CSR
		y            []float64
		classWeights map[float64]float64
		measure      Measure
	}{
		{twoClassData, twoLabels, map[float64]float64{3: 1.5}, ByAUC},
		{threeClassData, threeClassLabels, map[float64]float64{10: 2}, ByLoss},
	} {
		x, y := c.x, c.y
		weights := make([]float64, len(y))
		for i := range weights {
			weights[i] = float64(1 + i%2)
		}
		spec := &Spec{SampleWeights: weights, ClassWeights: c.classWeights, Settings: solver.Settings{RelTol: 1e-11, Seed: 5}}
		set := &CVSettings{Path: PathSettings{Count: 4, Ratio: 0.01}, Folds: 4, Measure: c.measure}
		got := mustCV(t, spec, x, y, set)
		lambdaMax, err := LambdaMax(context.Background(), spec, x, y)
		if err != nil || math.Abs(got.Lambdas[0]-lambdaMax) > 1e-9*lambdaMax || len(got.Lambdas) != 4 {
			t.Errorf("lambdas %v, want the first to be %v (%v)", got.Lambdas, lambdaMax, err)
		}
		sign := c.measure.sign()
		for i, lambda := range got.Lambdas {
			fitSpec := *spec
			fitSpec.Lambda = lambda
			want := mustFit(t, &fitSpec, x, y)
			for k, m := range got.Path[i].Model().Columns {
				if a, b := m.Certificate, want.Columns[k].Certificate; math.Abs(a.Objective-b.Objective) > a.Gap+b.Gap {
					t.Errorf("lambda %v, column %v: %+v, alone %+v", lambda, k, a, b)
				}
			}
			var values, ws []float64
			var sum, totalWeight float64
			for k := range 4 {
				heldRows, trainingRows := splitRows(got.Assignment, k)
				fitSpec.SampleWeights = pick(weights, trainingRows)
				trainX, _ := x.SelectRows(trainingRows)
				heldX, _ := x.SelectRows(heldRows)
				metrics, err := mustFit(t, &fitSpec, trainX, pick(y, trainingRows)).Score(heldX,
					pick(y, heldRows), &ScoreSettings{Weights: pick(weights, heldRows)})
				if err != nil {
					t.Fatal(err)
				}
				for measure, v := range metrics.scores() {
					if math.Abs(got.Measures[measure].Values[k][i]-v) > tolerances[measure] {
						t.Errorf("fold %d, lambda %v: %s is %v, alone %v",
							k, lambda, measure, got.Measures[measure].Values[k][i], v)
					}
				}
				w := 0.0
				for _, i := range heldRows {
					w += weights[i]
				}
				v := got.Values[k][i]
				sum, totalWeight, values, ws = sum+w*v, totalWeight+w, append(values, v), append(ws, w)
			}
			mean, squareSum := sum/totalWeight, 0.0
			for k, v := range values {
				squareSum += ws[k] * (v - mean) * (v - mean)
			}
			checkNear(t, "mean", got.Mean[i], mean)
			checkNear(t, "standard error", got.SE[i], math.Sqrt(squareSum/totalWeight/3))
			// No mean is better than the mean of Best. The means before OneSE are worse than this
			// mean by more than the standard error of Best.
			if deficit := sign * (got.Mean[i] - got.Mean[got.Best]); deficit < 0 || i < got.OneSE && deficit <= got.SE[got.Best] {
				t.Errorf("best %d, one standard error %d of %v ± %v", got.Best, got.OneSE, got.Mean, got.SE)
			}
		}
		if sign*(got.Mean[got.OneSE]-got.Mean[got.Best]) > got.SE[got.Best] {
			t.Errorf("one standard error %d, best %d of %v ± %v", got.OneSE, got.Best, got.Mean, got.SE)
		}
		if m := got.OneSEModel(); m.Summary.Lambda != got.Lambdas[got.OneSE] ||
			got.BestModel().Summary.Lambda != got.Lambdas[got.Best] {
			t.Errorf("%+v", m.Summary)
		}
		spec.Threads = 1
		secondResult := mustCV(t, spec, x, y, set)
		sameCV(t, "one thread", got, secondResult)
		set.Measure, set.Metric = "", metricOf(c.measure)
		secondResult, err = CV(context.Background(), spec, x, y, set)
		if err != nil || secondResult.Best != got.Best || secondResult.OneSE != got.OneSE {
			t.Errorf("by a metric of the caller: %d and %d, not %d and %d (%v)",
				secondResult.Best, secondResult.OneSE, got.Best, got.OneSE, err)
		}
	}
}

// TestCVOfTies checks that Best and OneSE are the index of the largest lambda if all means are equal.
func TestCVOfTies(t *testing.T) {
	x, y := randomData(t, 20, 2, 3, true)
	for _, measure := range []Measure{ByError, ByAUC} {
		p := &problems{spec: &Spec{}, y: y}
		c := &crossValidation{measure: measure, foldWeights: []float64{1, 1}, problems: p, x: x}
		c.result.Lambdas = []float64{3, 2, 1}
		equalScores := scores{measure: 0.25}
		c.scores = [][]scores{{equalScores, equalScores, equalScores}, {equalScores, equalScores, equalScores}}
		c.summarise()
		if c.result.Best != 0 || c.result.OneSE != 0 {
			t.Errorf("%s: best %d, one standard error %d: want 0", measure, c.result.Best, c.result.OneSE)
		}
	}
}

// TestCVKinds checks CV for regression, with a graph, with offsets and with folds that the caller assigns. It
// also checks errors of CV.
func TestCVKinds(t *testing.T) {
	x, y := randomData(t, 60, 6, 3, false)
	offsets := make([]float64, 60)
	assignment := make([]int, 60)
	for i := range offsets {
		offsets[i], assignment[i] = math.Sin(float64(i)), i%3
	}
	for _, spec := range []*Spec{
		{Loss: solver.Squared{}}, {Loss: solver.Huber{}, Offsets: offsets}, {Loss: solver.Squared{}, Graph: graph.Chain(6)},
	} {
		r, err := CV(context.Background(), spec, x, y,
			&CVSettings{Path: PathSettings{Count: 8, Ratio: 1e-3}, Assignment: assignment})
		if err != nil || len(r.Mean) != 8 || len(r.Values) != 3 || r.OneSE > r.Best || !(r.Mean[r.Best] < r.Mean[0]) {
			t.Errorf("%+v: %+v, %v", spec, r, err)
		}
	}
	for want, set := range map[string]*CVSettings{
		"Folds = 1":          {Folds: 1},
		"Folds = 61":         {Folds: 61},
		"Assignment has":     {Assignment: []int{0, 1}},
		"Assignment[0] = -1": {Assignment: append([]int{-1}, assignment[1:]...)},
		"fold 1 of 3 has no": {Assignment: slices.Repeat([]int{0, 2}, 30)},
		"Assignment has folds 0 to 0; the number of folds must be between 2 and 60": {Assignment: make([]int, 60)},
		"own rows to judge":    {Path: PathSettings{Validation: &Validation{X: x, Y: y}}},
		"is for classificati":  {Measure: ByError},
		"\"auc\" is for class": {Measure: ByAUC},
		"\"f1\" is no measure": {Measure: "f1"},
		"Count = -2":           {Path: PathSettings{Count: -2}},
	} {
		if r, err := CV(context.Background(), &Spec{Loss: solver.Squared{}}, x, y, set); r != nil ||
			err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, r, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := CV(ctx, &Spec{Loss: solver.Squared{}}, x, y, nil); r != nil ||
		!errors.Is(err, context.Canceled) || strings.Count(err.Error(), "canceled") != 1 {
		t.Errorf("cancelled: %v, %v", r, err)
	}
}

// TestCVOfFewRows checks the default number of folds for few rows. It also checks the errors if a class has
// too few rows, and for settings that cannot be used.
func TestCVOfFewRows(t *testing.T) {
	ctx, set := context.Background(), &CVSettings{Path: PathSettings{Count: 5}}
	for _, c := range []struct{ rows, folds int }{{2, 2}, {6, 6}, {10, 10}, {25, 10}} {
		x, y := randomData(t, c.rows, 3, 4, false)
		r, err := CV(ctx, &Spec{Loss: solver.Squared{}}, x, y, set)
		if err != nil || len(r.Values) != c.folds || len(r.Assignment) != c.rows {
			t.Errorf("%d rows: %+v, %v", c.rows, r, err)
		}
		if c.rows < 4 {
			continue
		}
		for i := range y {
			y[i] = 0
		}
		y[1], y[c.rows-1] = 1, 1
		r, err = CV(ctx, nil, x, y, set)
		if err != nil || len(r.Values) != c.folds || r.Assignment[1] == r.Assignment[c.rows-1] {
			t.Errorf("%d rows of two classes: %+v, %v", c.rows, r, err)
		}
		y[1] = 0
		r, err = CV(ctx, nil, x, y, set)
		if r != nil || err == nil ||
			!strings.Contains(err.Error(), "has rows of label 1, row "+strconv.Itoa(c.rows-1)+" the first") {
			t.Errorf("%d rows, one of class 1: %v, %v", c.rows, r, err)
		}
	}
	x, _ := randomData(t, 6, 3, 4, false)
	y := []float64{1, 5, 1, 5, 1, 5}
	for want, set := range map[string]*CVSettings{
		"no fold but 0 has rows of label 1": {Assignment: []int{0, 1, 0, 1, 0, 1}},
		"the metric is no number":           {Path: PathSettings{Count: 3}, Measure: ByAUC},
		"no number in any fold":             {Path: PathSettings{Count: 3}, Metric: metricOf(ByAUC)},
		"or 0 for 6":                        {Folds: 7},
		"beside a metric of your own":       {Measure: ByAUC, Metric: metricOf(ByLoss)},
		"\"r2\" is for numbers":             {Measure: ByR2},
	} {
		if r, err := CV(ctx, nil, x, y, set); r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, r, err)
		}
	}
	oneRow, labels := randomData(t, 1, 3, 4, false)
	if r, err := CV(ctx, &Spec{Loss: solver.Squared{}}, oneRow, labels, nil); r != nil || err == nil ||
		!strings.Contains(err.Error(), "two rows or more") {
		t.Errorf("one row: %v, %v", r, err)
	}
}

// TestCVR2OfEqualLabels checks that R2 has a standard error if all labels are equal.
func TestCVR2OfEqualLabels(t *testing.T) {
	x, y := randomData(t, 12, 2, 3, false)
	for i := range y {
		y[i] = 1
	}
	set := &CVSettings{Path: PathSettings{Lambdas: []float64{0.1}}, Folds: 3, Measure: ByR2}
	for _, noIntercept := range []bool{false, true} {
		r, err := CV(context.Background(), &Spec{Loss: solver.Squared{}, NoIntercept: noIntercept}, x, y, set)
		if err != nil || r.SE[0] != 0 {
			t.Errorf("R2 %v, standard error %v, error %v", r.Mean, r.SE, err)
		}
	}
}

// TestCVR2 checks R2 and its standard error, and that R2 chooses the same lambdas as the mean squared error.
// It also checks a CVSettings.Metric with negative values.
func TestCVR2(t *testing.T) {
	x, y := randomData(t, 40, 5, 3, false)
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = float64(1 + i%3)
	}
	spec := &Spec{Loss: solver.Squared{}, SampleWeights: weights}
	for _, folds := range []int{4, 40} {
		set := &CVSettings{Path: PathSettings{Count: 10}, Folds: folds, Measure: ByR2}
		r := mustCV(t, spec, x, y, set)
		center := mean(weights, 40, func(i int) float64 { return y[i] })
		variance := mean(weights, 40, func(i int) float64 { return (y[i] - center) * (y[i] - center) })
		for i, v := range r.Mean {
			checkNear(t, "R2", v, 1-r.Measures[ByMSE].Mean[i]/variance)
			checkNear(t, "its standard error", r.SE[i], r.Measures[ByMSE].SE[i]/variance)
		}
		set.Measure = ByMSE
		mseResult, err := CV(context.Background(), spec, x, y, set)
		if err != nil || mseResult.Best != r.Best || mseResult.OneSE != r.OneSE ||
			r.Mean[r.Best] != slices.Max(r.Mean) {
			t.Errorf("by R2 %d and %d, by the squared error %d and %d (%v)",
				r.Best, r.OneSE, mseResult.Best, mseResult.OneSE, err)
		}
		set.Measure, set.Metric = "", func(m *Model, x *sparse.CSR, y []float64, s *ScoreSettings) (float64, error) {
			v, err := metricOf(ByMSE)(m, x, y, s)
			return -v, err
		}
		worstResult, err := CV(context.Background(), spec, x, y, set)
		if err != nil || worstResult.Mean[worstResult.Best] != -slices.Max(mseResult.Mean) ||
			len(worstResult.Measures) != 3 {
			t.Errorf("a metric of the caller's: %v at %d, %v", worstResult.Mean, worstResult.Best, err)
		}
	}
}

// devianceOfGlmnet is a Metric: twice the log loss, where each probability is limited to the range from
// 1e-5 to 1 − 1e-5, as in cv.glmnet.
func devianceOfGlmnet(m *Model, x *sparse.CSR, y []float64, _ *ScoreSettings) (float64, error) {
	p, err := m.Probabilities(nil, x)
	if err != nil {
		return 0, err
	}
	var sum float64
	for i, v := range p {
		if y[i] != m.Classes.Values[1] {
			v = 1 - v
		}
		sum -= 2 * math.Log(math.Min(math.Max(v, 1e-5), 1-1e-5))
	}
	return sum / float64(len(p)), nil
}

// TestCVOfGlmnet compares the means, the standard errors and the chosen lambdas with cv.glmnet for the same
// folds.
func TestCVOfGlmnet(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: some seconds")
	}
	rscript := programPath(t, "Rscript")
	for _, withClasses := range []bool{true, false} {
		x, y := randomData(t, 120, 6, 3, withClasses)
		spec := &Spec{Settings: solver.Settings{RelTol: 1e-13}}
		set := &CVSettings{Path: PathSettings{Count: 10, Ratio: 0.02}, Folds: 5, Metric: devianceOfGlmnet}
		family, unit := "binomial", 1.0
		if !withClasses {
			spec.Loss, set.Metric, family, unit = solver.Squared{}, metricOf(ByMSE), "gaussian", 2
		}
		got := mustCV(t, spec, x, y, set)
		dir := t.TempDir()
		writeTable(t, filepath.Join(dir, "d"), 120, func(i int) []float64 {
			row := []float64{y[i], float64(got.Assignment[i] + 1)}
			for j := range 6 {
				row = append(row, x.At(i, j))
			}
			return row
		})
		writeTable(t, filepath.Join(dir, "l"), 10, func(i int) []float64 { return []float64{got.Lambdas[i] / unit} })
		out := runProgram(t, rscript, "-e", fmt.Sprintf(`
if (!suppressWarnings(require(glmnet, quietly=TRUE))) { cat("no glmnet"); quit() }
d <- as.matrix(read.table("%[1]s/d")); glmnet.control(fdev=0, devmax=1)
f <- cv.glmnet(d[,-(1:2)], d[,1], foldid=d[,2], family="%[2]s", lambda=scan("%[1]s/l", quiet=TRUE), thresh=1e-16, maxit=1e8)
write.table(format(cbind(f$cvm, f$cvsd, f$index[,1]), digits=17), "%[1]s/out", quote=FALSE, row.names=FALSE, col.names=FALSE)`, dir, family))
		if strings.Contains(out, "no glmnet") {
			t.Skip("skipped: R has no glmnet")
		}
		for i, row := range sparsetest.Numbers(t, filepath.Join(dir, "out")) {
			if math.Abs(row[0]-got.Mean[i]) > 1e-7*row[0] || math.Abs(row[1]-got.SE[i]) > 1e-7*row[0] {
				t.Errorf("%s, lambda %d: %.9g ± %.9g, cv.glmnet %.9g ± %.9g", family, i, got.Mean[i], got.SE[i], row[0], row[1])
			}
		}
		glmnetNumbers := sparsetest.Numbers(t, filepath.Join(dir, "out"))
		if int(glmnetNumbers[0][2])-1 != got.Best || int(glmnetNumbers[1][2])-1 != got.OneSE {
			t.Errorf("%s: best %d, one standard error %d; cv.glmnet %v and %v",
				family, got.Best, got.OneSE, glmnetNumbers[0][2]-1, glmnetNumbers[1][2]-1)
		}
	}
}

// threeClassSample returns 150 points around three centres, with labels 0, 10 and 20.
func threeClassSample(t testing.TB) (*sparse.CSR, []float64) {
	x, _ := randomData(t, 150, 4, 12, true)
	data, y := make([]float64, 0, 600), make([]float64, 150)
	for i := range y {
		y[i] = float64(10 * (i % 3))
		for j := range 4 {
			v := x.At(i, j)
			if j == i%3 {
				v += 3 * math.Pow(10, float64(j%3-1))
			}
			data = append(data, v)
		}
	}
	return denseMatrix(t, 150, 4, data), y
}

// TestClasses checks that each column is the fit of a class against the rest. The probabilities of a row
// must sum to 1, and the predicted class must have the largest probability.
func TestClasses(t *testing.T) {
	x, y := threeClassSample(t)
	spec := &Spec{Lambda: 0.005, ClassWeights: map[float64]float64{10: 2}}
	m, err := Fit(context.Background(), spec, x, y)
	if err != nil || !slices.Equal(m.Classes.Values, []float64{0, 10, 20}) || m.Summary.ClassWeights[10] != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	weights := make([]float64, len(y))
	for i, v := range y {
		weights[i] = 1
		if v == 10 {
			weights[i] = 2
		}
	}
	for k, class := range m.Classes.Values {
		want := mustFit(t, &Spec{Lambda: 0.005, SampleWeights: weights}, x, signs(y, class))
		if !slices.Equal(want.Columns[0].Coefficients, m.Columns[k].Coefficients) ||
			m.Columns[k].Certificate != want.Columns[0].Certificate {
			t.Errorf("class %v: %+v, alone %+v", class, m.Columns[k], want)
		}
	}
	s, err := m.Score(x, y, nil)
	if err != nil || s.Classes.Accuracy < 0.6 {
		t.Errorf("%+v, %v", s, err)
	}
	dst := make([]float64, 3)
	for i := range y {
		idx, val := x.Row(i)
		p, err := m.RowProbabilities(dst, idx, val)
		label, err2 := m.Predict(idx, val)
		if err != nil || err2 != nil || math.Abs(p[0]+p[1]+p[2]-1) > 1e-14 ||
			m.Classes.Values[slices.Index(p, slices.Max(p))] != label {
			t.Errorf("row %d: %v, %v (%v, %v)", i, p, label, err, err2)
		}
	}
	idx, val := x.Row(0)
	if allocs := testing.AllocsPerRun(100,
		func() { _, _ = m.RowProbabilities(dst, idx, val); _, _ = m.Predict(idx, val) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
	if _, err := m.Predict([]int32{9}, []float64{1}); err == nil {
		t.Error("no error for a feature beyond the model")
	}
	for want, call := range map[string]func() (*Model, error){
		"149 labels":          func() (*Model, error) { return Fit(context.Background(), nil, x, y[1:]) },
		"leave Spec.Positive": func() (*Model, error) { return Fit(context.Background(), &Spec{Positive: &y[0]}, x, y) },
		"SampleWeights has": func() (*Model, error) {
			return Fit(context.Background(), &Spec{SampleWeights: y[1:], ClassWeights: spec.ClassWeights}, x, y)
		},
		"class 0: model: the rows of this class have no weight": func() (*Model, error) {
			return Fit(context.Background(), &Spec{SampleWeights: y}, x, y)
		},
	} {
		if m, err := call(); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, m, err)
		}
	}
}

func TestClassesFile(t *testing.T) {
	x, y := threeClassSample(t)
	m := mustFit(t, &Spec{Lambda: 0.005}, x, y)
	path := filepath.Join(t.TempDir(), "m.json")
	m.Classes.Names = []string{"ash", "birch", "cedar"}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	_, err = Read(strings.NewReader("\x00"), "m")
	sparsetest.CheckError(t, err, "not a text file")
	text, _ := os.ReadFile(path)
	for oldText, newText := range map[string]string{
		"[0,10,20]": "[0,20,10]", `"classes": [0,10`: `"classes": [0`, `"format": 3`: `"format": 9`,
		`"ash",`: ``, `"ash"`: `"zelkova"`, `"loss": "logistic"`: `"loss": "x"`,
	} {
		if _, err := Read(strings.NewReader(strings.Replace(string(text), oldText, newText, 1)), "m"); err == nil {
			t.Errorf("%s for %s: no error", newText, oldText)
		}
	}
	m.Loss = solver.Squared{}
	if m.Save(path) == nil {
		t.Error("saved classes of a loss for numbers")
	}
}

// TestClassesOfScikitLearn compares the probabilities with the one-vs-rest classifier of scikit-learn.
func TestClassesOfScikitLearn(t *testing.T) {
	x, y := threeClassSample(t)
	x, err := x.ScaleColumns([]float64{10, 1, 0.1, 10}) // scikit-learn is slow if columns have different scales
	if err != nil {
		t.Fatal(err)
	}
	spec := &Spec{Lambda: 0.02, Standardize: StandardizeOff, Settings: solver.Settings{RelTol: 1e-12}}
	m := mustFit(t, spec, x, y)
	rows := make([][]float64, len(y))
	for i := range rows {
		for j := range 4 {
			rows[i] = append(rows[i], x.At(i, j))
		}
	}
	var want [][]float64
	runPython(t, `
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
f = LogisticRegression(penalty="l1", solver="saga", C=1/(len(d["y"])*d["lambda"]), tol=1e-11, max_iter=1000000, random_state=0)
out = OneVsRestClassifier(f).fit(np.array(d["x"]), d["y"]).predict_proba(np.array(d["x"])).tolist()
`, map[string]any{"x": rows, "y": y, "lambda": spec.Lambda}, &want)
	for i := range y {
		idx, val := x.Row(i)
		p, err := m.RowProbabilities(nil, idx, val)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range p {
			if math.Abs(v-want[i][k]) > 1e-6 {
				t.Errorf("row %d: %v, scikit-learn %v", i, p, want[i])
				break
			}
		}
	}
}
