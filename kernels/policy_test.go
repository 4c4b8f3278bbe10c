package kernels

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// mark returns a set whose kernels tell which set they come from.
func mark(l Level) *set {
	return &set{level: l,
		dot:  func(x, y []float64) float64 { return float64(l) },
		axpy: func(alpha float64, x, y []float64) { y[0] = float64(l) },
	}
}

// withSets puts sets of three levels in place of this machine's, with two
// kernels, so that the choice is tested on every machine.
func withSets(t *testing.T) {
	t.Helper()
	wasSets, wasMembers, wasActive := sets, members, active
	t.Cleanup(func() { sets, members, active = wasSets, wasMembers, wasActive })
	sets = []*set{mark(Generic), mark(AVX2), mark(AVX512)}
	members = []member{
		{"axpy", func(to, from *set) { to.axpy = from.axpy }},
		{"dot", func(to, from *set) { to.dot = from.dot }},
	}
	active = sets[2]
}

// TestStart plays pairs of environment variables, and looks at what would run.
func TestStart(t *testing.T) {
	withSets(t)
	for _, c := range []struct {
		level, kernels    string
		active, axpy, dot Level
	}{
		{"", "", AVX512, AVX512, AVX512},
		{"avx2", "", AVX2, AVX2, AVX2},
		{"", "axpy=avx2", AVX512, AVX2, AVX512},
		{"", "dot=generic,axpy=avx2", AVX512, AVX2, Generic},
		{"avx2", "dot=avx512", AVX2, AVX2, AVX512},
		{"generic", "dot=avx2", Generic, Generic, AVX2},
		{"", "innerdecay=generic", AVX512, AVX512, AVX512},
	} {
		s, err := start(c.level, c.kernels)
		if err != nil {
			t.Errorf("%s, %s: %v", c.level, c.kernels, err)
			continue
		}
		got := []float64{0}
		s.axpy(0, nil, got)
		if s.level != c.active || Level(got[0]) != c.axpy || Level(s.dot(nil, nil)) != c.dot {
			t.Errorf("%q, %q: level %v, axpy %v, dot %v, want %+v", c.level, c.kernels, s.level, Level(got[0]), Level(s.dot(nil, nil)), c)
		}
		active = s
		want := map[string]Level{"axpy": c.axpy, "dot": c.dot}
		for _, v := range Variants() {
			if v.Level != want[v.Kernel] { // Generic for kernels without members
				t.Errorf("%q, %q: Variants has %v", c.level, c.kernels, v)
			}
		}
		if sets[2].chosen != nil || Level(sets[2].dot(nil, nil)) != AVX512 {
			t.Fatal("a choice changed the set it started from")
		}
	}
}

// TestStartErrors: nothing is ignored, and the kernels then run at Generic.
func TestStartErrors(t *testing.T) {
	withSets(t)
	for _, c := range []struct{ kernels, want string }{
		{"margins", `"margins"; want kernel=level`},
		{",", `""; want kernel=level`},
		{"margins=avx2,", `""; want kernel=level`},
		{"margin=avx2", `unknown kernel "margin"; want one of margins, gradient`},
		{"margins=sse", `unknown level "sse"; want one of generic`},
		{"margins= avx2", `unknown level " avx2"`},
		{"margins=avx2,margins=avx512", `kernel "margins" is named twice`},
		{"innerdecay=avx2", "kernel innerdecay exists at level generic alone"},
	} {
		s, err := start("", c.kernels)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), kernelsEnv) {
			t.Errorf("%q: error %v, want one with %q and the variable", c.kernels, err, c.want)
		}
		if s != sets[0] {
			t.Errorf("%q: level %v, want generic", c.kernels, s.level)
		}
	}
	sets = sets[:2]
	if s, err := start("", "dot=avx512"); s != sets[0] || err == nil || !strings.Contains(err.Error(), "avx512 is not available") {
		t.Errorf("a level this machine has not: %v, error %v", s.level, err)
	}
}

// TestPolicy checks that a rule reaches its processor and no other.
func TestPolicy(t *testing.T) {
	withSets(t)
	defer func(was []rule) { policy = was }(policy)
	policy = []rule{
		{cpu{"A", 1}, []choice{{"dot", AVX2}}},
		{cpu{"A", 2}, nil},
		{cpu{"B", 1}, []choice{{"axpy", AVX2}, {"dot", Generic}}},
	}
	for _, c := range []struct {
		cpu
		dot Level
	}{{cpu{"A", 1}, AVX2}, {cpu{"A", 2}, AVX512}, {cpu{"B", 1}, Generic}, {cpu{"C", 1}, AVX512}, {cpu{"A", 3}, AVX512}} {
		if s := defaults(sets[2], c.cpu); Level(s.dot(nil, nil)) != c.dot || s.level != AVX512 {
			t.Errorf("%v: dot at %v, want %v", c.cpu, Level(s.dot(nil, nil)), c.dot)
		}
	}
	sets = sets[:1]
	if s := defaults(sets[0], cpu{"A", 1}); s != sets[0] {
		t.Error("a rule for levels that are not there changed the choice")
	}
}

// TestPolicyTable checks the real table: kernels and levels exist, and no
// processor is named twice.
func TestPolicyTable(t *testing.T) {
	seen := map[cpu]bool{}
	for _, r := range policy {
		if seen[r.cpu] {
			t.Errorf("%v has two rules", r.cpu)
		}
		seen[r.cpu] = true
		for _, c := range r.choices {
			if !slices.Contains(KernelNames(), c.kernel) || c.level >= numLevels {
				t.Errorf("%v: no kernel %q at %v", r.cpu, c.kernel, c.level)
			}
		}
	}
}

// TestGroups checks that every kernel has one public name, and that Calibrate
// knows every kernel.
func TestGroups(t *testing.T) {
	covered := map[string]int{}
	for _, name := range KernelNames() {
		for _, m := range membersOf(name) {
			covered[m.name]++
		}
	}
	for _, m := range members {
		if covered[m.name] != 1 {
			t.Errorf("kernel %s has %d public names, want 1; see groups", m.name, covered[m.name])
		}
	}
	work := map[string]bool{}
	for _, w := range calibrateWork() {
		work[w.kernel] = true
	}
	for _, name := range KernelNames() {
		if len(membersOf(name)) > 0 && !work[name] {
			t.Errorf("Calibrate has no work for %s", name)
		}
	}
}

// TestMixedBits: a mixture of levels gives the bits of the reference.
func TestMixedBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	was := active
	defer func() { active = was }()
	for range 20 {
		var choices []choice
		for _, name := range KernelNames() {
			if len(membersOf(name)) > 0 {
				choices = append(choices, choice{name, Available()[rng.IntN(len(sets))]})
			}
		}
		mixed, err := was.with(choices)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range operations {
			seed := rng.Uint64()
			active = mixed
			got := op.run(rand.New(rand.NewPCG(seed, 1)), sources[0], 77)
			active = &generic
			want := op.run(rand.New(rand.NewPCG(seed, 1)), sources[0], 77)
			for i := range want {
				sameVector(t, op.name, got[i], want[i])
			}
		}
	}
}

// TestCalibrate checks that the answer can be given back, and that nothing is
// changed by asking.
func TestCalibrate(t *testing.T) {
	was := active
	choice, timings := Calibrate(time.Millisecond)
	if active != was {
		t.Error("another set is in use afterwards")
	}
	if len(sets) == 1 {
		if choice != "" || timings != nil {
			t.Errorf("a choice %q of one", choice)
		}
		return
	}
	s, err := start("", choice)
	if err != nil {
		t.Fatalf("%q: %v", choice, err)
	}
	for _, name := range KernelNames() {
		if _, ok := s.chosen[name]; ok != (len(membersOf(name)) > 0) {
			t.Errorf("%q: a choice for %s: %v", choice, name, ok)
		}
	}
	for _, v := range timings {
		if !(v.Nanos > 0) || v.Level == Generic {
			t.Errorf("timing %+v", v)
		}
	}
}

// TestChooseFastest plays timings: a clear win of the lower level, one within
// the noise, a win on one shape of two, a kernel without timings.
func TestChooseFastest(t *testing.T) {
	var timings []Timing
	add := func(kernel string, avx2, avx512 float64) {
		timings = append(timings, Timing{Kernel: kernel, Level: AVX2, Nanos: avx2}, Timing{Kernel: kernel, Level: AVX512, Nanos: avx512})
	}
	add("margins", 0.9, 1)
	add("dot", 0.98, 1)
	add("axpy", 1, 0.5)
	add("slopes", 0.5, 1)
	add("slopes", 1.5, 1)
	add("prox", 0.5, 1)
	add("prox", 3, 1)
	timings = append(timings, Timing{Kernel: "update", Level: AVX2, Nanos: 1})
	const want = "margins=avx2,dot=avx512,axpy=avx512,slopes=avx2,update=avx2,prox=avx512"
	if got := chooseFastest(timings); got != want {
		t.Errorf("chose %s, want %s", got, want)
	}
}
