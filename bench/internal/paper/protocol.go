package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// A Protocol says what is run.
type Protocol struct {
	Graph  Graph `json:"graph"`
	Splits int   `json:"splits"`
	// Beyond is how many splits, at most, there are of what the paper does not have: other
	// methods, and other ways of choosing parameters; on the larger data sets also of methods
	// that are in none of its figures.
	Beyond      int       `json:"splits_beyond_the_paper"`
	Passes      float64   `json:"passes"` // budget of every run
	Mus         []float64 `json:"mus"`    // coefficients of the L2 term, 0 first
	TuneSamples int       `json:"tune_samples"`
	// Coarse leaves out every other point of the grids.
	Coarse bool     `json:"coarse"`
	Data   []string `json:"data"` // names of the data sets
	// Methods are those of the solver unless a choice was made.
	Methods []Method `json:"methods"`
	// Own are methods beside those of the solver; see Join.
	Own []solver.Method `json:"-"`
	// Sets are all data sets there are; nil means those of Specs.
	Sets []Spec `json:"-"`
}

// Full is the paper's protocol on all of its data sets.
func Full() Protocol {
	return Protocol{
		Graph: Antisymmetric, Splits: 10, Beyond: 3, Passes: 30, Mus: []float64{0, 1e-4, 1e-2}, TuneSamples: 500,
		Data: []string{"a9a", "covtype", "rcv1", "sido", "heart"}, Methods: registered(),
	}
}

// Quick is enough to see that everything works, and roughly what comes out.
func Quick() Protocol {
	p := Full()
	p.Splits, p.Passes, p.Mus, p.Coarse, p.Data = 1, 16, []float64{0, 1e-2}, true, []string{"a9a", "heart"}
	return p
}

// Join adds methods of a caller's own: they run with the common grids, and are judged at their
// last iterate.
func (pr *Protocol) Join(own ...solver.Method) {
	pr.Own = append(pr.Own, own...)
	for _, m := range own {
		pr.Methods = append(pr.Methods, m.Info().Name)
	}
}

// methodOf returns the method of a name, nil if it is not known.
func (pr Protocol) methodOf(name Method) solver.Method {
	for _, m := range pr.Own {
		if m.Info().Name == name {
			return m
		}
	}
	return methodOf(name)
}

// names are those of all methods.
func (pr Protocol) names() []Method {
	names := registered()
	for _, m := range pr.Own {
		names = append(names, m.Info().Name)
	}
	return names
}

// applies is Applies, for methods of a caller's own too.
func (pr Protocol) applies(name Method, mu float64) bool {
	m := pr.methodOf(name) // nil if only its results were kept
	return Applies(name, mu) && (mu > 0 || m == nil || !m.Info().NeedsL2)
}

// Validate reports the first thing wrong with a protocol.
func (pr Protocol) Validate() error {
	for _, name := range pr.Data {
		if !slices.ContainsFunc(Specs(), func(s Spec) bool { return s.Name == name }) {
			return fmt.Errorf("paper: data set %q is unknown; there are a9a, covtype, rcv1, sido and heart", name)
		}
	}
	for _, m := range pr.Methods {
		if pr.methodOf(m) == nil {
			return fmt.Errorf("paper: method %q is unknown; there are %v", m, pr.names())
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

// wholePasses is the budget on small problems without a split.
const wholePasses = 300

// PassesOn returns the budget of a run on a data set.
func (pr Protocol) PassesOn(s Spec) float64 {
	if s.Whole {
		return max(pr.Passes, wholePasses)
	}
	return pr.Passes
}

// SplitsOn returns how many splits of a data set are run.
func (pr Protocol) SplitsOn(s Spec) int {
	if s.Whole {
		return 1
	}
	return pr.Splits
}

// MusOn returns the coefficients of the L2 term for a data set.
func (pr Protocol) MusOn(s Spec) []float64 {
	if s.Mus != nil {
		return s.Mus
	}
	return pr.Mus
}

// traits returns those of a method under this protocol.
func (pr Protocol) traits(m Method) Traits {
	t := TraitsOf(m)
	if methodOf(m) == nil {
		info := pr.methodOf(m).Info()
		t.NoStep = !info.TakesEta
		t.lipschitz(max(1, info.StepUnit))
	}
	if pr.Coarse {
		t.Steps, t.Rhos = everyOther(t.Steps), everyOther(t.Rhos)
	}
	return t
}

// everyOther keeps the last, which may be a bound of theory.
func everyOther(grid []float64) []float64 {
	var out []float64
	for k := (len(grid) - 1) % 2; k < len(grid); k += 2 {
		out = append(out, grid[k])
	}
	return out
}

// Keys returns the runs on one split of a data set.
func (pr Protocol) Keys(s Spec, split int) []Key { return slices.Concat(pr.batches(s, split)...) }

// batches returns the same, those of a method on a problem together.
func (pr Protocol) batches(s Spec, split int) [][]Key {
	var all [][]Key
	for _, mu := range pr.MusOn(s) {
		for _, m := range pr.Methods {
			if t := TraitsOf(m); !pr.applies(m, mu) || t.MostFeatures > 0 && s.Features > t.MostFeatures {
				continue
			}
			if keys := pr.variants(s, Key{Data: s.Name, Mu: mu, Method: m, Split: split}); len(keys) > 0 {
				all = append(all, keys)
			}
		}
	}
	return all
}

// variants returns the runs of a method on a problem and split: for every rule and
// output.
func (pr Protocol) variants(s Spec, k Key) (all []Key) {
	t := TraitsOf(k.Method)
	for _, k.Rule = range Rules() {
		if k.Split >= pr.splitsBy(s, k.Rule, t) {
			continue
		}
		for _, k.By = range t.Outputs {
			all = append(all, k)
		}
	}
	return all
}

// splitsBy returns on how many splits of a data set a method is run with parameters chosen by
// a rule.
func (pr Protocol) splitsBy(s Spec, by Rule, t Traits) int {
	switch splits := pr.SplitsOn(s); {
	case by == Whole && s.Long:
		return min(splits, pr.Beyond, 1)
	case by != Sampled || t.Group != Compared || s.Long && !t.Figured:
		return min(splits, pr.Beyond)
	default:
		return splits
	}
}

// timed returns the runs whose seconds are measured: for every method that with the
// parameters of the paper's rule for its first output. How long a pass takes hardly
// depends on them.
func (pr Protocol) timed(s Spec, split int) []Key {
	return slices.DeleteFunc(pr.Keys(s, split), func(k Key) bool { return k != k.Timed() })
}

// Timed returns the run that tells the seconds of another.
func (k Key) Timed() Key {
	k.Rule, k.By = Sampled, TraitsOf(k.Method).Output
	return k
}

// Specs returns the data sets of the protocol, in the order of all there are.
func (pr Protocol) Specs() []Spec {
	all := pr.Sets
	if all == nil {
		all = Specs()
	}
	var out []Spec
	for _, s := range all {
		if slices.Contains(pr.Data, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// Work returns about how many seconds of a core the protocol takes, timed runs included.
func (pr Protocol) Work(timedSplits int) float64 {
	var sum float64
	for _, s := range pr.Specs() {
		splits := pr.SplitsOn(s)
		for split := range splits {
			sum += s.Work * float64(len(pr.Keys(s, split)))
		}
		for split := range min(timedSplits, splits) {
			sum += s.Work * float64(len(pr.timed(s, split)))
		}
	}
	return sum
}
