package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/integrate"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

type fitReport struct {
	Lambda      float64
	Objective   float64
	DualityGap  float64 `json:"duality_gap"`
	RelativeGap float64 `json:"relative_gap"`
}

func TestRelativeGap(t *testing.T) {
	for _, c := range []struct {
		gap, objective number
		want           string
	}{
		{1e-8, 0.5, "proved to be within 1e-08 of the optimum (2e-08 of the objective)"},
		{1e-8, 0, "proved to be within 1e-08 of the optimum"},
		{0, 0, "proved to be within 0 of the optimum (0 of the objective)"},
	} {
		if got := closeness(relativeGap(c.gap, c.objective), c.gap); got != c.want {
			t.Errorf("gap %v of %v: %q, want %q", c.gap, c.objective, got, c.want)
		}
	}
	if got := relativeGap(number(math.NaN()), 1); !math.IsNaN(float64(got)) {
		t.Errorf("an unknown gap is %v of the objective", got)
	}
}

// TestPathAgainstFits checks that the objectives of scas path and of scas train agree within their gaps for
// each lambda. Without groups and ridge terms, an objective that is computed here from the coefficients of
// scas path must agree with the reported one to 1e-12.
func TestPathAgainstFits(t *testing.T) {
	dir := t.TempDir()
	data := writeWDBC(t, dir)
	d, err := wdbcDataset()
	if err != nil {
		t.Fatal(err)
	}
	groups := writeText(t, dir, "groups", "1 2 3\n11 12\n") // 25 features are in no group
	for name, flags := range map[string][]string{
		"lasso": {"--intercept", "--no-standardize"},
		"chain": {"--intercept", "--graph", "chain"},
		"net":   {"--no-intercept", "--standardize", "--l1-ratio", "0.5"},
		"group": {"--no-intercept", "--no-standardize", "--groups", groups},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".csv")
			report := jsonOf[struct{ Steps []fitReport }](t,
				append([]string{
					"path", "--json", "--lambdas", "5", "--ratio", "0.01", "--tol", "1e-9", "-o", file, data,
				}, flags...)...)
			if len(report.Steps) != 5 {
				t.Fatalf("%d lambdas", len(report.Steps))
			}
			for _, s := range report.Steps {
				fit := jsonOf[fitReport](t,
					append([]string{
						"train", "--json", "--tol", "1e-9", "--lambda",
						strconv.FormatFloat(s.Lambda, 'g', -1, 64), data,
					}, flags...)...)
				for _, f := range []fitReport{s, fit} {
					if f.RelativeGap != f.DualityGap/f.Objective {
						t.Errorf("lambda %v: relative gap %v of %v and %v", s.Lambda, f.RelativeGap, f.DualityGap, f.Objective)
					}
				}
				if off := math.Abs(s.Objective - fit.Objective); !(off <= s.DualityGap+fit.DualityGap) ||
					!(s.DualityGap <= 1e-9) {
					t.Errorf("lambda %v: objectives %v and %v, gaps %v and %v",
						s.Lambda, s.Objective, fit.Objective, s.DualityGap, fit.DualityGap)
				}
			}
			if name == "net" || name == "group" {
				return // the penalty below has no ridge term, no scales of features and no groups
			}
			for lambda, x := range readCSV(t, file, 30) {
				loss, penalty := 0.0, 0.0
				for i, y := range d.Labels {
					margin := x[30]
					idx, val := d.X.Row(i)
					for k, j := range idx {
						margin += val[k] * x[j]
					}
					loss += math.Log1p(math.Exp(-y * margin))
				}
				for j, v := range x[:30] {
					penalty += math.Abs(v)
					if name == "chain" && j > 0 {
						penalty += math.Abs(v - x[j-1])
					}
				}
				want := loss/float64(len(d.Labels)) + lambda*penalty
				found := false
				for _, s := range report.Steps {
					found = found || s.Lambda == lambda && math.Abs(s.Objective-want) <= 1e-12
				}
				if !found {
					t.Errorf("lambda %v: the coefficients written cost %v, which is no step's objective", lambda, want)
				}
			}
		})
	}
}

// readCSV returns the coefficients for each lambda in a file of scas path: first for the p features, then the
// intercept. The test fails unless every fit converged with a gap of at most 1e-9.
func readCSV(t *testing.T, file string, p int) map[float64][]float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || fmt.Sprint(records[0]) != "[lambda feature coefficient gap status]" {
		t.Fatalf("%v: %v", err, records[0])
	}
	out := map[float64][]float64{}
	for _, r := range records[1:] {
		lambda, err1 := strconv.ParseFloat(r[0], 64)
		v, err2 := strconv.ParseFloat(r[2], 64)
		j, err3 := strconv.Atoi(r[1])
		if r[1] == "(intercept)" {
			j, err3 = p+1, nil
		}
		gap, err4 := strconv.ParseFloat(r[3], 64)
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil || !(gap >= 0 && gap <= 1e-9) || r[4] != "converged" {
			t.Fatalf("record %v", r)
		}
		if out[lambda] == nil {
			out[lambda] = make([]float64, p+1)
		}
		out[lambda][j-1] = v
	}
	return out
}

// TestCVAgainstFits checks that the rules min and 1se of --choose give the reported lambdas if they are
// applied to the reported means. The objective of the model of scas cv must agree, within the gaps, with the
// objective of scas train for the same lambda.
func TestCVAgainstFits(t *testing.T) {
	dir := t.TempDir()
	data, file := writeWDBC(t, dir), filepath.Join(dir, "m.json")
	type choice struct {
		Index   int
		Lambda  float64
		Mean    float64
		Metrics struct {
			Loss          float64 `json:"mean_loss"`
			Accuracy, AUC float64
		}
	}
	type cvOutput struct {
		Min, Chosen choice
		OneSE       choice `json:"one_se"`
		Steps       []struct{ Mean, SE, Lambda float64 }
	}
	r := jsonOf[cvOutput](t, "cv", "--json", "--folds", "5", "--lambdas", "30", "-o", file, data)
	for k, s := range r.Steps {
		if s.Mean < r.Min.Mean || k < r.OneSE.Index && s.Mean <= r.Min.Mean+r.Steps[r.Min.Index].SE {
			t.Errorf("min %+v and 1se %+v, but lambda %d has %+v", r.Min, r.OneSE, k, s)
		}
	}
	if r.OneSE.Index >= r.Min.Index || r.Chosen != r.Min || r.Min.Metrics.Loss != r.Min.Mean {
		t.Errorf("chosen %+v, of min %+v and 1se %+v", r.Chosen, r.Min, r.OneSE)
	}
	auc := jsonOf[cvOutput](t, "cv", "--json", "--folds", "5", "--lambdas", "30", "--metric", "auc", data)
	for k, s := range auc.Steps {
		if s.Mean > auc.Min.Mean || k < auc.OneSE.Index && s.Mean >= auc.Min.Mean-auc.Steps[auc.Min.Index].SE {
			t.Errorf("by AUC min %+v and 1se %+v, but lambda %d has %+v", auc.Min, auc.OneSE, k, s)
		}
	}
	if step := auc.Steps[r.Min.Index]; step.Mean != r.Min.Metrics.AUC || !(step.Mean > 0.9) || !(r.Min.Metrics.Accuracy > 0.9) {
		t.Errorf("AUC %v by --metric auc, %+v beside the loss", step.Mean, r.Min.Metrics)
	}
	m, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	fit := jsonOf[fitReport](t, "train", "--json", "--intercept", "--standardize", "--lambda",
		strconv.FormatFloat(r.Chosen.Lambda, 'g', -1, 64), data)
	if off := math.Abs(m.Columns[0].Certificate.Objective - fit.Objective); m.Summary.Lambda != r.Chosen.Lambda || !(off <= m.Columns[0].Certificate.Gap+fit.DualityGap) {
		t.Errorf("the model written is of lambda %v, objective %v; train has %+v",
			m.Summary.Lambda, m.Columns[0].Certificate.Objective, fit)
	}
}

// TestROCCurve checks that the area under the ROC curve is the AUC, also if rows have equal scores.
func TestROCCurve(t *testing.T) {
	scores := []float64{3, 1, 1, 2, 0, 1, 2, -1, 3, 0.5}
	isPositive := []bool{true, false, true, true, false, false, false, false, true, true}
	x, y := rocCurve(scores, isPositive)
	area := integrate.Trapezoidal(x, y)
	lastIndex := len(x) - 1
	// want is the share of pairs of a positive and a negative row in which the positive row has the larger
	// score. Equal scores count half.
	want := 0.0
	for i, p := range isPositive {
		for j, q := range isPositive {
			if p && !q {
				want += float64(1+cmp.Compare(scores[i], scores[j])) / 2 / float64(5*5)
			}
		}
	}
	if math.Abs(area-want) > 1e-15 || x[lastIndex] != 1 || y[lastIndex] != 1 {
		t.Errorf("area %v, AUC %v, curve %v, %v", area, want, x, y)
	}
}

// TestSumSteps checks that newStepReports adds up the objectives and the gaps of two classes. One fit converged.
// The other fit stalled and has no optimum, so the sum must be marked as stalled and without an optimum.
func TestSumSteps(t *testing.T) {
	goodColumn := model.StepColumn{
		Certificate: model.Certificate{Objective: 1, Gap: 0.5, Status: solver.Converged},
	}
	bad := model.StepColumn{Certificate: model.Certificate{Objective: 3, Gap: 1.5, Status: solver.Stalled, NoOptimum: true}}
	for _, columns := range [][]model.StepColumn{{goodColumn, bad}, {bad, goodColumn}} {
		sum := newStepReports([]*model.Step{{Columns: columns}}, true)[0]
		if !sum.NoOptimum || sum.Status != solver.Stalled || sum.Objective != 4 || sum.DualityGap != 2 {
			t.Errorf("%+v", sum)
		}
	}
}
