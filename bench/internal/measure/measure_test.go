package measure

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/kernels"
)

func doublingCase() Case {
	x := []float64{1, 2, 3}
	return Case{
		Kernel: "Double", Shape: "n=3", Unit: "elem", Units: 3,
		Run: func() { kernels.Axpy(1, x, x) },
		Naive: func() {
			for i := range x {
				x[i] *= 2
			}
		},
		State: [][]float64{x},
	}
}

func TestTime(t *testing.T) {
	c := doublingCase()
	series, err := Time(c, Options{Reps: 5, Duration: 20 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	levels := kernels.Available()
	if len(series) != len(levels)+1 || series[len(levels)].Level != Naive {
		t.Fatalf("series %+v", series)
	}
	for i, s := range series {
		if i < len(levels) && s.Level != levels[i].String() {
			t.Errorf("series %d is %s, want %s", i, s.Level, levels[i])
		}
		if len(s.Times) != 5 || s.Runs < 1 || s.Min() <= 0 {
			t.Errorf("%s: %d times of %d runs, min %g", s.Level, len(s.Times), s.Runs, s.Min())
		}
	}
	if got := c.State[0]; got[0] != 1 || got[2] != 3 {
		t.Errorf("the state was left at %v", got)
	}
	if kernels.Active() != levels[len(levels)-1] {
		t.Errorf("level %s was left in use", kernels.Active())
	}
}

func TestBest(t *testing.T) {
	all := []Series{
		{Level: "generic", Times: []float64{4, 3}}, {Level: "avx2", Times: []float64{2, 5}},
		{Level: Naive, Times: []float64{1}},
	}
	if got := BestTime(all); got != 2 {
		t.Errorf("the best level takes %g, want 2", got)
	}
}

func TestCheckRefuses(t *testing.T) {
	if err := doublingCase().Check(); err != nil {
		t.Fatal(err)
	}
	wrongNaive := doublingCase()
	x := wrongNaive.State[0]
	wrongNaive.Naive = func() { x[0], x[1], x[2] = 2, 4, 6.0001 }
	if err := wrongNaive.Check(); err == nil || !strings.Contains(err.Error(), "naive") {
		t.Errorf("a naive loop off by 1e-4 gives %v", err)
	}
	wrongNaive.Naive = func() { x[0], x[1], x[2] = 2, math.NaN(), 6 }
	if err := wrongNaive.Check(); err == nil {
		t.Error("a NaN of the naive loop is let through")
	}
	if _, err := Time(wrongNaive, Options{Reps: 1}); err == nil {
		t.Error("it was timed all the same")
	}
	if levels := kernels.Available(); len(levels) > 1 {
		wrongLevel := doublingCase()
		z := wrongLevel.State[0]
		wrongLevel.Run = func() {
			z[0] = 2
			if kernels.Active() == levels[1] {
				z[0] = math.Nextafter(2, 3)
			}
		}
		if err := wrongLevel.Check(); err == nil || !strings.Contains(err.Error(), levels[1].String()) {
			t.Errorf("level %s off by one ulp gives %v", levels[1], err)
		}
	}
}

func TestDiffers(t *testing.T) {
	a := []float64{1, 0, math.NaN()}
	if k := firstDifference(a, []float64{1, 0, -math.NaN()}); k != -1 {
		t.Errorf("equal vectors differ at %d", k)
	}
	if k := firstDifference(a, []float64{1, math.Copysign(0, -1), 3}); k != 1 {
		t.Errorf("+0 and -0 differ at %d, want 1", k)
	}
}
