package chart

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/table"
)

// Ratios draws the ratio to the naive loop of every case and level as
// horizontal bars on a logarithmic axis. They start at 1, so that a loss points
// the other way.
func Ratios(w io.Writer, title string, rows []table.Row) error {
	b := newRatioBars(rows)
	if len(b.cases) == 0 {
		return fmt.Errorf("chart: no case has a naive series to compare with")
	}
	p := newPlot(title, "times as fast as a naive Go loop", "")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, doublings{}
	p.X.Min, p.X.Max = b.lo, b.hi
	p.Y.Min, p.Y.Max = -0.6, float64(len(b.cases))-0.4
	var ticks []plot.Tick
	for i, name := range b.cases {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	p.Add(b)
	perBar := vg.Length(9)
	height := 110 + vg.Length(len(b.cases)*len(b.levels))*perBar + vg.Length(len(b.cases))*6
	return sheet{780, height, 96, func(c draw.Canvas) { b.legend(c, p) }}.svg(w, p)
}

// ratioBars is the plotter of Ratios.
type ratioBars struct {
	cases  []string // from the bottom up
	levels []string
	value  map[string]map[string]float64 // by case and level
	lo, hi float64
}

func newRatioBars(rows []table.Row) *ratioBars {
	b := &ratioBars{value: map[string]map[string]float64{}, lo: 0.9, hi: 2}
	for _, r := range rows {
		if r.Level == measure.Naive || r.Level == measure.NaiveDense || r.Ratio == 0 {
			continue
		}
		name := r.Kernel + "  " + r.Shape
		if b.value[name] == nil {
			b.value[name] = map[string]float64{}
			b.cases = append(b.cases, name)
		}
		if !slices.Contains(b.levels, r.Level) {
			b.levels = append(b.levels, r.Level)
		}
		b.value[name][r.Level] = r.Ratio
		b.lo, b.hi = min(b.lo, 0.9*r.Ratio), max(b.hi, 1.25*r.Ratio)
	}
	slices.Reverse(b.cases)
	return b
}

// Plot implements plot.Plotter.
func (b *ratioBars) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for _, t := range (doublings{}).Ticks(b.lo, b.hi) {
		style := draw.LineStyle{Color: faint, Width: 0.5}
		if t.Value == 1 {
			style = draw.LineStyle{Color: ink, Width: 1}
		}
		c.StrokeLine2(style, trX(t.Value), c.Min.Y, trX(t.Value), c.Max.Y)
	}
	slot := 0.82 * (trY(1) - trY(0)) / vg.Length(len(b.levels))
	label := textStyle(p, 7, draw.XLeft, draw.YCenter)
	for i, name := range b.cases {
		top := trY(float64(i)) + slot*vg.Length(len(b.levels))/2
		for k, level := range b.levels {
			v, ok := b.value[name][level]
			if !ok {
				continue
			}
			y := top - slot*vg.Length(k+1)
			bar(c, k, vg.Rectangle{Min: vg.Point{X: min(trX(1), trX(v)), Y: y}, Max: vg.Point{X: max(trX(1), trX(v)), Y: y + 0.9*slot}})
			c.FillText(label, vg.Point{X: max(trX(1), trX(v)) + 2, Y: y + 0.45*slot}, ratioLabel(v))
		}
	}
}

func ratioLabel(v float64) string {
	if v < 0.995 {
		return fmt.Sprintf("%.2f, a loss", v)
	}
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// bar fills r in the k-th colour with the k-th hatch: none, upright strokes,
// none with a pale fill, slanted strokes.
func bar(c draw.Canvas, k int, r vg.Rectangle) {
	col := palette[k%len(palette)]
	fill := col
	if k%4 == 2 {
		fill.A = 0x50
	}
	c.SetColor(fill)
	c.Fill(r.Path())
	gap, slant := vg.Length(0), vg.Length(0)
	switch k % 4 {
	case 1:
		gap = 3
	case 3:
		gap, slant = 5, r.Max.Y-r.Min.Y
	}
	for x := r.Min.X + gap; gap > 0 && x+slant < r.Max.X; x += gap {
		c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 0.7}, x, r.Min.Y, x+slant, r.Max.Y)
	}
	c.StrokeLines(draw.LineStyle{Color: col, Width: 0.6}, []vg.Point{
		r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min,
	})
}

func (b *ratioBars) legend(c draw.Canvas, p *plot.Plot) {
	var entries []entry
	for k, level := range b.levels {
		entries = append(entries, entry{level, func(c draw.Canvas, at vg.Rectangle) { bar(c, k, at) }})
	}
	legend(c, p, entries)
}
