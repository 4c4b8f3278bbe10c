package torture

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/scas-admm/scas/kernels"
)

// doorAttack calls the kernels with odd arguments, at every level, and holds them to
// Generic: what panics there panics everywhere, with the same words and before anything
// is written; what returns writes the same bits, and nothing beside its outputs.
type doorAttack struct{ memory *slots }

func beginKernels(context.Context, *ground) (attack, error) {
	if len(kernels.Available()) < 2 {
		return nil, skip("this processor has no level but the reference")
	}
	if _, err := guardedMemory(slotBytes); err != nil {
		return nil, err
	}
	return trial((&doorAttack{&slots{}}).try), nil
}

// An outcome is what came of a call.
type outcome struct {
	said    string // by the panic
	results []float64
	exact   bool // every level must have these
	loose   bool // any may panic
}

// try makes a call at every level.
func (d *doorAttack) try(_ context.Context, seed uint64) (how string, err error) {
	level := kernels.Active()
	defer func() {
		if back := kernels.Use(level); err == nil {
			err = back
		}
	}()
	door := doorCalls[random(seed).IntN(len(doorCalls))]
	var want outcome
	for n, l := range kernels.Available() {
		if err := kernels.Use(l); err != nil {
			return "", err
		}
		got, err := d.call(door, seed)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s at level %v: %w", door.name, l, err)
		case n == 0:
			want = got
		case got.said != want.said && !want.loose:
			return "", fmt.Errorf("%s: level %v says %q, the reference %q", door.name, l, got.said, want.said)
		case want.exact && !sameResults(got.results, want.results):
			return "", fmt.Errorf("%s: level %v has other results than the reference", door.name, l)
		}
	}
	switch {
	case want.said == byCheck:
		return byCheck, nil
	case want.said != "":
		return "refused", nil
	}
	return "done", nil
}

// byCheck is what is said of rows that only Rows.Check refuses.
const byCheck = "refused by Check"

// call makes one call, at the level in use.
func (d *doorAttack) call(door doorCall, seed uint64) (o outcome, err error) {
	c := &doorArgs{slots: d.memory, rng: random(seed)}
	c.rng.Uint64() // which chose the door
	c.slots.used, c.slots.rng = 0, c.rng
	run := door.args(c)
	if c.broken {
		return outcome{said: byCheck}, nil
	}
	d.memory.keep()
	o.said, err = said(run, c.loose)
	if err == nil {
		err = d.memory.harm(o.said != "" && !c.loose)
	}
	o.results, o.exact, o.loose = append(d.memory.results(), c.told...), !c.vague, c.loose
	return o, err
}

// said returns the words of a panic of the doors or, where it is to be expected, of a
// bound that Go checks; any other is an error, touching a guard page among them.
func said(run func(), bounds bool) (words string, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			words = fmt.Sprint(r)
			_, fault := r.(interface{ Addr() uintptr })
			_, bound := r.(runtime.Error)
			if !strings.HasPrefix(words, "kernels: ") && !(bounds && bound && !fault) {
				err = fmt.Errorf("%v\n%s", r, debug.Stack())
			}
		}
	}()
	run()
	return "", nil
}

// doorArgs makes the arguments of a call.
type doorArgs struct {
	*slots
	rng *rand.Rand

	made   [][]float64
	broken bool      // what only Rows.Check finds
	vague  bool      // the contract lets levels differ
	loose  bool      // and panic on what the doors cannot see
	told   []float64 // what a call returns
}

// odd returns n or, seldom, another length.
func (c *doorArgs) odd(n int) int {
	if !chance(c.rng, 25) {
		return n
	}
	return max(0, pick(c.rng, 0, 1, n-1, n+1, n/2, 2*n, n+7))
}

// length is that of vectors: short or at a seam.
func (c *doorArgs) length() int {
	switch c.rng.IntN(40) {
	case 0:
		return pick(c.rng, 4095, 4096, 4097, 8200)
	case 1:
		return pick(c.rng, 65535, 65536, 65537)
	}
	return c.rng.IntN(70)
}

// number is mostly an ordinary one.
func (c *doorArgs) number() float64 {
	if chance(c.rng, 60) {
		return pick(c.rng, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1e155, 5e-324, 1e-310, 0, math.Copysign(0, -1))
	}
	return c.rng.NormFloat64()
}

// vector returns n numbers in memory of their own or, seldom, of another vector.
func (c *doorArgs) vector(n int) []float64 {
	n = c.odd(n)
	if chance(c.rng, 40) {
		for _, v := range c.made {
			if len(v) >= n && n > 0 {
				c.vague = true
				at := c.rng.IntN(len(v) - n + 1)
				return v[at : at+n]
			}
		}
	}
	v := make([]float64, n)
	clean := chance(c.rng, 2)
	for k := range v {
		if v[k] = c.rng.NormFloat64(); !clean {
			v[k] = c.number()
		}
	}
	v = settle(c.slots, v)
	c.made = append(c.made, v)
	return v
}

// out is a vector that the call writes.
func (c *doorArgs) out(n int) []float64 { return c.written(c.vector(n)) }

// rows returns rows in any form, some of them wrong.
func (c *doorArgs) rows(tidy bool) kernels.Rows {
	n, cols := c.rng.IntN(12), 1+c.rng.IntN(60)
	a := kernels.Rows{Ptr: []int64{int64(c.rng.IntN(4))}, Cols: cols}
	idx := make([]int32, a.Ptr[0])
	for r := range n {
		length := c.rng.IntN(pick(c.rng, 1, 9, 40))
		if r == 0 && chance(c.rng, 150) {
			length = pick(c.rng, 1<<14+1, 70000)
		}
		if tidy {
			row := c.rng.Perm(cols)[:min(length, cols)]
			slices.Sort(row)
			for _, j := range row {
				idx = append(idx, int32(j))
			}
		} else {
			for range length {
				idx = append(idx, c.rng.Int32N(int32(cols)))
			}
		}
		a.Ptr = append(a.Ptr, int64(len(idx)))
	}
	c.values(&a, idx)
	if chance(c.rng, 6) {
		c.spoil(&a)
	}
	a.Ptr, a.Idx, a.Idx16 = settle(c.slots, a.Ptr), settle(c.slots, a.Idx), settle(c.slots, a.Idx16)
	a.Val, a.Val32 = settle(c.slots, a.Val), settle(c.slots, a.Val32)
	c.broken = c.broken || a.Check() != nil && !refusedAtDoor(a)
	return a
}

// values stores the columns and draws values, in one of the forms.
func (c *doorArgs) values(a *kernels.Rows, idx []int32) {
	if a.Idx = idx; chance(c.rng, 2) {
		a.Idx, a.Idx16 = nil, make([]uint16, len(idx))
		for k, j := range idx {
			a.Idx16[k] = uint16(j)
		}
	}
	switch c.rng.IntN(3) {
	case 0:
		a.Val = make([]float64, len(idx))
		for k := range a.Val {
			a.Val[k] = c.number()
		}
	case 1:
		a.Val32 = make([]float32, len(idx))
		for k := range a.Val32 {
			a.Val32[k] = float32(c.number())
		}
	}
}

// spoil makes rows wrong, or odd.
func (c *doorArgs) spoil(a *kernels.Rows) {
	k := c.rng.IntN(len(a.Ptr))
	switch c.rng.IntN(6) {
	case 0:
		a.Ptr[k] = pick(c.rng, -1, 0, math.MaxInt64, math.MinInt64, int64(len(a.Idx)+len(a.Idx16)+1), a.Ptr[k]+1, a.Ptr[k]-1)
	case 1:
		a.Cols = pick(c.rng, 0, -1, a.Cols-1, a.Cols+1, math.MaxInt, math.MinInt)
	case 2:
		if len(a.Idx) > 0 {
			a.Idx[c.rng.IntN(len(a.Idx))] = pick(c.rng, -1, int32(a.Cols), math.MaxInt32, math.MinInt32)
		} else if len(a.Idx16) > 0 {
			a.Idx16[c.rng.IntN(len(a.Idx16))] = math.MaxUint16
		}
	case 3:
		a.Val, a.Val32 = a.Val[:len(a.Val)/2], a.Val32[:len(a.Val32)/2]
	case 4:
		a.Idx, a.Idx16 = a.Idx[:len(a.Idx)/2], a.Idx16[:len(a.Idx16)/2]
	case 5:
		a.Ptr = a.Ptr[:c.rng.IntN(2)]
	}
}

// refusedAtDoor reports whether the ends of the pointers and the number of columns, which
// every call looks at, are wrong.
func refusedAtDoor(a kernels.Rows) bool {
	if len(a.Ptr) < 2 {
		return false
	}
	lo, hi := a.Ptr[0], a.Ptr[len(a.Ptr)-1]
	columns := len(a.Idx)
	if a.Idx == nil {
		columns = len(a.Idx16)
	}
	short := a.Val != nil && hi > int64(len(a.Val)) || a.Val == nil && a.Val32 != nil && hi > int64(len(a.Val32))
	return lo < 0 || lo > hi || hi > int64(columns) || short || lo < hi && a.Cols <= 0
}

// steps returns what a run of inner steps reads.
func (c *doorArgs) steps(tidy bool) (s *kernels.Steps, sampled []int32) {
	a := c.rows(tidy)
	n := a.Len()
	s = &kernels.Steps{Rows: a, Label: c.vector(n), Slope0: c.vector(n), Loss: pick(c.rng, kernels.LogisticLossKind, kernels.SquaredLossKind), Eta: c.number() / 8}
	if chance(c.rng, 12) {
		s.Slope = func(margin, label float64) float64 { return margin * label }
	}
	if !c.broken && !refusedAtDoor(a) {
		s.Scratch = pick(c.rng, nil, kernels.NewScratch(a), kernels.NewScratch(a), kernels.NewScratch(kernels.Rows{}))
	}
	sampled = make([]int32, c.rng.IntN(60))
	for k := range sampled {
		sampled[k] = c.rng.Int32N(int32(max(n, 1)))
	}
	if len(sampled) > 0 && chance(c.rng, 25) {
		sampled[c.rng.IntN(len(sampled))] = pick(c.rng, -1, int32(n), math.MaxInt32, math.MinInt32)
	}
	return s, settle(c.slots, sampled)
}
