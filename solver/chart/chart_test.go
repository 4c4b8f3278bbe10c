package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// textOf returns the texts in an SVG file, one on each line.
func textOf(t *testing.T, svg []byte) string {
	t.Helper()
	lines := "\n"
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok {
			lines += strings.TrimSpace(string(chars)) + "\n"
		}
	}
}

// TestWriteSVG checks the texts of charts, some with points that the axes cannot show.
func TestWriteSVG(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{0, 1, 2, 3}
	fallingLine := Line{
		Name: "first <&>", X: x, Y: []float64{1, 0.1, 1e-3, 1e-20}, Low: []float64{0.9, 0.05, 0, 0},
		High: []float64{1.1, 0.2, 1e-2, 1e-19},
	}
	for name, test := range map[string]struct {
		chart       Chart
		wantTexts   []string
		hiddenTexts []string
	}{
		"a floor": {
			Chart{
				Title: "gaps", Y: "gap", LogY: true, Floor: 1e-13,
				Lines: []Line{fallingLine, {Name: "no points"}, {X: x, Y: x}},
			},
			[]string{"gaps", "gap", "first <&>", "1e-12"}, []string{"no points", "1e-20"},
		},
		"a band to zero": {Chart{LogY: true, Lines: []Line{fallingLine}}, []string{"1", "1e-20"}, nil},
		"what has no place": {
			Chart{
				LogX: true, LogY: true,
				Lines: []Line{
					{Name: "some", X: x, Y: []float64{1, nan, inf, 2}},
					{Name: "none", X: x, Y: []float64{1, 0, -1, nan}},
				},
			},
			[]string{"some"}, []string{"none"},
		},
		"lambda falls": {
			Chart{
				X: "lambda", LogX: true, Falling: true,
				Lines: []Line{{Name: "one", X: []float64{0.02, 0.01}, Y: []float64{0, 1}, Dashed: true}},
			},
			[]string{"lambda", "0.02", "0.01"}, []string{"0.10"},
		},
		"one point": {Chart{Lines: []Line{{Name: "one", X: []float64{5}, Y: []float64{7}, Faint: true}}}, []string{"one"}, nil},
		"a ceiling": {
			Chart{Ceiling: 3, Lines: []Line{{Name: "high", Series: 9, X: x, Y: []float64{100, 3, 2, 1}}}},
			[]string{"high", "3"}, []string{"100"},
		},
	} {
		var b bytes.Buffer
		if err := test.chart.WriteSVG(&b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		lines := textOf(t, b.Bytes())
		for _, s := range test.wantTexts {
			if !strings.Contains(lines, "\n"+s+"\n") {
				t.Errorf("%s: the chart lacks %q; it has %q", name, s, lines)
			}
		}
		for _, s := range test.hiddenTexts {
			if strings.Contains(lines, "\n"+s+"\n") {
				t.Errorf("%s: the chart has %q", name, s)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: the drawing has places that are not numbers", name)
		}
	}
	if err := (&Chart{Lines: []Line{{Name: "no points"}}}).WriteSVG(io.Discard); err == nil {
		t.Error("a chart of nothing is drawn")
	}
}

// TestCurves checks the number of points and the colour of a curve.
func TestCurves(t *testing.T) {
	var b bytes.Buffer
	if err := (&Chart{Lines: []Line{{X: []float64{0, 1, 2}, Y: []float64{0, 1, 4}}}}).WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`d="M[0-9.,]+L[0-9.,]+L[0-9.,]+" style="fill:none;stroke:#0072B2;`).MatchString(b.String()) {
		t.Errorf("no curve of three points in %s", b.String())
	}
}

// TestWriteSheet checks that a sheet names every line once, and says which charts are empty.
func TestWriteSheet(t *testing.T) {
	line := func(name string, series int, y float64) Line {
		return Line{Name: name, Series: series, X: []float64{0, 1}, Y: []float64{y, y / 2}}
	}
	chart := func(lines ...Line) *Chart { return &Chart{Title: "one of many", Y: "gap", LogY: true, Lines: lines} }
	rows := [][]*Chart{
		{chart(line("first", 0, 1), Line{Name: "second", Series: 1}), chart(line("first", 0, 2), line("second", 1, 3))},
		{chart(Line{Name: "first"}), chart(line("second", 1, 3), Line{Name: "third", Series: 2})},
	}
	var b bytes.Buffer
	if err := WriteSheet(&b, "a sheet", rows); err != nil {
		t.Fatal(err)
	}
	lines := textOf(t, b.Bytes())
	for text, want := range map[string]int{
		"first": 1, "second": 1, "one of many: not measured": 1, "third": 0, "a sheet": 1, "gap": 3,
	} {
		if got := strings.Count(lines, "\n"+text+"\n"); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
	if err := WriteSheet(io.Discard, "nothing measured", [][]*Chart{{chart(Line{Name: "first"})}}); err != nil {
		t.Error(err)
	}
	if err := WriteSheet(io.Discard, "nothing", nil); err == nil {
		t.Error("a sheet without charts is drawn")
	}
}

// TestDecades checks that the ticks of a logarithmic axis are within the axis, and checks their labels.
func TestDecades(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{1e-15, 1, "1e-14 1e-12 1e-10 1e-8 1e-6 1e-4 0.01 1"}, {0.1, 100, "0.1 1 10 100"},
		{3e-4, 3e-3, "5e-4 1e-3 2e-3"}, {1500, 30000, "2000 5000 10000 20000"},
		{3.1e-4, 4.9e-4, "0.00035 0.00040 0.00045"}, {0.3, 0.33, "0.30 0.31 0.32 0.33"},
	} {
		var labels []string
		for _, tick := range (decadeTicks{}).Ticks(test.low, test.high) {
			if tick.Value < test.low*(1-1e-9) || tick.Value > test.high*(1+1e-9) {
				t.Errorf("from %g to %g there is a tick at %g", test.low, test.high, tick.Value)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("from %g to %g: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}

func TestEvenTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 30, "0 10 20 30"}, {0.3263, 0.3441, "0.330 0.335 0.340"}, {-1, 1, "-1.0 -0.5 0.0 0.5 1.0"},
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{5, 5.5, "5.0 5.1 5.2 5.3 5.4 5.5"}, {12000, 61000, "20000 30000 40000 50000 60000"},
		{7, 7.000001, "7.0000000 7.0000002 7.0000004 7.0000006 7.0000008 7.0000010"},
	} {
		var labels []string
		for _, tick := range (evenTicks{}).Ticks(test.low, test.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("from %g to %g: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}

// chartSize returns the width and height, in points, of a chart with the given lines.
func chartSize(t *testing.T, lines ...Line) (sides [2]float64) {
	t.Helper()
	var b bytes.Buffer
	if err := (&Chart{Lines: lines}).WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for k, side := range regexp.MustCompile(`(?:width|height)="([^"]*)pt"`).FindAllStringSubmatch(b.String(), 2) {
		var err error
		sides[k], err = strconv.ParseFloat(side[1], 64)
		if err != nil {
			t.Fatal(err)
		}
	}
	return sides
}

// TestLegend checks the size of pictures with long names and without names, and the marks of lines.
func TestLegend(t *testing.T) {
	const name = "a method with a long name, automatic, average"
	unnamed := Line{X: []float64{1, 2}, Y: []float64{1, 2}}
	shortNamed, longNamed := unnamed, unnamed
	shortNamed.Name, longNamed.Name = "a", name
	shortSize, longSize := chartSize(t, shortNamed), chartSize(t, longNamed)
	if longSize[0] < shortSize[0]+4*float64(len(name)-1) {
		t.Errorf("%d letters more make the picture only %g points wider", len(name)-1, longSize[0]-shortSize[0])
	}
	if got := chartSize(t, append(slices.Repeat([]Line{unnamed}, 40), shortNamed)...); got != shortSize {
		t.Errorf("a chart with 40 more lines that have no name: %g, want %g", got, shortSize)
	}
	one, two := []float64{1}, []float64{1, 2}
	for _, test := range []struct {
		line   Line
		marked bool
	}{
		{Line{X: two}, true}, {Line{X: two, Dashed: true}, false}, {Line{X: one, Dashed: true}, true},
		{Line{X: one, Faint: true}, false},
	} {
		if test.line.marked() != test.marked {
			t.Errorf("%+v has marks: %v", test.line, !test.marked)
		}
	}
	if a, b := (Line{Series: 1}).markStyle(largeStyle), (Line{Series: 1 + len(palette)}).markStyle(largeStyle); a.Color != b.Color || a.Shape == b.Shape {
		t.Errorf("two series of one colour have the marks %T and %T", a.Shape, b.Shape)
	}
}
