package newton

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A measured run: iterations and milliseconds to proved gaps.
type measured struct {
	goals []float64
	at    []int
	ms    []float64
	last  *Result
	time  float64
}

func measure(f *Finisher, x []float64, tol float64) *measured {
	m := &measured{goals: []float64{1e-4, 1e-6, 1e-9}, at: []int{-1, -1, -1}, ms: make([]float64, 3)}
	start := time.Now()
	note := func(iteration int, gap float64) {
		for k, goal := range m.goals {
			if m.at[k] < 0 && gap <= goal {
				m.at[k], m.ms[k] = iteration, time.Since(start).Seconds()*1e3
			}
		}
	}
	m.last = f.Finish(x, &Settings{Tol: tol, Record: func(p Progress) {
		note(p.Iteration, p.Gap)
		if os.Getenv("NEWTON_VERBOSE") != "" {
			fmt.Printf("   %d P %.15g gap %.2e tau %.2e length %.3f lifted %g\n", p.Iteration, p.Objective, p.Gap, p.Complementarity, p.Length, p.Lifted)
		}
	}})
	note(m.last.Iterations, m.last.Gap)
	m.time = time.Since(start).Seconds() * 1e3
	return m
}

func (m *measured) String() string {
	s := ""
	for k := range m.goals {
		s += fmt.Sprintf(" %3d (%7.1f ms)", m.at[k], m.ms[k])
	}
	r := m.last
	return fmt.Sprintf("%s | %3d it %2d damped, gap %.1e, P %.13g, polished %v, %.1f ms", s, r.Iterations, r.Damped, r.Gap, r.Objective, r.Polished, m.time)
}

// TestMeasure prints the table of the design; it needs NEWTON_MEASURE, the data, and
// some seconds.
func TestMeasure(t *testing.T) {
	if os.Getenv("NEWTON_MEASURE") == "" {
		t.Skip("skipped: NEWTON_MEASURE is not set; it asks for a table of times")
	}
	show := func(name string, p *Problem) {
		fmt.Printf("%-34s %s\n", name, measure(mustNew(t, p), nil, 1e-11))
	}
	x, y := load(t, "paper/a9a.zst", 123)
	show("a9a I", newProblem(x, y, term.Logistic{}, nil, 1e-5, 0))
	show("a9a 291 edges", newProblem(x, y, term.Logistic{}, readEdges(t, "graphs/a9a_glasso_0.1.edges", 123), 1e-5, 0))
	published, err := sparse.ReadMatrixFile(sparsetest.DataFile(t, "graphs/F_a9a_asvrpdhg.txt"))
	if err != nil {
		t.Fatal(err)
	}
	show("a9a F", newProblem(x, y, term.Logistic{}, published, 1e-5, 0))
	if os.Getenv("NEWTON_MEASURE") == "all" {
		x, y = load(t, "paper/covtype.libsvm.binary.scale.zst", 54)
		show("covtype I", newProblem(x, y, term.Logistic{}, nil, 1e-5, 0))
	}
	for _, set := range smallSets {
		raw, y := load(t, "small/"+set.name, set.p)
		for _, bad := range []bool{false, true} {
			x, name := raw, set.name
			if bad {
				x, name = rescaled(t, raw), name+" scaled"
			}
			top := lambdaMax(t, x, y, term.Logistic{})
			for _, part := range []float64{0.5, 1e-2, 1e-4, 1e-6} {
				show(fmt.Sprintf("%s I %g", name, part), newProblem(x, y, term.Logistic{}, nil, part*top, 0))
				show(fmt.Sprintf("%s chain %g", name, part), newProblem(x, y, term.Logistic{}, graph.Chain(set.p).FusedLasso(), part*top, 0))
			}
		}
	}
}
