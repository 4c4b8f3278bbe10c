//go:build race

package kernels

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// TestRaceReports checks that the race detector sees which numbers kernels use. In each case, one goroutine
// calls a kernel that uses a number, and another goroutine writes this number. The race detector must make
// every case fail, so the cases run in a second process.
func TestRaceReports(t *testing.T) {
	const second = "SCAS_RACE_SECOND"
	cases := raceCases()
	if os.Getenv(second) != "" {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				var group sync.WaitGroup
				group.Go(c.use)
				group.Go(c.write)
				group.Wait()
			})
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaceReports$")
	cmd.Env = append(os.Environ(), second+"=1")
	out, err := cmd.CombinedOutput()
	for name := range cases {
		if !strings.Contains(string(out), "--- FAIL: TestRaceReports/"+name+" ") {
			t.Errorf("%s: no race is reported", name)
		}
	}
	if t.Failed() {
		t.Logf("%v\n%s", err, out)
	}
}

type raceCase struct{ use, write func() }

// raceCases returns the cases by name. Every case has memory of its own, because the race detector does not
// watch memory near an address at which it has found a race.
func raceCases() map[string]raceCase {
	v := func(n int) []float64 { return make([]float64, n) }
	cases := map[string]raceCase{}
	for name, add := range map[string]func(panel []float64){
		"AddTile": func(panel []float64) { AddTile(v(TileSide), TileSide, 1, v(TileSide), panel) },
		"AddRows": func(panel []float64) { AddRows(v(TileSide), v(1), panel) },
	} {
		panel := v(TileSide * TileSide)
		cases[name+"/panel"] = raceCase{func() { add(panel) }, func() { panel[0] = 1 }}
	}
	for name, loop := range map[string]func(s *Steps, sampled []int32){
		"InnerDense": func(s *Steps, sampled []int32) { InnerDense(v(1), v(1), v(1), v(1), s, sampled) },
		"InnerBox":   func(s *Steps, sampled []int32) { InnerBox(v(1), v(1), v(1), v(1), v(1), v(1), s, sampled) },
		"InnerLazy":  func(s *Steps, sampled []int32) { InnerLazy(NewCells(1), nil, &Lazy{Alpha: 1, Q: 1}, s, sampled) },
		"InnerLazy/ball": func(s *Steps, sampled []int32) {
			InnerLazy(NewCells(1), v(2), &Lazy{Alpha: 1, Q: 1}, s, sampled)
		},
		"InnerDecay": func(s *Steps, sampled []int32) { InnerDecay(make([]DecayCell, 1), 0, s, sampled) },
	} {
		for part, write := range map[string]func(s *Steps){
			"column":  func(s *Steps) { s.Rows.Idx[1] = 0 },
			"value":   func(s *Steps) { s.Rows.Val[1] = 1 },
			"Scratch": func(s *Steps) { s.Scratch.num[0] = 1 },
		} {
			a := Rows{Ptr: []int64{0, 1, 2}, Idx: make([]int32, 2), Val: v(2), Cols: 1}
			s := &Steps{Rows: a, Label: v(2), Slope0: v(2), Scratch: NewScratch(a)}
			cases[name+"/"+part] = raceCase{func() { loop(s, []int32{1}) }, func() { write(s) }}
		}
	}
	return cases
}
