package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/kernels"
)

func fixedRoof() Roof {
	return Roof{
		Levels: []MemoryLevel{{"L1", 1000, 100}, {"L2", 10000, 50}, {"memory", 1 << 62, 10}},
		Peak:   200,
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		flops   float64
		traffic []Traffic
		ns      float64
		bound   string
	}{
		{"operations", 4000, []Traffic{{Bytes: 100, Size: 500}}, 2, "flops"},
		{"first level", 100, []Traffic{{Bytes: 1000, Size: 1000}}, 1, "L1"},
		{"just beyond it", 100, []Traffic{{Bytes: 1000, Size: 1001}}, 2, "L2"},
		{"the slower of two", 100, []Traffic{{Bytes: 2000, Size: 10}, {Bytes: 1000, Size: 1 << 20}}, 10, "memory"},
	} {
		ns, bound := fixedRoof().Limit(Case{Flops: c.flops, Traffic: c.traffic, Units: 10})
		if ns != c.ns || bound != c.bound {
			t.Errorf("%s: limit %g ns by %s, want %g by %s", c.name, ns, bound, c.ns, c.bound)
		}
	}
}

func TestRoof(t *testing.T) {
	r := NewRoof(machine.Description{L1: 16 << 10, L2: 64 << 10, L3: 256 << 10}, time.Millisecond)
	if len(r.Levels) != 4 || r.Peak <= 0 || r.PeakSource == "" {
		t.Fatalf("roof %+v", r)
	}
	for _, l := range r.Levels {
		if l.Bandwidth <= 0 {
			t.Errorf("%s has bandwidth %g", l.Name, l.Bandwidth)
		}
	}
	if got := strings.Join(r.Lines(), "\n"); !strings.Contains(got, r.PeakSource) || !strings.Contains(got, "memory") {
		t.Errorf("lines %s", got)
	}
	if kernels.Active() != kernels.Available()[len(kernels.Available())-1] {
		t.Error("the level was changed")
	}
}

func TestRoofWithoutCacheSizes(t *testing.T) {
	if r := NewRoof(machine.Description{L3: 1 << 20}, time.Microsecond); r.Levels[0].Size != defaultL1 ||
		r.Levels[1].Size != defaultL2 {
		t.Errorf("levels %+v", r.Levels)
	}
}
