package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOlderFiles: models that earlier versions wrote predict the same bits, and are written again
// in the newest format. Of format 1 are models without an intercept, of format 2 others and, with
// all coefficients of every class, models of several classes; those of format 3 repeat the head.
func TestOlderFiles(t *testing.T) {
	berry := []string{"height", "sweet", "soil=clay", "soil=loam", "soil=sand", "seeds"}
	for _, c := range []struct {
		file    string
		target  string
		names   []string
		indices []int32
		row     []float64
		margins []uint64
		class   float64
	}{
		{"plain-format1", "", nil, []int32{0, 1, 2, 3}, []float64{1.25, -1, 0.5, 2}, []uint64{0x3faaa10219c6627e}, 1},
		{"two-format2", "ripe", []string{"height", "soil=clay", "soil=loam", "soil=sand", "seeds"}, []int32{0, 2, 4}, []float64{1.25, 1, 40}, []uint64{0xbffaa50c0d6b827c}, 0},
		{"classes-format2", "berry", berry, []int32{0, 1, 2, 3, 4, 5}, []float64{1.25, 3, 0, 1, 0, 40}, []uint64{0x3fd8457421224420, 0xbfe0c539308e30d0, 0xc0153aad97c8f209}, 0},
		{"classes-format2", "berry", berry, []int32{0, 1, 2, 3, 4, 5}, []float64{1.75, 5.5, 1, 0, 0, 21}, []uint64{0xbffbc52e56d6bb80, 0xbfbfeb88dc4b9d80, 0xbff6fd0651590574}, 1},
		{"classes-format2", "berry", berry, []int32{0, 1, 2, 3, 4, 5}, []float64{2, 2.5, 0, 0, 1, 18}, []uint64{0xc01162b0f0ca90a0, 0xc018c3e4303dd491, 0x4004829cc2bf57e6}, 2},
		{"classes-format3", "berry", []string{"height", "soil=clay", "soil=loam", "soil=sand", "seeds"}, []int32{0, 2, 4}, []float64{1.25, 1, 40}, []uint64{0xbff9e86143d56162, 0xbfdef29b02a1bc9b, 0xc0032128216fb8cc}, 1},
	} {
		old, err := Load("testdata/" + c.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := old.Write(&text); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&text, "again.json")
		if err != nil || cmp.Diff(old, again) != "" {
			t.Fatalf("%s: %v: %s", c.file, err, cmp.Diff(old, again))
		}
		if again.Target != c.target || !slices.Equal(again.Features, c.names) || c.target != "" && again.Fill["height"] == 0 {
			t.Errorf("%s: %+v", c.file, again)
		}
		if len(again.Columns) != len(c.margins) {
			t.Fatalf("%s: %d columns", c.file, len(again.Columns))
		}
		for k := range again.Columns {
			if got := again.Columns[k].margin(c.indices, c.row); math.Float64bits(got) != c.margins[k] {
				t.Errorf("%s, row %v, column %d: margin %#x; want %#x", c.file, c.row, k, math.Float64bits(got), c.margins[k])
			}
		}
		label := c.class
		if c.file == "plain-format1" {
			label = 2*label - 1
		}
		if got, err := again.Predict(c.indices, c.row); err != nil || got != label {
			t.Errorf("%s, row %v: class %v, %v; want %v", c.file, c.row, got, err, label)
		}
	}
}

// Files of many classes have what is not zero of the coefficients, and the names of the
// features once, and reading one gives the same bits.
func TestManyClassesAreStoredSparsely(t *testing.T) {
	const classes, features = 30, 5000
	rng, m := rand.New(rand.NewPCG(1, 2)), &Model{HasIntercept: true}
	names := make([]string, features)
	for j := range names {
		names[j] = fmt.Sprintf("the feature of number %d", j)
	}
	for k := range classes {
		c := Column{Coefficients: make([]float64, features), Intercept: rng.NormFloat64()}
		for range 10 {
			c.Coefficients[rng.IntN(features)] = rng.NormFloat64()
		}
		c.Coefficients[k] = math.Copysign(0, -1)
		m.Classes.Values, m.Columns = append(m.Classes.Values, float64(k)), append(m.Columns, c)
	}
	m.Features = names
	nonzeros := m.NonZeros()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	if most := 40*nonzeros + 600*classes + 30*features; text.Len() > most {
		t.Errorf("the file has %d bytes; want at most %d for %d coefficients that are not zero", text.Len(), most, nonzeros)
	}
	if n := strings.Count(text.String(), names[17]+`"`); n != 1 {
		t.Errorf("the name of a feature is there %d times", n)
	}
	back, err := Read(&text, "m.json")
	if err != nil {
		t.Fatal(err)
	}
	for k, one := range back.Columns {
		for j, v := range one.Coefficients {
			if want := m.Columns[k].Coefficients[j]; math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("class %d, feature %d: %v, want %v", k, j, v, want)
			}
		}
	}
}
