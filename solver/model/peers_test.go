package model

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// peerSets lists the data sets for which fits are compared with other programs.
var peerSets = []struct {
	name       string
	features   int
	hasClasses bool // the labels are classes, not numbers
}{
	{"a1a", 123, true}, {"heart_scale", 13, true}, {"breast-cancer_scale", 10, true}, {"german.numer_scale", 24, true},
	{"abalone", 8, false}, {"housing_scale", 13, false},
}

// writeTable writes a text file with one line of numbers for each row.
func writeTable(t testing.TB, path string, rows int, row func(i int) []float64) {
	t.Helper()
	var b bytes.Buffer
	for i := range rows {
		for k, v := range row(i) {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.FormatFloat(v, 'g', 17, 64))
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A peerProblem is a problem that another program also solves.
type peerProblem struct {
	name    string
	spec    *Spec
	x       *sparse.CSR
	y       []float64
	steps   []*Step   // the path that this package computes
	lambdas []float64 // the lambdas of the steps, on the scale of the other program
}

// runGlmnet runs glmnet once for all problems. It returns the coefficients of glmnet, followed by the
// intercept, for each problem and lambda. It skips the test if glmnet is not installed.
func runGlmnet(t testing.TB, peers []peerProblem) [][][]float64 {
	t.Helper()
	rscript := programPath(t, "Rscript")
	dir := t.TempDir()
	script := fmt.Sprintf(`
if (!suppressWarnings(require(glmnet, quietly=TRUE))) { cat("no glmnet"); quit() }
d <- "%s"
glmnet.control(fdev=0, devmax=1)
numbers <- function(name) scan(file.path(d, name), quiet=TRUE)
fit <- function(k, family, alpha, standardize, intercept) {
  f <- glmnet(x, y, family=family, weights=numbers(paste0("w", k)), lambda=numbers(paste0("l", k)),
    alpha=alpha, standardize=standardize, intercept=intercept, thresh=1e-16, maxit=1e8)
  write.table(format(t(rbind(as.matrix(f$beta), f$a0)), digits=17), file.path(d, paste0("out", k)), quote=FALSE, row.names=FALSE, col.names=FALSE)
}
`, dir)
	writeVector := func(name string, k int, v []float64) {
		writeTable(t, filepath.Join(dir, fmt.Sprint(name, k)), len(v), func(i int) []float64 { return v[i : i+1] })
	}
	for k, q := range peers {
		if k == 0 || q.x != peers[k-1].x {
			rows := sparsetest.Dense(q.x)
			writeTable(t, filepath.Join(dir, fmt.Sprint("x", k)), len(rows), func(i int) []float64 { return rows[i] })
			writeVector("y", k, q.y)
			script += fmt.Sprintf("x <- as.matrix(read.table(file.path(d, \"x%d\"))); y <- numbers(\"y%d\")\n", k, k)
		}
		weights := q.spec.SampleWeights
		if weights == nil {
			weights = slices.Repeat([]float64{1}, len(q.y))
		}
		writeVector("w", k, weights)
		writeVector("l", k, q.lambdas)
		family := map[term.Loss]string{
			term.Logistic{}: "binomial", term.Squared{}: "gaussian", term.Poisson{}: "poisson",
		}[q.spec.loss()]
		script += fmt.Sprintf("fit(%d, %q, %g, %s, %s)\n",
			k, family, q.spec.l1Ratio(), rBool(q.spec.standardizes()), rBool(!q.spec.NoIntercept))
	}
	if out := runProgram(t, rscript, "-e", script); strings.Contains(out, "no glmnet") {
		t.Skip("skipped: R has no glmnet")
	}
	results := make([][][]float64, len(peers))
	for k, q := range peers {
		results[k] = sparsetest.Numbers(t, filepath.Join(dir, fmt.Sprint("out", k)))
		if len(results[k]) != len(q.lambdas) {
			t.Fatalf("glmnet gave %d of %d lambdas", len(results[k]), len(q.lambdas))
		}
	}
	return results
}

func rBool(v bool) string { return strings.ToUpper(strconv.FormatBool(v)) }

// TestGlmnet compares objectives with glmnet. For the squared loss, the lambda of glmnet is half of the
// lambda of this package. The elastic net for the squared loss is not compared, because glmnet standardises
// the labels.
func TestGlmnet(t *testing.T) {
	var peers []peerProblem
	for _, set := range peerSets {
		if testing.Short() && set.features != 13 {
			continue
		}
		x, y := loadData(t, "small/"+set.name, set.features)
		weights := make([]float64, len(y))
		for i := range weights {
			weights[i] = float64(1 + i%3)
		}
		// The Poisson loss needs labels ≥ 0. All sets whose labels are numbers have such labels.
		losses := []solver.Loss{solver.Squared{}, solver.Poisson{}}
		if set.hasClasses {
			losses = []solver.Loss{solver.Logistic{}}
		}
		for _, loss := range losses {
			specs := map[string]*Spec{
				"lasso":        {},
				"no intercept": {NoIntercept: true, Standardize: StandardizeOff},
				"unscaled":     {Standardize: StandardizeOff},
				"weighted":     {SampleWeights: weights},
			}
			unit := 2.0
			if (loss != solver.Squared{}) {
				unit, specs["elastic net"] = 1, &Spec{Penalty: ElasticNet{0.5}, SampleWeights: weights}
			}
			for name, spec := range specs {
				q := peerProblem{name: fmt.Sprintf("%s, glmnet, %v, %s", set.name, loss, name), spec: spec, x: x, y: y}
				spec.Loss, spec.RelTol = loss, 1e-10
				var err error
				q.steps, err = fitPath(context.Background(), spec, x, y, &PathSettings{Count: 5, Ratio: 1e-2})
				if err != nil {
					t.Errorf("%s: %v", q.name, err)
					continue
				}
				for _, s := range q.steps {
					q.lambdas = append(q.lambdas, s.Lambda/unit)
				}
				peers = append(peers, q)
			}
		}
	}
	for k, peerCoefficients := range runGlmnet(t, peers) {
		q := peers[k]
		for i, s := range q.steps {
			compareObjective(t, q.name, q.spec, q.x, q.y, s.Lambda, s.Columns[0].Certificate, peerCoefficients[i])
		}
	}
}

// compareObjective checks that the objective of a fit agrees to eight digits with the objective of another
// program, and is larger by at most the gap. peerCoefficients has the coefficients and then the intercept of
// that program.
func compareObjective(
	t *testing.T, name string, spec *Spec, x *sparse.CSR, y []float64, lambda float64,
	got Certificate, peerCoefficients []float64,
) {
	t.Helper()
	lambdaSpec := *spec
	lambdaSpec.Lambda = lambda
	p := len(peerCoefficients) - 1
	want := plainObjective(&lambdaSpec, x, y, peerCoefficients[:p], peerCoefficients[p])
	if excess := got.Objective - want; math.Abs(excess) > 1e-8*want || excess > got.Gap+1e-13*want {
		t.Errorf("%s, lambda %.4g: objective %.14g (gap %.1e), theirs %.14g", name, lambda, got.Objective, got.Gap, want)
	}
}

func TestLiblinearObjective(t *testing.T) {
	trainPath := programPath(t, "liblinear-train")
	dir := t.TempDir()
	dataPath, modelPath := filepath.Join(dir, "data"), filepath.Join(dir, "model")
	for _, set := range peerSets {
		if !set.hasClasses || testing.Short() && set.features > 13 {
			continue
		}
		x, y := loadData(t, "small/"+set.name, set.features)
		writeLIBSVM(t, dataPath, x, y)
		for kind, loss := range map[string]solver.Loss{"6": solver.Logistic{}, "5": solver.SquaredHinge{}} {
			spec := &Spec{
				Loss: loss, Lambda: 5e-3, NoIntercept: true, Standardize: StandardizeOff,
				Settings: solver.Settings{RelTol: 1e-11},
			}
			m := mustFit(t, spec, x, y)
			// liblinear minimises |w|₁ + C Σ loss, so C = 1/(n lambda). With a tolerance that liblinear
			// cannot reach, its result may be worse than with a looser tolerance. So the test runs several
			// tolerances and uses the best result.
			c := strconv.FormatFloat(1/(float64(len(y))*spec.Lambda), 'g', 17, 64)
			bestCoefficients, lowestObjective := []float64(nil), math.Inf(1)
			for _, e := range []string{"1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-9"} {
				runProgram(t, trainPath, "-q", "-s", kind, "-e", e, "-c", c, dataPath, modelPath)
				b := make([]float64, set.features+1)
				copy(b, readLiblinear(t, modelPath).Columns[0].Coefficients)
				if v := plainObjective(spec, x, y, b[:set.features], 0); v < lowestObjective {
					bestCoefficients, lowestObjective = b, v
				}
			}
			name := set.name + ", liblinear, " + loss.String()
			compareObjective(t, name, spec, x, y, spec.Lambda, m.Columns[0].Certificate, bestCoefficients)
		}
	}
}

func readLiblinear(t testing.TB, path string) *Model {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := ReadLiblinear(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScikitLearn(t *testing.T) {
	type problem struct {
		name  string
		spec  *Spec
		x     *sparse.CSR
		y     []float64
		model *Model
	}
	var problems []problem
	var inputs []map[string]any
	for _, set := range peerSets {
		if set.features != 13 {
			continue // scikit-learn takes half a minute to minutes for the others
		}
		x, y := loadData(t, "small/"+set.name, set.features)
		weights, rows := make([]float64, len(y)), make([][]float64, len(y))
		for i := range weights {
			weights[i], rows[i] = float64(1+i%3), make([]float64, set.features)
			for j := range rows[i] {
				rows[i][j] = x.At(i, j)
			}
		}
		type namedSpec struct {
			name string
			spec *Spec
		}
		cases := []namedSpec{
			{"lasso", &Spec{}}, {"weighted", &Spec{SampleWeights: weights}},
			{"elastic net", &Spec{Penalty: ElasticNet{0.3}}},
		}
		if !set.hasClasses {
			for _, c := range cases {
				c.spec.Loss = solver.Squared{}
			}
			cases = append(cases,
				namedSpec{"poisson", &Spec{Loss: solver.Poisson{}, Penalty: ElasticNet{0}, SampleWeights: weights}})
		}
		for _, c := range cases {
			c.spec.Standardize, c.spec.Lambda, c.spec.RelTol = StandardizeOff, 0.02, 1e-12
			problems = append(problems, problem{set.name + ", scikit-learn, " + c.name, c.spec, x, y, mustFit(t, c.spec, x, y)})
			inputs = append(inputs,
				map[string]any{
					"loss": c.spec.loss().String(), "x": rows, "y": y, "ratio": c.spec.l1Ratio(),
					"lambda": c.spec.Lambda, "w": c.spec.SampleWeights,
				})
		}
	}
	var out [][]float64
	runPython(t, `
import numpy as np
from sklearn.linear_model import LogisticRegression, ElasticNet, PoissonRegressor
out = []
for problem in d:
    x, y = np.array(problem["x"]), np.array(problem["y"])
    w = np.ones(len(y)) if problem["w"] is None else np.array(problem["w"])
    if problem["loss"] == "poisson":
        f = PoissonRegressor(alpha=problem["lambda"], solver="newton-cholesky", tol=1e-12, max_iter=1000)
    elif problem["loss"] == "logistic":
        f = LogisticRegression(penalty="elasticnet", solver="saga", l1_ratio=problem["ratio"], C=1/(w.sum()*problem["lambda"]), tol=1e-13, max_iter=200000, random_state=0)
    else:
        f = ElasticNet(alpha=problem["lambda"]/2, l1_ratio=problem["ratio"], tol=1e-15, max_iter=10000000)
    f.fit(x, y, sample_weight=w)
    out.append(list(np.ravel(f.coef_)) + [float(np.ravel(f.intercept_)[0])])
`, inputs, &out)
	for k, p := range problems {
		compareObjective(t, p.name, p.spec, p.x, p.y, p.spec.Lambda, p.model.Columns[0].Certificate, out[k])
	}
}
