package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestBands: lines, names and bands are there, also where curves end at the
// floor or together.
func TestBands(t *testing.T) {
	x := []float64{0, 1, 2, 3}
	lines := []BandLine{
		{Name: "first", X: x, Y: []float64{1, 0.1, 1e-3, 1e-20}, Low: []float64{0.9, 0.05, 1e-4, 0}, High: []float64{1.1, 0.2, 1e-2, 1e-19}},
		{Name: "no points"},
		{Name: "second", X: x, Y: []float64{1, 0.1, 1e-3, 1e-20}, Bold: true},
	}
	var b bytes.Buffer
	if err := Bands(&b, Axes{Title: "gaps", LogY: true, Floor: 1e-13}, lines); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">first<", ">second<", "1e-12"} {
		if !strings.Contains(text, want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
	if strings.Contains(text, "no points") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("the chart has a line without points, or numbers that are none")
	}
	if err := Bands(&b, Axes{Title: "empty"}, lines[1:2]); err == nil {
		t.Error("a chart of nothing is drawn")
	}
}

// TestTiles: a sheet of charts names its lines once, draws all there are, and says where
// there is none.
func TestTiles(t *testing.T) {
	line := func(name string, y float64) BandLine {
		return BandLine{Name: name, X: []float64{0, 1}, Y: []float64{y, y / 2}, Low: []float64{y, y / 3}, High: []float64{y, y}}
	}
	axes := Axes{Title: "one of many", X: "passes", Y: "gap", LogY: true}
	rows := [][]Tile{
		{{axes, []BandLine{line("first", 1), {Name: "second"}}}, {axes, []BandLine{line("first", 2), line("second", 3)}}},
		{{axes, []BandLine{{Name: "first"}, {Name: "second"}}}, {axes, []BandLine{{Name: "first"}, line("second", 3)}}},
	}
	var svg, png bytes.Buffer
	if err := errors.Join(Tiles(&svg, "a sheet", rows, false), Tiles(&png, "a sheet", rows, true)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{">first<": 1, ">second<": 1, "not measured": 1, ">a sheet<": 1, ">gap<": 3} {
		if got := strings.Count(svg.String(), text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
	if !bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")) {
		t.Error("no bitmap")
	}
	if err := Tiles(io.Discard, "nothing", nil, false); err == nil {
		t.Error("no charts are drawn")
	}
}
