package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/solver/chart"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// This file draws paths, curves of cross-validation and ROC curves.

// drawPath draws at most maxDrawn coefficients, and gives names to at most maxNamed of them.
const maxDrawn, maxNamed = 200, 14

// drawPath draws the coefficients of a path against lambda. It leaves out lambda 0, because the axis is
// logarithmic.
func drawPath(w io.Writer, r *pathReport, steps []*model.Step) error {
	features := largestFeatures(steps, maxDrawn)
	c := &chart.Chart{
		Title: "coefficients along the path", X: "lambda", Y: "coefficient", LogX: true, Falling: true,
	}
	if len(features) == maxDrawn {
		c.Title += fmt.Sprintf(", the %d largest", maxDrawn)
	}
	zeroLine := chart.Line{Faint: true}
	for _, s := range steps {
		zeroLine.X, zeroLine.Y = append(zeroLine.X, s.Lambda), append(zeroLine.Y, 0)
	}
	c.Lines = append(c.Lines, zeroLine)
	for k, j := range features {
		line := chart.Line{Series: k, Faint: k >= maxNamed}
		if k < maxNamed {
			line.Name = shortenName(coefficientName(r.fitSpec.spec.Features, r.fitSpec.spec.IndexBase,
				int(j)))
		} else if k == maxNamed {
			line.Name = fmt.Sprintf("%d more", len(features)-maxNamed)
		}
		for _, s := range steps {
			value := 0.0
			if index := slices.Index(s.Columns[0].Indices, j); index >= 0 {
				value = s.Columns[0].Values[index]
			}
			line.X, line.Y = append(line.X, s.Lambda), append(line.Y, value)
		}
		c.Lines = append(c.Lines, line)
	}
	return c.WriteSVG(w)
}

// shortenName cuts name to at most 17 characters, for a legend.
func shortenName(name string) string {
	const maxLength = 17
	if runes := []rune(name); len(runes) > maxLength {
		return string(runes[:maxLength-1]) + "…"
	}
	return name
}

// drawCVCurve draws the mean of the metric over the folds against lambda, with a band of one standard error
// on each side. Two vertical lines mark the lambdas that --choose min and --choose 1se select.
func drawCVCurve(w io.Writer, r *cvReport) error {
	name := metricNames[r.Metric]
	c := &chart.Chart{
		Title: fmt.Sprintf("%d-fold cross-validation", r.Folds), X: "lambda", Y: name, LogX: true,
		Falling: true,
	}
	meanLine := chart.Line{Name: name + " ± SE"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range r.Steps {
		mean, se := float64(s.Mean), float64(s.SE)
		if s.Lambda <= 0 || !isFinite(mean) {
			continue
		}
		if !isFinite(se) {
			se = 0
		}
		meanLine.X, meanLine.Y = append(meanLine.X, s.Lambda), append(meanLine.Y, mean)
		meanLine.Low, meanLine.High = append(meanLine.Low, mean-se), append(meanLine.High, mean+se)
		low, high = min(low, mean-se), max(high, mean+se)
	}
	if len(meanLine.X) == 0 {
		return fmt.Errorf("drawing %s: it has no value at any lambda above 0; each fold needs rows of both classes, and the axis a lambda above 0", name)
	}
	c.Lines = append(c.Lines, meanLine)
	for k, l := range []struct {
		name   string
		lambda float64
	}{{"min", r.Min.Lambda}, {"1se", r.OneSE.Lambda}} {
		c.Lines = append(c.Lines, chart.Line{
			Name: fmt.Sprintf("%s %.3g", l.name, l.lambda), Series: k + 1, Dashed: true,
			X: []float64{l.lambda, l.lambda}, Y: []float64{low, high},
		})
	}
	return c.WriteSVG(w)
}

// rocCurve returns the points of the ROC curve, from (0, 0) to (1, 1). x is the share of the negative rows
// whose score is above a threshold, and y the share of the positive rows whose score is above it. Points
// inside a horizontal or vertical part of the curve are left out. rocCurve sorts its arguments.
func rocCurve(scores []float64, isPositive []bool) (x, y []float64) {
	stat.SortWeightedLabeled(scores, isPositive, nil)
	found, falseAlarms, _ := stat.ROC(nil, scores, isPositive, nil)
	for k, nextX := range falseAlarms {
		if n := len(x); n > 1 && (x[n-2] == nextX || y[n-2] == found[k]) {
			x, y = x[:n-1], y[:n-1]
		}
		x, y = append(x, nextX), append(y, found[k])
	}
	return x, y
}

// drawROC draws the ROC curve of m, a model of two classes, for the rows of data, which must have both
// classes. It uses margins, because different large margins may have the same probability.
func drawROC(w io.Writer, m *model.Model, data *sparse.Dataset) error {
	margins, err := m.Margins(nil, data.X)
	if err != nil {
		return err
	}
	for i, o := range data.Offsets {
		margins[i] += o
	}
	isPositive := make([]bool, len(data.Labels))
	for i, b := range data.Labels {
		isPositive[i] = b > 0
	}
	x, y := rocCurve(margins, isPositive)
	c := &chart.Chart{Title: "receiver operating characteristic", X: "negative rows called positive", Y: "positive rows found", Lines: []chart.Line{
		{Name: fmt.Sprintf("AUC %.4g", integrate.Trapezoidal(x, y)), X: x, Y: y},
		{Name: "chance", X: []float64{0, 1}, Y: []float64{0, 1}, Faint: true, Dashed: true},
	}}
	return c.WriteSVG(w)
}

// largestFeatures returns the indices of at most count features, in decreasing order of their largest
// absolute coefficient on the path.
func largestFeatures(steps []*model.Step, count int) []int32 {
	sizes := map[int32]float64{}
	for _, s := range steps {
		for k, j := range s.Columns[0].Indices {
			v := s.Columns[0].Values[k]
			sizes[j] = max(sizes[j], v, -v)
		}
	}
	var features []int32
	for j := range sizes {
		features = append(features, j)
	}
	slices.SortFunc(features,
		func(i, j int32) int { return cmp.Or(cmp.Compare(sizes[j], sizes[i]), cmp.Compare(i, j)) })
	return features[:min(count, len(features))]
}
