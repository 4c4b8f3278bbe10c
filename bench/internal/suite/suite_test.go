package suite

import (
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels"
)

// Every case of the suite: levels to the bit, naive loops to rounding.
func TestCases(t *testing.T) {
	for _, g := range Groups(Tiny) {
		cases := g.Build()
		if len(cases) != len(g.Names) {
			t.Fatalf("group %v builds %d cases", g.Names, len(cases))
		}
		for i, c := range cases {
			t.Run(g.Names[i], func(t *testing.T) {
				if got := c.Kernel + "/" + c.Shape; got != g.Names[i] {
					t.Errorf("the case is called %s", got)
				}
				if c.Units <= 0 || c.Flops <= 0 || len(c.Traffic) == 0 {
					t.Errorf("units %d, operations %g, traffic %v", c.Units, c.Flops, c.Traffic)
				}
				for _, tr := range c.Traffic {
					if tr.Bytes <= 0 || tr.Size <= 0 {
						t.Errorf("traffic %v", tr)
					}
				}
				if err := c.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The kernels must do something to what is checked: a State that a run leaves
// alone would compare nothing.
func TestCasesChangeTheirState(t *testing.T) {
	for _, g := range Groups(Tiny) {
		for _, c := range g.Build() {
			var before []float64
			for _, v := range c.Work.State {
				before = append(before, v...)
			}
			c.Work.Kernel()
			changed, at := false, 0
			for _, v := range c.Work.State {
				for _, x := range v {
					changed = changed || x != before[at]
					at++
				}
			}
			if !changed {
				t.Errorf("%s/%s: a run changes nothing", c.Kernel, c.Shape)
			}
		}
	}
}

func TestNamesAreBenchmarkNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []Scale{Full, Quick, Tiny} {
		clear(seen)
		for _, g := range Groups(s) {
			for _, n := range g.Names {
				if strings.ContainsAny(n, " \t()") || strings.Count(n, "/") != 1 || seen[n] {
					t.Errorf("scale %d: name %q is unfit or used twice", s, n)
				}
				seen[n] = true
			}
		}
	}
}

// The experiment, when it is built in, must be there on a machine that can run it.
func TestSIMDIsThere(t *testing.T) {
	f := simd()
	has := f.dot != nil
	if has != HasSIMD() || has != (f.update != nil) || has != (f.prox != nil) {
		t.Errorf("some forms are missing: %+v", f)
	}
	levels := kernels.Available()
	if simdBuilt && levels[len(levels)-1] == kernels.AVX512 && !has {
		t.Error("the build has simd/archsimd and the processor AVX-512, but there is no series")
	}
}

func TestRandomGraph(t *testing.T) {
	g := RandomGraph(123, GraphEdges, 8)
	gram := g.FusedLasso().Gram()
	if n := len(g.Edges()); n != GraphEdges || gram.NNZ() != 123+2*GraphEdges {
		t.Errorf("%d edges, %d nonzeros of A'A; want %d and %d", n, gram.NNZ(), GraphEdges, 123+2*GraphEdges)
	}
}
