package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// decades ticks a logarithmic axis at powers of ten, with small ticks at their
// multiples if there are few.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	every := 1 + (last-first)/12
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		v := math.Pow10(e)
		label := ""
		if e%every == 0 {
			label = power(e)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
		for m := 2.0; m < 10 && last-first <= 6; m++ {
			ticks = append(ticks, plot.Tick{Value: m * v})
		}
	}
	return within(ticks, lo, hi)
}

// power writes ten to the e: plainly where that is short, else as tables do, since
// fonts without a raised minus would make 10³ of 10⁻³.
func power(e int) string {
	if e >= 0 && e <= 4 {
		return fmt.Sprintf("%.0f", math.Pow10(e))
	}
	if e < 0 && e >= -2 {
		return fmt.Sprintf("%.*f", -e, math.Pow10(e))
	}
	return fmt.Sprintf("1e%d", e)
}

// doublings ticks a logarithmic axis of ratios at powers of two.
type doublings struct{}

// Ticks implements plot.Ticker.
func (doublings) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log2(lo))); float64(e) <= math.Log2(hi); e++ {
		v := math.Ldexp(1, e)
		label := fmt.Sprintf("%.0f×", v)
		if e < 0 {
			label = fmt.Sprintf("1/%.0f×", 1/v)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return within(ticks, lo, hi)
}

func within(ticks []plot.Tick, lo, hi float64) []plot.Tick {
	out := ticks[:0]
	for _, t := range ticks {
		if t.Value >= lo*(1-1e-9) && t.Value <= hi*(1+1e-9) {
			out = append(out, t)
		}
	}
	return out
}
