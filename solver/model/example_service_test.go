package model_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// This example goes from a database to a service. Cross-validation chooses a model, which is saved
// to a file. A service loads the file and predicts the classes of records, which are JSON objects. A later
// fit begins with this model.
func ExampleModel_Scorer() {
	ctx, db := context.Background(), sql.OpenDB(berries{})
	defer db.Close()
	b := &sparse.Builder{Names: []string{"height", "soil=clay", "soil=loam", "soil=sand"}}
	defer b.Close()
	b.Options.Classes = sparse.Classes{Values: []float64{0, 1}, Names: []string{"green", "ripe"}}
	b.Options.Table.Fill = map[string]float64{"height": 2} // for rows without a height
	rows := must(db.Query("SELECT height, soil, ripe FROM berries"))
	for rows.Next() {
		var height, soil any
		var ripe float64
		check(rows.Scan(&height, &soil, &ripe))
		check(b.AppendRecord(map[string]any{"height": height, "soil": soil}, ripe))
	}
	check(rows.Err())
	d := must(b.Dataset())
	bestModel := must(model.CVData(ctx, nil, d, nil)).BestModel()
	file := filepath.Join(must(os.MkdirTemp("", "berries")), "model.json")
	defer os.RemoveAll(filepath.Dir(file))
	check(bestModel.Save(file))
	scorer := must(must(model.Load(file)).Scorer())
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record := map[string]any{}
		err := json.NewDecoder(r.Body).Decode(&record)
		if prediction, predictErr := scorer.Predict(record); err == nil && predictErr == nil {
			ripe := prediction.Probabilities["ripe"]
			fmt.Fprintf(w, "{\"class\": %q, \"probability\": %.3f}\n", prediction.Class, ripe)
		} else {
			http.Error(w, errors.Join(err, predictErr).Error(), http.StatusBadRequest)
		}
	}))
	defer service.Close()
	ask(service.URL, `{"height": 3.1, "soil": "loam"}`, `{"height": null, "soil": "peat"}`, `{"soil": "clay"}`)
	nextModel := must(model.FitData(ctx, &model.Spec{Lambda: bestModel.Summary.Lambda, Start: bestModel}, d))
	fmt.Println(nextModel.Columns[0].Certificate.Status, "after", nextModel.Columns[0].Run.NewtonSteps, "step")
	// Output:
	// 200 {"class": "ripe", "probability": 1.000}
	// 200 {"class": "green", "probability": 0.007}
	// 400 sparse: the record lacks the columns of height: expected every feature by its name, null for a missing value; it has soil
	// converged after 1 step
}

func ask(url string, objects ...string) {
	for _, object := range objects {
		answer := must(http.Post(url, "application/json", strings.NewReader(object)))
		fmt.Print(answer.StatusCode, " ", string(must(io.ReadAll(answer.Body))))
		check(answer.Body.Close())
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// berries is a driver for database/sql. Every query returns its only table.
type berries struct{}

func (d berries) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d berries) Driver() driver.Driver                        { return d }
func (d berries) Open(string) (driver.Conn, error)             { return d, nil }
func (berries) Prepare(string) (driver.Stmt, error)            { return nil, errors.ErrUnsupported }
func (berries) Begin() (driver.Tx, error)                      { return nil, errors.ErrUnsupported }
func (berries) Close() error                                   { return nil }

func (berries) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return new(berryRows), nil
}

// berryRows is the number of rows that have been read.
type berryRows int

func (*berryRows) Columns() []string { return []string{"height", "soil", "ripe"} }
func (*berryRows) Close() error      { return nil }

func (r *berryRows) Next(dest []driver.Value) error {
	i := int(*r)
	*r++
	if i == 60 {
		return io.EOF
	}
	height := float64(i*37%40) / 10
	soil := i % 3
	dest[0], dest[1], dest[2] = height, []string{"clay", "loam", "sand"}[soil], int64(0)
	if height+float64(soil%2)+float64(i*i%7)/5 > 3 {
		dest[2] = int64(1)
	}
	if i%20 == 0 {
		dest[0] = nil
	}
	return nil
}
