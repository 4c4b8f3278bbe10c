package suite

import (
	"slices"
	"strings"
	"testing"
)

func matchAll(string) bool { return true }

// TestCases checks every case: its name is unique, its run changes the vectors of Case.State, all
// levels compute the same bits, and the naive loop agrees with them up to rounding.
func TestCases(t *testing.T) {
	seen := map[string]bool{}
	for c := range Cases(Tiny, matchAll) {
		name := c.Kernel + "/" + c.Shape
		if strings.ContainsAny(name, " \t()") || seen[name] {
			t.Errorf("name %q is unfit for a benchmark or used twice", name)
		}
		seen[name] = true
		if c.Units <= 0 || c.Flops <= 0 || len(c.Traffic) == 0 {
			t.Errorf("%s: units %d, operations %g, traffic %v", name, c.Units, c.Flops, c.Traffic)
		}
		for _, tr := range c.Traffic {
			if tr.Bytes <= 0 || tr.Size <= 0 {
				t.Errorf("%s: traffic %v", name, tr)
			}
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
		before := slices.Concat(c.State...)
		c.Run()
		if slices.Equal(before, slices.Concat(c.State...)) {
			t.Errorf("%s: a run changes nothing", name)
		}
	}
	for _, k := range onRows {
		for _, name := range strings.Fields(k.shapes) {
			if !seen[k.kernel+"/"+name] {
				t.Errorf("%s is not measured on %s: no such shape", k.kernel, name)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	var got []string
	for c := range Cases(Tiny, func(name string) bool { return strings.HasPrefix(name, "Hessian/a9a") || name == "Dot/n=123" }) {
		got = append(got, c.Kernel+"/"+c.Shape)
	}
	if want := []string{"Dot/n=123", "Hessian/a9a", "Hessian/a9a-compact"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTrafficSize checks the size of the vectors that have an entry for each column. MarginsGradient has
// two of them, the coefficients and the gradient, so they take twice as many bytes as in Margins, which has
// only the coefficients.
func TestTrafficSize(t *testing.T) {
	sizes := map[string]int{}
	for c := range Cases(Tiny, func(name string) bool { return name == "Margins/a9a" || name == "MarginsGradient/a9a" }) {
		sizes[c.Kernel] = c.Traffic[1].Size
	}
	if one := sizes["Margins"]; one == 0 || sizes["MarginsGradient"] != 2*one {
		t.Errorf("%v", sizes)
	}
}
