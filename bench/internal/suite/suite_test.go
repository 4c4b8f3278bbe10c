package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/kernels"
)

// tinyCases returns all cases, with the names that their groups promise.
func tinyCases(t *testing.T) (names []string, cases []measure.Case) {
	t.Helper()
	for _, g := range Groups(Tiny) {
		built := g.Build()
		if len(built) != len(g.Names) {
			t.Fatalf("group %v builds %d cases", g.Names, len(built))
		}
		names, cases = append(names, g.Names...), append(cases, built...)
	}
	return names, cases
}

// Every case of the suite: levels to the bit, naive loops to rounding.
func TestCases(t *testing.T) {
	names, cases := tinyCases(t)
	for i, c := range cases {
		t.Run(names[i], func(t *testing.T) {
			if got := c.Kernel + "/" + c.Shape; got != names[i] {
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

// The kernels must do something to what is checked: a State that a run leaves
// alone would compare nothing.
func TestCasesChangeTheirState(t *testing.T) {
	_, cases := tinyCases(t)
	for _, c := range cases {
		before := slices.Concat(c.Work.State...)
		c.Work.Kernel()
		if slices.Equal(before, slices.Concat(c.Work.State...)) {
			t.Errorf("%s/%s: a run changes nothing", c.Kernel, c.Shape)
		}
	}
}

func TestNamesAreBenchmarkNames(t *testing.T) {
	for _, s := range []Scale{Full, Quick, Tiny} {
		var names []string
		for _, g := range Groups(s) {
			names = append(names, g.Names...)
		}
		seen := map[string]bool{}
		for _, n := range names {
			if strings.ContainsAny(n, " \t()") || strings.Count(n, "/") != 1 || seen[n] {
				t.Errorf("scale %d: name %q is unfit or used twice", s, n)
			}
			seen[n] = true
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
