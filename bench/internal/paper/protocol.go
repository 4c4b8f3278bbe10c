package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// A Protocol says which runs an experiment consists of.
type Protocol struct {
	Splits int `json:"splits"`
	// SplitsOfOthers is the largest number of splits for runs that the paper's figures do not show: runs of
	// methods that are not in these figures, and runs with automatic parameters.
	SplitsOfOthers int `json:"splits_beyond_the_paper"`
	// Methods of the module that are not in the paper's figures are run only on the data sets DataOfOthers.
	// nil means all data sets.
	DataOfOthers []string `json:"data_beyond_the_paper,omitempty"`
	// SplitsOnHalf is the largest number of splits for runs with the rule OnHalf. Only methods in the
	// paper's figures have such runs.
	SplitsOnHalf int `json:"splits_tuned_on_the_half"`
	// Passes is the budget of a run in passes. A run of a batch method ends when both Passes and PaperPasses
	// of solver.Point have reached this budget.
	Passes      float64   `json:"passes"`
	Mus         []float64 `json:"mus"`          // the values of mu
	TuneSamples int       `json:"tune_samples"` // number of samples for tuning, from the training half
	// If Coarse is true, the search for parameters tries only every second value of step size and rho.
	Coarse  bool     `json:"coarse"`
	Data    []string `json:"data"` // names of the data sets
	Methods []Method `json:"methods"`
	// OwnMethods are a caller's methods, which the module does not have. See AddMethods.
	OwnMethods []solver.Method `json:"-"`
}

// FullProtocol returns the paper's protocol on all of its data sets. Methods that are not in the paper's
// figures are run only on a9a.
func FullProtocol() Protocol {
	return Protocol{
		Splits: 10, SplitsOfOthers: 1, SplitsOnHalf: 1, Passes: 30, Mus: []float64{0, 1e-4, 1e-2},
		TuneSamples: 500,
		Data:        []string{"a9a", "covtype", "rcv1", "sido"}, DataOfOthers: []string{"a9a"},
		Methods: moduleNames(),
	}
}

// QuickProtocol returns a small protocol for a test of the program.
func QuickProtocol() Protocol {
	p := FullProtocol()
	p.Splits, p.SplitsOnHalf, p.Passes, p.Mus, p.Coarse = 1, 0, 12, []float64{0, 1e-2}, true
	p.Data, p.DataOfOthers = []string{"a9a"}, nil
	return p
}

// A Rule says how the step size and rho of a run are chosen.
type Rule string

const (
	// Sampled is the rule of the paper: choose the parameters with the smallest objective on some samples
	// of the training half.
	Sampled Rule = "samples"
	// OnHalf chooses the parameters with the smallest objective on the whole training half.
	OnHalf Rule = "half"
	// Automatic leaves step size and rho to the method's defaults.
	Automatic Rule = "auto"
)

// Rules returns all rules, in the order of the report's columns.
func Rules() []Rule { return []Rule{Sampled, OnHalf, Automatic} }

// A Key identifies a run.
type Key struct {
	Data   string  `json:"data"`
	Mu     float64 `json:"mu"`
	Method Method  `json:"method"`
	Split  int     `json:"split"`
	// Rule says how the parameters were chosen. Output is the output for which they were chosen.
	Rule   Rule   `json:"rule"`
	Output Output `json:"by"`
}

// String returns the key as text for people.
func (k Key) String() string {
	return fmt.Sprintf("%s, mu %g, %s, split %d, %s, by %s",
		k.Data, k.Mu, k.Method, k.Split, k.Rule, k.Output)
}

// compare defines the order of keys in files.
func (k Key) compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Data, l.Data), cmp.Compare(k.Mu, l.Mu), cmp.Compare(k.Method, l.Method),
		cmp.Compare(k.Split, l.Split), cmp.Compare(k.Rule, l.Rule), cmp.Compare(k.Output, l.Output))
}

// TimedKey returns the key of the run that is timed instead of run k: k with the rule Sampled, and with the
// output that the method's curve shows. The parameters that a rule chooses hardly change the time of a pass.
func (pr *Protocol) TimedKey(k Key) Key {
	k.Rule, k.Output = Sampled, pr.Traits(k.Method).Outputs[0]
	return k
}

// AddMethods adds a caller's methods to the protocol.
func (pr *Protocol) AddMethods(methods ...solver.Method) {
	pr.OwnMethods = append(pr.OwnMethods, methods...)
	for _, m := range methods {
		pr.Methods = append(pr.Methods, m.Info().Name)
	}
}

// Validate checks Data, Methods, Splits and Passes.
func (pr *Protocol) Validate() error {
	for _, name := range pr.Data {
		if !slices.ContainsFunc(Specs(), func(s Spec) bool { return s.Name == name }) {
			return fmt.Errorf("paper: data set %q is unknown; there are a9a, covtype, rcv1 and sido", name)
		}
	}
	for _, m := range pr.Methods {
		if pr.Traits(m).Method == nil {
			return fmt.Errorf("paper: method %q is unknown; there are %v", m, moduleNames())
		}
	}
	if pr.Splits < 1 {
		return fmt.Errorf("paper: %d splits; at least 1 is needed", pr.Splits)
	}
	if !(pr.Passes >= 6) || math.IsInf(pr.Passes, 0) {
		return fmt.Errorf("paper: %g passes; at least 6 are needed, since tuning takes as many", pr.Passes)
	}
	return nil
}

// Keys returns the keys of the runs on one split of a data set with the given rules: for each mu and method,
// one slice of keys, ordered by rule and by Traits.Outputs.
func (pr *Protocol) Keys(s Spec, split int, rules ...Rule) (groups [][]Key) {
	for _, mu := range pr.Mus {
		for _, m := range pr.Methods {
			t := pr.Traits(m)
			var keys []Key
			for _, rule := range rules {
				if t.Applies(mu) && split < pr.splitCount(s, &t, rule) {
					for _, output := range t.Outputs {
						keys = append(keys, Key{s.Name, mu, m, split, rule, output})
					}
				}
			}
			if keys != nil {
				groups = append(groups, keys)
			}
		}
	}
	return groups
}

// splitCount returns the number of splits of a data set on which a method is run with a rule.
func (pr *Protocol) splitCount(s Spec, t *Traits, rule Rule) int {
	_, inModule := baseline.ByName(t.Info.Name)
	switch {
	case t.MaxFeatures > 0 && s.Features > t.MaxFeatures,
		t.Role != inFigures && inModule && pr.DataOfOthers != nil &&
			!slices.Contains(pr.DataOfOthers, s.Name),
		t.Role != inFigures && rule == OnHalf:
		return 0
	case rule == OnHalf:
		return min(pr.Splits, pr.SplitsOnHalf)
	case rule == Automatic || t.Role != inFigures:
		return min(pr.Splits, pr.SplitsOfOthers)
	default:
		return pr.Splits
	}
}
