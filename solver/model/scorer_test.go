package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestScorer checks that a Scorer predicts a record as the model predicts a table row with the same cells,
// and that PredictData does so too.
func TestScorer(t *testing.T) {
	numberModel := &Model{
		Loss: solver.Poisson{}, Features: []string{"height", "soil=clay", "seeds"}, OffsetColumn: "log",
		Fill:    map[string]float64{"height": 2, "seeds": 0},
		Columns: []Column{{Coefficients: []float64{0.5, -1, 0.01}, Intercept: 0.25}}, HasIntercept: true, IndexBase: 1,
	}
	for name, m := range map[string]*Model{
		"two":     readSample(t, "testdata/files/format2-words"),
		"classes": readSample(t, "testdata/files/format3-older-classes"), "numbers": numberModel,
	} {
		s, err := m.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		for _, cells := range [][4]string{
			{"1.25", "loam", "40", "0.5"}, {"", "clay", "12", "0"}, {"3", "peat", "", "1"},
			{"0.5", "", "7", "-2"},
		} {
			table := "seeds,height,extra,soil,log\n" +
				strings.Join([]string{cells[2], cells[0], "x", cells[1], cells[3]}, ",") + "\n"
			opt := m.ReadOptions()
			opt.Table.NoLabel = true
			d, err := sparse.Read(strings.NewReader(table), "t.csv", opt)
			if err != nil {
				t.Fatal(err)
			}
			margins, err := m.Margins(nil, d.X)
			if err == nil {
				err = m.addOffsets(margins, d.Offsets)
			}
			if err != nil {
				t.Fatal(err)
			}
			record := map[string]any{
				"height": json.Number(cells[0]), "soil": cells[1], "seeds": cells[2], "log": cells[3],
				"extra": []int{1},
			}
			if cells[1] == "" {
				record["soil"] = nil
			}
			got, err := s.Predict(record)
			if err != nil {
				t.Fatalf("%s, %q: %v", name, cells, err)
			}
			data, err := m.PredictData(d, nil)
			if err != nil {
				t.Fatal(err)
			}
			if data.Classes == nil != (got.Class == "") || data.Classes != nil && data.Names[data.Classes[0]] != got.Class {
				t.Errorf("%s, %q: %+v by PredictData, %q by Predict", name, cells, data, got.Class)
			}
			switch name {
			case "numbers":
				if data.Scores[0] != *got.Number {
					t.Errorf("%q: %v by PredictData, %v by Predict", cells, data.Scores, *got.Number)
				}
			case "two":
				if data.Scores[0] != got.Probabilities["yes"] {
					t.Errorf("%q: %v by PredictData, %v by Predict", cells, data.Scores, got.Probabilities)
				}
			default:
				for k, v := range data.Scores {
					if v != got.Probabilities[data.Names[k]] {
						t.Errorf("%q: %v by PredictData, %v by Predict", cells, data.Scores, got.Probabilities)
					}
				}
			}
			if (len(got.Unknown) == 1) != (cells[1] == "peat" || cells[1] == "loam" && name == "numbers") {
				t.Errorf("%s, %q: unknown %v", name, cells, got.Unknown)
			}
			switch name {
			case "numbers":
				want := m.loss().Traits().Labels.Prediction(margins[0])
				if *got.Number != want || got.Class != "" {
					t.Errorf("%q: %v, as a table %v", cells, *got.Number, want)
				}
			case "two":
				want := map[bool]string{false: "no", true: "yes"}[margins[0] > 0]
				if p := m.loss().Traits().Probability(margins[0]); got.Class != want ||
					got.Probabilities["yes"] != p || got.Probabilities["no"] != 1-p {
					t.Errorf("%q: %+v, as a table %v of %s", cells, got, p, want)
				}
			default:
				want := m.Classes.Name(m.predictedClass(margins))
				m.toProbabilities(margins)
				if got.Class != want || got.Probabilities["rowan"] != margins[1] || len(got.Probabilities) != 3 {
					t.Errorf("%q: %+v, as a table %v, %s", cells, got, margins, want)
				}
			}
		}
		_, err = s.Predict(map[string]any{"height": 1.0, "seeds": 2})
		sparsetest.CheckError(t, err, "lacks the columns of")
	}
	numberModel.Columns[0].Intercept = 1e308
	s, _ := numberModel.Scorer()
	if _, err := s.Predict(map[string]any{"height": 1, "soil": "clay", "seeds": 2, "log": strconv.Itoa(3)}); err == nil {
		t.Error("a rate beyond float64 is no error")
	}
	numberModel.Features = nil
	_, err := numberModel.Scorer()
	sparsetest.CheckError(t, err, "the features have no names")
}
