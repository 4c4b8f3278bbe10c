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

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A file of format 2, in which every class has all coefficients and the columns, predicts
// what it always did, and is written again in the newest format.
func TestClassesOfFormat2(t *testing.T) {
	old, err := LoadMulti("testdata/classes-format2.json")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := old.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadMulti(&text, "again.json")
	if err != nil || cmp.Diff(old, again) != "" {
		t.Fatalf("%v: %s", err, cmp.Diff(old, again))
	}
	for _, c := range []struct {
		row     []float64
		margins [3]uint64
		class   float64
	}{
		{[]float64{1.25, 3, 0, 1, 0, 40}, [3]uint64{0x3fd8457421224420, 0xbfe0c539308e30d0, 0xc0153aad97c8f209}, 0},
		{[]float64{1.75, 5.5, 1, 0, 0, 21}, [3]uint64{0xbffbc52e56d6bb80, 0xbfbfeb88dc4b9d80, 0xbff6fd0651590574}, 1},
		{[]float64{2, 2.5, 0, 0, 1, 18}, [3]uint64{0xc01162b0f0ca90a0, 0xc018c3e4303dd491, 0x4004829cc2bf57e6}, 2},
	} {
		indices := []int32{0, 1, 2, 3, 4, 5}
		for k, one := range old.Models {
			if got, err := one.Margin(indices, c.row); err != nil || math.Float64bits(got) != c.margins[k] {
				t.Errorf("row %v, class %s: margin %#x, %v; want %#x", c.row, old.Name(k), math.Float64bits(got), err, c.margins[k])
			}
		}
		if got, err := old.Predict(indices, c.row); err != nil || got != c.class {
			t.Errorf("row %v: class %v, %v; want %v", c.row, got, err, c.class)
		}
	}
	want := []string{"height", "sweet", "soil=clay", "soil=loam", "soil=sand", "seeds"}
	if one := again.Models[2]; !slices.Equal(one.Features, want) || one.Target != "berry" || one.Fill["sweet"] != 3.694285714285714 {
		t.Errorf("features %v, target %s, fill %v", one.Features, one.Target, one.Fill)
	}
}

// Files of many classes have what is not zero of the coefficients, and the names of the
// features once, and reading one gives the same bits.
func TestManyClassesAreStoredSparsely(t *testing.T) {
	const classes, features = 30, 5000
	rng, m := rand.New(rand.NewPCG(1, 2)), &Multi{}
	names := make([]string, features)
	for j := range names {
		names[j] = fmt.Sprintf("the feature of number %d", j)
	}
	nonzeros := 0
	for k := range classes {
		one := &Model{Loss: solver.Logistic{}, Labels: sparse.LabelMapping{Negative: 0, Positive: 1}, Coefficients: make([]float64, features), Features: names, HasIntercept: true, Intercept: rng.NormFloat64()}
		for range 10 {
			one.Coefficients[rng.IntN(features)] = rng.NormFloat64()
		}
		one.Coefficients[k] = math.Copysign(0, -1)
		nonzeros += one.NonZeros()
		m.Classes, m.Models = append(m.Classes, float64(k)), append(m.Models, one)
	}
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
	back, err := ReadMulti(&text, "m.json")
	if err != nil {
		t.Fatal(err)
	}
	for k, one := range back.Models {
		for j, v := range one.Coefficients {
			if want := m.Models[k].Coefficients[j]; math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("class %d, feature %d: %v, want %v", k, j, v, want)
			}
		}
		if &one.Features[0] != &back.Models[0].Features[0] {
			t.Fatalf("class %d has names of its own", k)
		}
	}
	m.Models[3].Features = slices.Clone(names)
	m.Models[3].Features[2] = "another"
	if err := m.Write(&text); err == nil || !strings.Contains(err.Error(), "class 3 has other names of features") {
		t.Errorf("%v", err)
	}
}
