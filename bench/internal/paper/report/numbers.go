package report

import (
	"fmt"
	"slices"
)

// A column is one of the table under a figure.
type column struct {
	head string
	cell func(name string, c curve) string // empty beyond the curve
}

// columns returns those of a figure: values at passes, or over seconds, when gaps
// are reached.
func (of panel) columns(passes float64) []column {
	out := []column{{"method", func(name string, _ curve) string { return name }}}
	switch {
	case !of.seconds:
		for _, x := range []float64{2, 5, 10, 20, 30} {
			if x <= passes {
				out = append(out, column{fmt.Sprintf("%g passes", x), func(_ string, c curve) string { return of.valueAt(c, x) }})
			}
		}
	case !of.test:
		for _, gap := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6} {
			out = append(out, column{fmt.Sprintf("s to %.0e", gap), func(_ string, c curve) string { return reached(c, gap) }})
		}
	}
	if of.seconds {
		out = append(out, column{"s at the end", func(_ string, c curve) string { return short(c.x[len(c.x)-1], 3) }})
	}
	return append(out, column{"band at the end", func(_ string, c curve) string {
		last := len(c.x) - 1
		return of.number(c.low[last]) + " to " + of.number(c.high[last])
	}})
}

// cells returns a line of the table.
func cells(columns []column, name string, c curve) []string {
	out := make([]string, len(columns))
	if len(c.x) == 1 {
		out[0], out[len(out)-1] = name, "no iteration ends within the passes"
		return out
	}
	for k, col := range columns {
		out[k] = col.cell(name, c)
	}
	return out
}

func (of panel) valueAt(c curve, x float64) string {
	if v, ok := c.at(x); ok {
		return of.number(v)
	}
	return ""
}

// reached returns where a curve has fallen to a gap.
func reached(c curve, gap float64) string {
	if k := slices.IndexFunc(c.mean, func(v float64) bool { return v <= gap }); k >= 0 {
		return short(c.x[k], 3)
	}
	return ""
}

func (of panel) number(v float64) string {
	switch {
	case of.test:
		return fmt.Sprintf("%.5f", v)
	case v <= gapFloor:
		return "< 1e-13"
	}
	return fmt.Sprintf("%.1e", v)
}
