package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
)

// TestOlderFiles checks that each model of testdata/files has the fields and predictions of its .want file,
// also after it is written in the newest format and read again. The loss must have a type of package solver.
func TestOlderFiles(t *testing.T) {
	wantPaths, err := filepath.Glob("testdata/files/*.want")
	if err != nil || len(wantPaths) == 0 {
		t.Fatalf("%d files, %v", len(wantPaths), err)
	}
	for _, path := range wantPaths {
		name := strings.TrimSuffix(path, ".want")
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := readSample(t, name)
			if loss := fmt.Sprintf("%T", m.Loss); !strings.HasPrefix(loss, "solver.") {
				t.Errorf("the loss is a %s", loss)
			}
			if got := summaryText(t, m) + predictionsOfRows(t, m); got != string(want) {
				t.Errorf("the file says and predicts\n%s; want\n%s", got, want)
			}
			var text bytes.Buffer
			if err := m.Write(&text); err != nil {
				t.Fatal(err)
			}
			prefix := fmt.Sprintf("{\n  \"format\": %d,\n", newestFormat)
			if !strings.HasPrefix(text.String(), prefix) {
				t.Errorf("written again as %.40s", text.String())
			}
			secondModel, err := Read(&text, "again.json")
			if err != nil || cmp.Diff(m, secondModel) != "" {
				t.Fatalf("written and read again: %v: %s", err, cmp.Diff(m, secondModel))
			}
			if got := summaryText(t, secondModel) + predictionsOfRows(t, secondModel); got != string(want) {
				t.Errorf("written again, the file says and predicts\n%s; want\n%s", got, want)
			}
		})
	}
}

// readSample reads the model name.json or, if there is no such file, name.liblinear.
func readSample(t *testing.T, name string) *Model {
	t.Helper()
	m, err := Load(name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return readLiblinear(t, name+".liblinear")
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// summaryText describes a model in one line, without its coefficients.
func summaryText(t *testing.T, m *Model) string {
	t.Helper()
	fields, err := json.Marshal(m.Summary)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{m.loss().String(), fmt.Sprintf("p=%d", m.featureCount()), string(fields)}
	add := func(present bool, format string, values ...any) {
		if present {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(m.Summary.ClassWeights != nil, "%v", m.Summary.ClassWeights)
	if m.hasPositive() {
		add(true, "%s is -1, %s is +1", m.Classes.Name(0), m.Classes.Name(1))
	} else {
		add(m.Classifies(), "%v", m.Classes.All())
	}
	add(m.LabelColumn != "", "target %s", m.LabelColumn)
	add(m.OffsetColumn != "", "offset %s", m.OffsetColumn)
	add(m.Fill != nil, "fill %v", m.Fill)
	add(m.HasIntercept, "intercept")
	for _, c := range m.Columns {
		add(c.Groups != nil, "tied %v", c.Groups)
		add(c.Run.Average, "average")
		add(c.Run.Method != "", "%s", c.Run.Method)
		add(c.Certificate.Status != "", "%s", c.Certificate.Status)
	}
	return strings.Join(parts, ", ") + "\n"
}

// predictionsOfRows returns a line for each row of rows.csv if the features of the model have names, and of
// rows.svm otherwise. A line has the predicted class or number and the margins of the row.
func predictionsOfRows(t *testing.T, m *Model) string {
	t.Helper()
	rows, opt := "rows.svm", m.ReadOptions()
	opt.Classes, opt.Regression, opt.Counts = sparse.Classes{}, false, false
	opt.AnyLabels, opt.Table.NoLabel = true, true
	if m.Features != nil {
		rows = "rows.csv"
	}
	d, err := sparse.ReadFile(filepath.Join("testdata", "files", rows), opt)
	if err != nil {
		t.Fatal(err)
	}
	margins, err := m.Margins(nil, d.X)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.addOffsets(margins, d.Offsets); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for columnCount := len(m.Columns); len(margins) > 0; margins = margins[columnCount:] {
		switch row := margins[:columnCount]; {
		case m.Classifies():
			fmt.Fprint(&lines, m.Classes.Name(m.predictedClass(row)))
		default:
			fmt.Fprint(&lines, m.loss().Traits().Labels.Prediction(row[0]))
		}
		for _, v := range margins[:columnCount] {
			fmt.Fprint(&lines, " ", v)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}

// TestManyClassesAreStoredSparsely checks that the file of a model of many classes is small, has the name of
// a feature only once, and gives the same bits when it is read.
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
	if maxBytes := 40*nonzeros + 600*classes + 30*features; text.Len() > maxBytes {
		t.Errorf("the file has %d bytes; want at most %d for %d coefficients that are not zero", text.Len(), maxBytes, nonzeros)
	}
	if n := strings.Count(text.String(), names[17]+`"`); n != 1 {
		t.Errorf("the name of a feature is there %d times", n)
	}
	loaded, err := Read(&text, "m.json")
	if err != nil {
		t.Fatal(err)
	}
	for k, column := range loaded.Columns {
		for j, v := range column.Coefficients {
			if want := m.Columns[k].Coefficients[j]; math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("class %d, feature %d: %v, want %v", k, j, v, want)
			}
		}
	}
}
