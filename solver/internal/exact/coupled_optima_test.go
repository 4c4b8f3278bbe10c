package exact

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
	"gonum.org/v1/gonum/mat"
)

// TestOptima compares objectives with optima that another program computed with an accuracy of 1e-11. It also
// checks gaps, exact zeros and ties, and numbers of iterations.
func TestOptima(t *testing.T) {
	for _, o := range sparsetest.Optima(t) {
		x, y := readClasses(t, o.File, o.Features)
		var a *sparse.CSR
		switch o.A {
		case "":
		case "chain":
			a = graph.Chain(o.Features).FusedLasso()
		default:
			a = readEdges(t, o.A, o.Features)
		}
		r := mustNew(t, penalisedProblem(x, y, term.Logistic{}, a, o.Lambda, o.Mu)).Finish(nil, &Settings{Tol: 1e-12})
		t.Logf("%+v: off by %.1e, gap %.1e, %d iterations", o, r.Objective-o.Value, r.Gap, r.Iterations)
		if off := r.Objective - o.Value; !(math.Abs(off) < 2e-11) || !(r.Gap < 1e-12) || !r.Polished || r.Iterations > 17 {
			t.Errorf("%+v: off by %.1e, gap %.1e, polished %v, %d iterations", o, off, r.Gap, r.Polished, r.Iterations)
		}
		checkStructure(t, r)
	}
}

func TestCovtype(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes seconds")
	}
	x, y := readClasses(t, "paper/covtype.libsvm.binary.scale.zst", 54)
	r := mustNew(t, penalisedProblem(x, y, term.Logistic{}, nil, 1e-5, 0)).Finish(nil, &Settings{Tol: 1e-12})
	if !(r.Gap < 1e-12) || r.Iterations > 9 || math.Abs(r.Objective-0.5143942796) > 1e-9 {
		t.Errorf("objective %.16g, gap %.1e, %d iterations", r.Objective, r.Gap, r.Iterations)
	}
}

var smallSets = []struct {
	name string
	p    int
}{{"heart_scale", 13}, {"german.numer_scale", 24}, {"breast-cancer_scale", 10}, {"a1a", 123}}

// eachSmallProblem calls f in a subtest for each combination of a data set of smallSets, with unscaled or
// rescaled columns, a loss, a matrix A and a lambda. A is the identity, with or without the differences of
// neighbours. lambda is an element of shares times the LambdaMax of the problem with A = I.
func eachSmallProblem(t *testing.T, losses []term.Loss, shares []float64, f func(t *testing.T, p *Problem)) {
	for _, set := range smallSets {
		raw, y := readClasses(t, "small/"+set.name, set.p)
		for _, x := range []*sparse.CSR{raw, rescaled(t, raw)} {
			for _, loss := range losses {
				lambdaMax, err := mustNew(t, penalisedProblem(x, y, loss, nil, 1, 0)).LambdaMax(nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, share := range shares {
					for _, a := range []*sparse.CSR{nil, graph.Chain(set.p).FusedLasso()} {
						t.Run(fmt.Sprintf("%s/rescaled=%v/%T/%g/chain=%v",
							set.name, x != raw, loss, share, a != nil), func(t *testing.T) {
							f(t, penalisedProblem(x, y, loss, a, share*lambdaMax, 0))
						})
					}
				}
			}
		}
	}
}

func TestSmallSets(t *testing.T) {
	eachSmallProblem(t, losses, []float64{0.5, 1e-2, 1e-4, 1e-6}, func(t *testing.T, p *Problem) {
		r := mustNew(t, p).Finish(nil, &Settings{Tol: 1e-11})
		if !(r.Gap <= 1e-11) || r.Iterations > 30 {
			t.Errorf("gap %.1e, %d iterations, polished %v", r.Gap, r.Iterations, r.Polished)
		}
		checkStructure(t, r)
	})
}

// TestExactEnd checks that a run with a tolerance of 1e-6 finds the zeros of A x at the solution, if the
// solution is unique, and that no proved gap is below the true gap.
func TestExactEnd(t *testing.T) {
	eachSmallProblem(t, []term.Loss{term.Logistic{}, term.Squared{}}, []float64{0.5, 0.1, 1e-2, 1e-4},
		func(t *testing.T, p *Problem) {
			s := mustNew(t, p)
			best := s.Finish(nil, &Settings{Tol: 1e-13 * s.Scale()})
			r := mustNew(t, p).Finish(nil, &Settings{Tol: 1e-6 * s.Scale()})
			if excess := trueExcess(s, r.X, best.X); !(r.Gap >= excess) {
				t.Errorf("proved %.1e, %.1e above the optimum", r.Gap, excess)
			} else if b := s.Certify(r.X, &Settings{}); !(b >= excess) || !(b <= 3*excess) && !(b <= 1e-11*s.Scale()) {
				t.Errorf("Certify proves %.1e, %.1e above the optimum", b/s.Scale(), excess/s.Scale())
			}
			if !r.Polished || !best.Polished {
				t.Errorf("polished %v after %d iterations, gap %.1e; %v, gap %.1e",
					r.Polished, r.Iterations, r.Gap/s.Scale(), best.Polished, best.Gap/s.Scale())
			}
			if dependent(t, p, r.X, best.X) {
				return // the solution may not be unique
			}
			v, want := imageOf(p, r.X), imageOf(p, best.X)
			for k := range v {
				if (v[k] == 0) != (want[k] == 0) {
					t.Errorf("row %d of A x is %v, at the optimum %v", k, v[k], want[k])
				}
			}
		})
}

// dependent reports whether the data have linearly dependent columns among the features at which u or v is
// not zero.
func dependent(t *testing.T, p *Problem, u, v []float64) bool {
	n, _ := p.Data.Dims()
	var used []int
	for j := range u {
		if u[j] != 0 || v[j] != 0 {
			used = append(used, j)
		}
	}
	if len(used) == 0 {
		return false
	}
	x := mat.NewDense(n, len(used), nil)
	for k, j := range used {
		x.SetCol(k, mat.Col(nil, j, p.Data))
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	return svd.Rank(1e-10) < len(used)
}

// TestFreeColumn solves problems in which the column of a free feature is a sum of one-hot columns. Within 15
// steps, a gap must be proved and zeros must be exact.
func TestFreeColumn(t *testing.T) {
	problem := load(t, "small/a1a", 123) // with a column of ones
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}} {
		for _, joint := range []bool{false, true} {
			p := *problem
			p.Loss, p.joint = loss, joint
			s := mustNew(t, &p)
			lambdaMax, err := s.LambdaMax(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, share := range []float64{0.1, 1e-2, 1e-3, 1e-4} {
				p.Limit = slices.Repeat([]float64{share * lambdaMax}, 124)
				p.Limit[123] = 0
				r := mustNew(t, &p).Finish(nil, &Settings{Tol: 1e-12 * s.Scale()})
				if !(r.Gap <= 1e-12*s.Scale()) || !r.Polished || r.Iterations > 15 {
					t.Errorf("%T, joint %v, %g: gap %.1e, polished %v, %d iterations",
						loss, joint, share, r.Gap/s.Scale(), r.Polished, r.Iterations)
				}
			}
		}
	}
}
