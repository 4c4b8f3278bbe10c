package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/scas-admm/scas/solver/model"
)

// This file draws as SVG: paths and curves of cross-validation, lambda falling to the
// right, and ROC curves.

// palette is Okabe and Ito's, made to be told apart with any colour vision; its yellow
// is left out, being invisible on white.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x40, 0x40, 0x40, 0xff},
}

var (
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}
	faint  = color.NRGBA{0xd0, 0xd0, 0xd0, 0xff}
)

// At most so many coefficients are drawn, and so many named.
const maxDrawn, maxNamed = 200, 14

// againstLambda returns a plot against −log10 lambda, labelled in lambda.
func againstLambda(title, y string) *plot.Plot {
	p := newPlot(title, "lambda", y)
	p.X.Tick.Marker = fallingDecades{}
	return p
}

// newPlot returns an empty plot in the common style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	sans := func(size vg.Length) font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size} }
	p.Title.TextStyle.Font, p.Title.Padding, p.Legend.TextStyle.Font = sans(13), 8, sans(10)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font, a.Padding = sans(11), sans(10), 4
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return p
}

// fallingDecades ticks an axis of −log10 lambda at powers of ten.
type fallingDecades struct{}

// Ticks implements plot.Ticker.
func (fallingDecades) Ticks(low, high float64) (ticks []plot.Tick) {
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1.0; m < 10; m++ {
			t := plot.Tick{Value: e - math.Log10(m)}
			if m == 1 || high-low < 1.5 && (m == 2 || m == 5) {
				t.Label = fmt.Sprintf("%ge%d", m, -int(e))
			}
			if t.Value >= low && t.Value <= high {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// logarithm places a lambda on the axis; 0, which has no place there, is left out.
func logarithm(lambda float64) (x float64, ok bool) { return -math.Log10(lambda), lambda > 0 }

// writeSVG writes p, with its legend on the right.
func writeSVG(w io.Writer, p *plot.Plot, legend vg.Length) error {
	canvas := vgsvg.New(620+legend, 400)
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 8, -8, 8, -8)
	names := p.Legend
	p.Legend = plot.NewLegend()
	p.Draw(draw.Crop(c, 0, -legend, 0, 0))
	names.Top, names.Left, names.XOffs, names.YOffs, names.Padding, names.ThumbnailWidth = true, true, 10, -28, 3, 24
	names.Draw(draw.Crop(c, c.Max.X-c.Min.X-legend, 0, 0, 0))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	// Viewers without the font it was laid out with need others of the same widths.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

// drawPath draws the coefficients of a path; the largest have names.
func drawPath(w io.Writer, r *pathReport, steps []*model.Step) error {
	features := largestFeatures(steps, maxDrawn)
	title := "coefficients along the path"
	if len(features) == maxDrawn {
		title += fmt.Sprintf(", the %d largest", maxDrawn)
	}
	p := againstLambda(title, "coefficient")
	row := map[int32]int{}
	curves := make([]plotter.XYs, len(features))
	for k, j := range features {
		row[j] = k
	}
	for _, s := range steps {
		x, ok := logarithm(s.Lambda)
		if !ok {
			continue
		}
		for k := range curves {
			curves[k] = append(curves[k], plotter.XY{X: x})
		}
		for k, j := range s.Indices {
			if c, drawn := row[j]; drawn {
				curves[c][len(curves[c])-1].Y = s.Values[k]
			}
		}
	}
	for k := len(curves) - 1; k >= 0; k-- { // the largest on top
		line, err := plotter.NewLine(curves[k])
		if err != nil {
			return fmt.Errorf("drawing: %w", err)
		}
		line.Width, line.Color = 0.7, faint
		if k < maxNamed {
			line.Width, line.Color, line.Dashes = 1.5, palette[k%len(palette)], dashes[k/len(palette)%len(dashes)]
		}
		p.Add(line)
	}
	for k, j := range features[:min(maxNamed, len(features))] {
		sample := &plotter.Line{LineStyle: draw.LineStyle{Width: 1.5, Color: palette[k%len(palette)], Dashes: dashes[k/len(palette)%len(dashes)]}}
		p.Legend.Add(shortened(coefficientName(r.in.spec.Features, r.in.spec.IndexBase, int(j))), sample)
	}
	if len(features) > maxNamed {
		p.Legend.Add(fmt.Sprintf("%d more", len(features)-maxNamed), &plotter.Line{LineStyle: draw.LineStyle{Width: 0.7, Color: faint}})
	}
	return writeSVG(w, p, 130)
}

// shortened cuts a name to what a legend has room for.
func shortened(name string) string {
	const most = 17
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// drawCurve draws the means of a cross-validation with their standard errors, and both
// lambdas.
func drawCurve(w io.Writer, r *cvReport) error {
	p := againstLambda(fmt.Sprintf("%d-fold cross-validation", r.Folds), cvMetrics[r.Metric].name)
	var curve curveOf
	for _, s := range r.Steps {
		x, ok := logarithm(s.Lambda)
		if mean := float64(s.Mean); ok && isFinite(mean) {
			se := float64(s.SE)
			if !isFinite(se) {
				se = 0
			}
			curve.XYs = append(curve.XYs, plotter.XY{X: x, Y: mean})
			curve.YErrors = append(curve.YErrors, struct{ Low, High float64 }{se, se})
		}
	}
	if len(curve.XYs) == 0 {
		return fmt.Errorf("drawing %s: it has no value at any lambda; each fold needs rows of both classes", cvMetrics[r.Metric].name)
	}
	bars, err := plotter.NewYErrorBars(curve)
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	bars.Color, bars.CapWidth = color.NRGBA{0x80, 0x80, 0x80, 0xff}, 3
	line, err := plotter.NewLine(curve.XYs)
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	line.Width, line.Color = 1.5, palette[0]
	p.Add(bars, line)
	p.Legend.Add(cvMetrics[r.Metric].name, line)
	p.Legend.Add("± standard error", &plotter.Line{LineStyle: bars.LineStyle})
	low, high := p.Y.Min, p.Y.Max
	for k, l := range []struct {
		name string
		at   cvLambda
	}{{"min", r.Min}, {"1se", r.OneSE}} {
		x, ok := logarithm(l.at.Lambda)
		if !ok {
			continue
		}
		mark, err := plotter.NewLine(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}})
		if err != nil {
			return fmt.Errorf("drawing: %w", err)
		}
		mark.Width, mark.Color, mark.Dashes = 1, palette[k+1], dashes[k+1]
		p.Add(mark)
		p.Legend.Add(fmt.Sprintf("%s %.3g", l.name, l.at.Lambda), mark)
	}
	return writeSVG(w, p, 150)
}

// A curveOf is points with errors, as plotter wants them.
type curveOf struct {
	plotter.XYs
	plotter.YErrors
}

// rocCurve returns the shares of negative and of positive rows with scores above each
// threshold, from none to all; positive says what a row is. Corners alone are kept.
func rocCurve(score []float64, positive []bool) plotter.XYs {
	order := make([]int, len(score))
	var all [2]float64 // negative and positive rows
	for i, p := range positive {
		order[i] = i
		if p {
			all[1]++
		} else {
			all[0]++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	curve := plotter.XYs{{}}
	var above [2]float64
	for k, i := range order {
		if positive[i] {
			above[1]++
		} else {
			above[0]++
		}
		if k+1 < len(order) && score[order[k+1]] == score[i] {
			continue // ties move at once
		}
		next := plotter.XY{X: above[0] / all[0], Y: above[1] / all[1]}
		if n := len(curve); n > 1 && (curve[n-2].X == next.X || curve[n-2].Y == next.Y) {
			curve[n-1] = next
		} else {
			curve = append(curve, next)
		}
	}
	return curve
}

// drawROC draws the ROC curve of scores; both classes must be there.
func drawROC(w io.Writer, auc float64, score []float64, positive []bool) error {
	p := newPlot("receiver operating characteristic", "negative rows called positive", "positive rows found")
	line, err := plotter.NewLine(rocCurve(score, positive))
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	chance, err := plotter.NewLine(plotter.XYs{{}, {X: 1, Y: 1}})
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	line.Width, line.Color = 1.5, palette[0]
	chance.Color, chance.Dashes = faint, dashes[1]
	p.Add(chance, line)
	p.Legend.Add(fmt.Sprintf("AUC %.4g", auc), line)
	p.Legend.Add("chance", chance)
	return writeSVG(w, p, 130)
}
