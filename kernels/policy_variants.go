package kernels

import (
	"fmt"
	"maps"
	"strings"
)

// A member copies one kernel from set to set.
type member struct {
	name string
	copy func(to, from *set)
}

// groups gives the kernels their public names: a name stands for the members
// that start with one of the prefixes.
var groups = []struct {
	name     string
	prefixes []string
}{
	{"margins", []string{"margins", "rowLanes"}},
	{"gradient", []string{"scatter"}},
	{"dot", []string{"dot"}},
	{"axpy", []string{"axpy"}},
	{"slopes", []string{"logistic", "squared"}},
	{"update", []string{"update", "stepNorm", "scaleAdd"}},
	{"prox", []string{"softThreshold", "proxDual"}},
	{"innerdense", []string{"innerDense"}},
	{"innerbox", []string{"innerBox"}},
	{"innerlazy", []string{"innerLazy"}},
	{"innerdecay", []string{"innerDecay"}},
	{"innerrotated", []string{"innerRotated"}},
}

// membersOf returns the members a public name stands for: none if the kernel
// exists in portable Go alone, or if there is no such name.
func membersOf(kernel string) []member {
	var out []member
	for _, g := range groups {
		for _, m := range members {
			for _, prefix := range g.prefixes {
				if g.name == kernel && strings.HasPrefix(m.name, prefix) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// KernelNames returns the names that the environment variable SCAS_KERNELS
// takes.
func KernelNames() []string {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	return names
}

// A Variant says at which level a kernel runs.
type Variant struct {
	Kernel string // one of KernelNames
	Level  Level  // Generic also where the kernel exists in portable Go alone
}

// Variants returns the level of every kernel now in use.
func Variants() []Variant {
	out := make([]Variant, len(groups))
	for i, g := range groups {
		out[i] = Variant{g.name, active.levelOf(g.name)}
	}
	return out
}

func (s *set) levelOf(kernel string) Level {
	if len(membersOf(kernel)) == 0 {
		return Generic
	}
	if l, ok := s.chosen[kernel]; ok {
		return l
	}
	return s.level
}

// A choice puts one kernel at a level.
type choice struct {
	kernel string
	level  Level
}

// parseChoices reads the value of SCAS_KERNELS: kernel=level, separated by
// commas.
func parseChoices(value string) ([]choice, error) {
	if value == "" {
		return nil, nil
	}
	var out []choice
	seen := map[string]bool{}
	for item := range strings.SplitSeq(value, ",") {
		kernel, level, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("kernels: %q; want kernel=level, separated by commas, such as margins=avx2,innerlazy=generic", item)
		}
		if seen[kernel] {
			return nil, fmt.Errorf("kernels: kernel %q is named twice", kernel)
		}
		seen[kernel] = true
		l, err := ParseLevel(level)
		if err != nil {
			return nil, err
		}
		out = append(out, choice{kernel, l})
	}
	return out, nil
}

// with returns s with single kernels from other sets.
func (s *set) with(choices []choice) (*set, error) {
	if len(choices) == 0 {
		return s, nil
	}
	mixed := *s
	mixed.chosen = maps.Clone(s.chosen)
	if mixed.chosen == nil {
		mixed.chosen = map[string]Level{}
	}
	for _, c := range choices {
		if err := mixed.take(c); err != nil {
			return nil, err
		}
	}
	return &mixed, nil
}

func (s *set) take(c choice) error {
	list := membersOf(c.kernel)
	known := false
	for _, g := range groups {
		known = known || g.name == c.kernel
	}
	if !known {
		return fmt.Errorf("kernels: unknown kernel %q; want one of %s", c.kernel, strings.Join(KernelNames(), ", "))
	}
	from, err := lookup(c.level)
	if err != nil {
		return err
	}
	if len(list) == 0 && c.level != Generic {
		return fmt.Errorf("kernels: kernel %s exists at level generic alone", c.kernel)
	}
	for _, m := range list {
		m.copy(s, from)
	}
	s.chosen[c.kernel] = c.level
	return nil
}
