package admm

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name             string
		start            float64
		scale            float64
		auto, infeasible bool
		objectives       []float64
		want             []Verdict
		halvings         int
	}{
		{"descent", 1, 1, true, false, []float64{0.5, 0.4}, []Verdict{Best, Best}, 0},
		{"a rise or two", 1, 1, true, false, []float64{0.5, 0.6, 0.55, 0.4}, []Verdict{Best, Fine, Fine, Best}, 0},
		{
			"many rises", 1, 1, true, false, []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95},
			[]Verdict{Best, Fine, Fine, Fine, Fine, Restart}, 1,
		},
		{
			"rises before any best", 1, 1, true, false, []float64{1.1, 1.2, 1.3, 1.4, 1.5},
			[]Verdict{Fine, Fine, Fine, Fine, Fine}, 1,
		},
		{
			"rises of a given step size", 1, 1, false, false, []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95},
			[]Verdict{Best, Fine, Fine, Fine, Fine, Fine}, 0,
		},
		{"lost", 1, 1, true, false, []float64{11, nan, 0.5}, []Verdict{Restart, Restart, Best}, 2},
		{"lost with a given step size", 1, 1, false, false, []float64{11}, []Verdict{Lost}, 0},
		{"infeasible", 1, 1, true, true, []float64{2, 3, 11}, []Verdict{Best, Best, Restart}, 1},
		{"negative objectives", -4, 1, true, false, []float64{-3.9, -4.1}, []Verdict{Fine, Best}, 0},
		{"an exact fit", 0, 0.7, false, false, []float64{1e-29, 1e-3}, []Verdict{Fine, Fine}, 0},
	} {
		k := Keeper{Auto: c.auto}
		k.Begin(Point{}, c.start, c.scale)
		for i, v := range c.objectives {
			if got := k.Judge(Point{}, v, c.infeasible); got != c.want[i] {
				t.Errorf("%s: verdict %d on objective %d, %v; want %d", c.name, got, i, v, c.want[i])
			}
		}
		if k.Halvings != c.halvings {
			t.Errorf("%s: %d halvings, want %d", c.name, k.Halvings, c.halvings)
		}
	}
}

// TestHalvingsAreTakenBack checks that halvings are undone if the objective rises again after each halving.
// After a new best objective, rises must halve the step size again.
func TestHalvingsAreTakenBack(t *testing.T) {
	k := Keeper{Auto: true}
	k.Begin(Point{}, 1, 1)
	k.Judge(Point{}, 0.5, false)
	restarts := 0
	for i := range 100 {
		if k.Judge(Point{}, 0.6+0.001*float64(i), false) == Restart {
			restarts++
		}
	}
	if restarts != maxVainHalvings || k.Halvings != 0 {
		t.Errorf("%d restarts, %d halvings left", restarts, k.Halvings)
	}
	if v := k.Judge(Point{}, 0.4, false); v != Best {
		t.Errorf("verdict %d on a new best", v)
	}
	for i := range patience {
		k.Judge(Point{}, 0.6+0.001*float64(i), false)
	}
	if k.Halvings != 1 {
		t.Error("rises count no more although there was a new best")
	}
}

// TestKeeper checks that Judge keeps the best iterate and restores it after a divergence, and that
// RestoreBest restores it if the objective of the current iterate is higher.
func TestKeeper(t *testing.T) {
	k := Keeper{Auto: true}
	iterate := Point{X: []float64{1}, Y: []float64{2}, Dual: []float64{3}}
	if k.Restore(iterate) || k.RestoreBest(iterate, 5) != 5 {
		t.Error("something is restored before anything was kept")
	}
	k.Begin(iterate, 1, 1)
	iterate.X[0] = 4
	if v := k.Judge(iterate, 0.5, false); v != Best {
		t.Fatalf("verdict %d on a better objective", v)
	}
	for _, objective := range []float64{11, math.NaN()} {
		iterate.X[0] = 7
		if v := k.Judge(iterate, objective, false); v != Restart || iterate.X[0] != 4 {
			t.Errorf("objective %v: verdict %d, x = %v", objective, v, iterate.X)
		}
	}
	for _, c := range []struct{ objective, x, best float64 }{{0.4, 7, 0.4}, {0.5, 7, 0.5}, {0.6, 4, 0.5}, {math.NaN(), 4, 0.5}} {
		iterate.X[0] = 7
		if best := k.RestoreBest(iterate, c.objective); iterate.X[0] != c.x || best != c.best {
			t.Errorf("objective %v: x = %v, best %v; want %v, %v", c.objective, iterate.X, best, c.x, c.best)
		}
	}
}
