package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// modelFormat is raised when older programs would misread newer models. sparseFormat is
// that of models with few coefficients that are not zero among many.
const modelFormat, sparseFormat = 1, 2

// A modelFile is what train writes without an intercept; package solver/model reads it,
// and writes the other models. It has nothing that changes
// from run to run or machine to machine: equal seeds give equal files.
type modelFile struct {
	modelHead
	// Features are the numbers, from 1, of the features that the file has coefficients
	// of; nil in memory, and where it has all of them.
	Features []int `json:"nonzero_features,omitempty"`
	// Coefficients are those of features 1..p; in a file of sparseFormat, of Features.
	Coefficients []float64 `json:"coefficients"`
}

type modelHead struct {
	Format  int    `json:"format"`
	Version string `json:"scas_version"`

	Loss       string               `json:"loss"`
	HuberDelta float64              `json:"huber_delta,omitempty"`
	Labels     *sparse.LabelMapping `json:"labels"` // null for regression
	problemFacts
	IndexBase int                `json:"index_base"` // of the training file; predict expects the same
	Names     []string           `json:"features,omitempty"`
	Target    string             `json:"target,omitempty"` // the column of the labels
	Fill      map[string]float64 `json:"fill,omitempty"`   // of missing values, by columns

	Objective float64       `json:"objective"` // at the coefficients, on the training data
	Status    solver.Status `json:"status"`
	Gap       number        `json:"duality_gap"` // proved of the objective; null if nothing is
	NoOptimum bool          `json:"no_optimum,omitempty"`
	Output    string        `json:"output"` // last or average iterate

	modelRun
}

// modelRun is the run that gave a model: what repeats it, and what it took.
type modelRun struct {
	Method          string  `json:"method"`
	DualUpdates     int     `json:"dual_updates"`
	InnerSteps      int     `json:"inner_steps,omitempty"` // if set
	BatchSize       int     `json:"batch_size,omitempty"`  // unless 1
	Schedule        string  `json:"schedule,omitempty"`    // unless practical
	Float32         bool    `json:"float32,omitempty"`
	Seed            uint64  `json:"seed"`
	Passes          float64 `json:"passes"`
	OuterIterations int     `json:"outer_iterations"`
	Eta             float64 `json:"eta"`
	Rho             float64 `json:"rho"`
}

// newModel makes the model of x, which r tells of.
func newModel(c *trainCmd, t *task, r *trainReport, x []float64, objective float64) *modelFile {
	m := &modelFile{Coefficients: x, modelHead: modelHead{
		Format: modelFormat, Version: version,
		Loss: r.LossName, HuberDelta: r.HuberDelta, problemFacts: t.facts, IndexBase: int(t.data.Stats.IndexBase - sparse.ZeroBased), Names: t.data.Names,
		Objective: objective, Status: r.Status, Gap: r.DualityGap, NoOptimum: r.NoOptimum, Output: c.Output,
		modelRun: modelRun{
			Method: r.Method, DualUpdates: r.DualUpdates, InnerSteps: int(c.InnerSteps), Float32: c.Float32, Seed: c.Seed,
			Passes: r.Passes, OuterIterations: r.OuterIterations, Eta: r.Eta, Rho: r.Rho,
		}}}
	if r.BatchSize > 1 {
		m.BatchSize = r.BatchSize
	}
	if c.Schedule != string(solver.Practical) {
		m.Schedule = c.Schedule
	}
	if table := t.data.Table; table != nil {
		m.Target, m.Fill = table.Label, table.Fill
	}
	if !t.data.Mapping.IsZero() {
		m.Labels = &t.data.Mapping
	}
	return m
}

// encode writes the head one field a line and the coefficients on one line.
// Numbers take the shortest form that reads back to the same bits; one that is
// not finite is an error.
func (m *modelFile) encode(w io.Writer) error {
	if m.fewOfMany() {
		m = m.packed()
	}
	head, err := json.MarshalIndent(m.modelHead, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the model: %w", err)
	}
	coefficients, err := json.Marshal(m.Coefficients)
	if err != nil {
		return fmt.Errorf("encoding the coefficients: %w", err)
	}
	head = bytes.TrimSuffix(head, []byte("\n}"))
	if m.Features != nil {
		features, err := json.Marshal(m.Features)
		if err != nil {
			return fmt.Errorf("encoding the features: %w", err)
		}
		head = fmt.Appendf(head, ",\n  \"nonzero_features\": %s", features)
	}
	file, err := model.Sealed(fmt.Appendf(nil, "%s,\n  \"coefficients\": %s\n}\n", head, coefficients))
	if err != nil {
		return fmt.Errorf("encoding the model: %w", err)
	}
	_, err = w.Write(file)
	return err
}

// fewOfMany reports whether the coefficients that are not zero are so few of so many
// that the file should have no others.
func (m *modelFile) fewOfMany() bool {
	return len(m.Coefficients) > 1<<17 && nonZeros(m.Coefficients) <= len(m.Coefficients)/8
}

// packed returns m with Features, as a file of sparseFormat has it.
func (m *modelFile) packed() *modelFile {
	out := &modelFile{modelHead: m.modelHead, Features: []int{}, Coefficients: []float64{}}
	out.Format = sparseFormat
	for j, v := range m.Coefficients {
		if math.Float64bits(v) != 0 { // a negative zero stays one
			out.Features, out.Coefficients = append(out.Features, j+1), append(out.Coefficients, v)
		}
	}
	return out
}

// readModel reads and checks a model file, of liblinear as well, that is allowed so much
// memory.
func readModel(path string, limit memorySize) (fittedModel, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isLiblinear(path) {
		if classes := liblinearClasses.FindSubmatch(opening(path)); classes != nil && string(classes[1]) != "2" {
			return wrappedMany(model.ReadLiblinearMulti(f, path))
		}
		return wrapped(model.ReadLiblinear(f, path))
	}
	text, err := sparse.ReadText(f, path) // of bounded length
	if err != nil {
		return nil, err
	}
	var size struct {
		P      float64
		Models []struct{ P float64 } // of several classes
	}
	if err := json.Unmarshal(text, &size); err != nil && !json.Valid(text) {
		_, err = model.Read(bytes.NewReader(text), path) // says where
		return nil, err
	}
	for _, one := range size.Models {
		size.P += one.P
	}
	if err := limit.allow(8*size.P, "a model of %s", plural(int64(size.P), "feature")); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if size.Models != nil {
		return wrappedMany(model.ReadMulti(bytes.NewReader(text), path))
	}
	return wrapped(model.Read(bytes.NewReader(text), path))
}

// liblinearClasses finds the number of classes of a model of liblinear.
var liblinearClasses = regexp.MustCompile(`\nnr_class\s+(\d+)`)

func wrappedMany(m *model.Multi, err error) (fittedModel, error) {
	if err != nil {
		return nil, err
	}
	return manyModel{m}, nil
}

// wrapped is a model that was read, or the error.
func wrapped(m *model.Model, err error) (fittedModel, error) {
	if err != nil {
		return nil, err
	}
	return oneModel{m}, nil
}
