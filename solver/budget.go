package solver

import (
	"fmt"
	"math"
)

// affords reports whether the budget has room for so many more passes.
func (r *run) affords(passes float64) bool {
	return r.passes+passes <= r.set.Passes*(1+1e-12)
}

// budgetError is an error if not even one outer iteration fits the budget.
func (r *run) budgetError(passes float64) error {
	if r.outer > 0 {
		return nil
	}
	return &SettingError{"Passes", r.set.Passes, fmt.Sprintf("one outer iteration costs %s here; allow at least as many", countPasses(passes))}
}

func countPasses(passes float64) string {
	if passes == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%.6g passes", passes)
}

// accumulate takes x and y, the t-th of their kind, into the means of the outer
// iterates.
func (r *run) accumulate(t int) {
	weight := 1 / float64(t)
	for j, v := range r.x {
		r.xbar[j] = math.FMA(weight, v-r.xbar[j], r.xbar[j])
	}
	for j, v := range r.y {
		r.ybar[j] = math.FMA(weight, v-r.ybar[j], r.ybar[j])
	}
}
