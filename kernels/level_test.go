package kernels

import (
	"slices"
	"strings"
	"testing"
)

func TestParseLevel(t *testing.T) {
	for l := Generic; l < numLevels; l++ {
		got, err := ParseLevel(l.String())
		if err != nil || got != l {
			t.Errorf("ParseLevel(%q) = %v, %v", l.String(), got, err)
		}
	}
	for _, name := range []string{"", "AVX2", "sse", "avx512 "} {
		if _, err := ParseLevel(name); err == nil || !strings.Contains(err.Error(), "generic, avx2, avx512") {
			t.Errorf("ParseLevel(%q): error %v does not list the levels", name, err)
		}
	}
	if got := Level(7).String(); got != "Level(7)" {
		t.Errorf("Level(7) prints as %q", got)
	}
}

func TestAvailable(t *testing.T) {
	requireLevels(t)
	got := Available()
	if len(got) == 0 || got[0] != Generic || !slices.IsSorted(got) {
		t.Errorf("Available() = %v, want an ascending list from generic", got)
	}
}

func TestUse(t *testing.T) {
	level := Active()
	defer use(t, level)
	for l := Generic; l <= numLevels; l++ {
		err := Use(l)
		if slices.Contains(Available(), l) {
			if err != nil || Active() != l {
				t.Errorf("Use(%v) = %v, active %v", l, err, Active())
			}
		} else if err == nil || !strings.Contains(err.Error(), "available: [generic") {
			t.Errorf("Use(%v): error %v does not list what is available", l, err)
		}
	}
}

func TestStartSet(t *testing.T) {
	if s, err := startSet(""); err != nil || s != sets[len(sets)-1] {
		t.Errorf("no value: level %v, error %v", s.level, err)
	}
	for _, l := range Available() {
		if s, err := startSet(l.String()); err != nil || s.level != l {
			t.Errorf("%v: level %v, error %v", l, s.level, err)
		}
	}
	if s, err := startSet("fast"); s.level != Generic || err == nil ||
		!strings.Contains(err.Error(), `"fast"`) || !strings.Contains(err.Error(), levelEnv) {
		t.Errorf("unknown value: level %v, error %v", s.level, err)
	}
	defer func(all []*set) { sets = all }(sets)
	sets = sets[:1]
	if s, err := startSet("avx2"); s.level != Generic || err == nil || !strings.Contains(err.Error(), "not available") {
		t.Errorf("unavailable value: level %v, error %v", s.level, err)
	}
}
