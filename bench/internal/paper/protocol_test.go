package paper

import (
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// TestRuns checks which runs the full protocol has, and that a caller's own method is run on all data sets.
func TestRuns(t *testing.T) {
	pr := FullProtocol()
	pr.AddMethods(ownSCAS{})
	for _, s := range Specs() {
		wide := s.Features > baseline.MaxFactored
		for split := range pr.Splits {
			firstSplit := split < pr.SplitsOfOthers
			runsOthers := firstSplit && s.Name == "a9a"
			count := map[Method]int{}
			for _, k := range slices.Concat(pr.Keys(s, split, Rules()...)...) {
				count[k.Method]++
				if !firstSplit && k.Rule != Sampled || split >= pr.SplitsOnHalf && k.Rule == OnHalf {
					t.Errorf("%v is run", k)
				}
			}
			ruleCount := len(Rules())
			if split >= pr.SplitsOnHalf {
				ruleCount--
			}
			if !firstSplit {
				ruleCount = 1
			}
			if n := count[solver.SCAS{}.Info().Name]; n != 2*len(pr.Mus)*ruleCount {
				t.Errorf("%s, split %d: %d runs of scas", s.Name, split, n)
			}
			if n := count[baseline.SVRG{}.Info().Name]; (n > 0) != runsOthers {
				t.Errorf("%s, split %d: %d runs of a successor", s.Name, split, n)
			}
			if n := count[baseline.BatchCG{}.Info().Name]; (n > 0) != (runsOthers && !wide) {
				t.Errorf("%s, split %d: %d runs of batch-cg", s.Name, split, n)
			}
			if n := count[baseline.OADM{}.Info().Name]; (n > 0) != runsOthers {
				t.Errorf("%s, split %d: %d runs of oadm", s.Name, split, n)
			}
			if n := count[ownSCAS{}.Info().Name]; (n > 0) != firstSplit {
				t.Errorf("%s, split %d: %d runs of a caller's method", s.Name, split, n)
			}
		}
	}
}
