package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// modelFormat is raised when older programs would misread newer models. sparseFormat is
// that of models with few coefficients that are not zero among many.
const modelFormat, sparseFormat = 1, 2

// A model is what train writes and predict reads. It has nothing that changes
// from run to run or machine to machine: equal seeds give equal files.
type model struct {
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
	IndexBase int `json:"index_base"` // of the training file; predict expects the same

	Objective float64       `json:"objective"` // at the coefficients, on the training data
	Status    solver.Status `json:"status"`
	Gap       number        `json:"duality_gap"` // proved of the objective; null if nothing is
	Output    string        `json:"output"`      // last or average iterate

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
func newModel(c *trainCmd, t *task, r *trainReport, x []float64, objective float64) *model {
	m := &model{Coefficients: x, modelHead: modelHead{
		Format: modelFormat, Version: version,
		Loss: r.LossName, HuberDelta: r.HuberDelta, problemFacts: t.facts, IndexBase: int(t.data.Stats.IndexBase - sparse.ZeroBased),
		Objective: objective, Status: r.Status, Gap: r.DualityGap, Output: c.Output,
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
	if !t.data.Mapping.IsZero() {
		m.Labels = &t.data.Mapping
	}
	return m
}

// loss returns the loss the model was trained with.
func (m *model) loss() (lossFlag, error) {
	loss, err := solver.ParseLoss(m.Loss)
	if _, ok := loss.(solver.Huber); ok {
		loss = solver.Huber{Delta: m.HuberDelta}
	}
	return lossFlag{loss}, err
}

// encode writes the head one field a line and the coefficients on one line.
// Numbers take the shortest form that reads back to the same bits; one that is
// not finite is an error.
func (m *model) encode(w io.Writer) error {
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
	_, err = fmt.Fprintf(w, "%s,\n  \"coefficients\": %s\n}\n", head, coefficients)
	return err
}

// fewOfMany reports whether the coefficients that are not zero are so few of so many
// that the file should have no others.
func (m *model) fewOfMany() bool {
	return len(m.Coefficients) > 1<<17 && nonZeros(m.Coefficients) <= len(m.Coefficients)/8
}

// packed returns m with Features, as a file of sparseFormat has it.
func (m *model) packed() *model {
	out := &model{modelHead: m.modelHead, Features: []int{}, Coefficients: []float64{}}
	out.Format = sparseFormat
	for j, v := range m.Coefficients {
		if math.Float64bits(v) != 0 { // a negative zero stays one
			out.Features, out.Coefficients = append(out.Features, j+1), append(out.Coefficients, v)
		}
	}
	return out
}

// unpack undoes packed.
func (m *model) unpack() error {
	if len(m.Features) != len(m.Coefficients) {
		return fmt.Errorf("damaged model: %d coefficients for %d features", len(m.Coefficients), len(m.Features))
	}
	all, last := make([]float64, m.P), 0
	for k, j := range m.Features {
		if j <= last || j > m.P {
			return fmt.Errorf("damaged model: feature %d after %d; expected increasing numbers in 1..%d", j, last, m.P)
		}
		all[j-1], last = m.Coefficients[k], j
	}
	m.Features, m.Coefficients, m.Format = nil, all, modelFormat
	return nil
}

// readModel reads and checks a model file that is allowed so much memory.
func readModel(path string, limit memorySize) (*model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, _, err := sparse.ReadText(f, path) // of bounded length
	if err != nil {
		return nil, err
	}
	var m model
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: not a model file (%w); scas train -o FILE writes one, and predict takes it after -m", path, err)
	}
	if err := m.checkText(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	err = limit.allow(8*float64(m.P), "a model of %s", plural(m.P, "feature"))
	if err == nil && m.Format == sparseFormat && m.P >= 1 && m.P <= sparse.MaxCols {
		err = m.unpack()
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &m, nil
}

// checkText finds what decoding passes over: a first feature without a number would shift
// predictions by one, and null is decoded as 0.
func (m *model) checkText(text []byte) error {
	var given struct {
		IndexBase    *int            `json:"index_base"`
		Coefficients json.RawMessage `json:"coefficients"`
	}
	err := json.Unmarshal(text, &given)
	switch {
	case err != nil || m.Format < modelFormat || m.Format > sparseFormat:
		return err // check says more
	case given.IndexBase == nil || *given.IndexBase != 0 && *given.IndexBase != 1:
		return fmt.Errorf("damaged model: no index_base of 0 or 1, the number of the first feature in the training file")
	case bytes.Contains(given.Coefficients, []byte("null")):
		return fmt.Errorf("damaged model: null among the coefficients; expected numbers")
	}
	return nil
}

func (m *model) check() error {
	loss, lossErr := m.loss()
	switch {
	case m.Format == 0:
		return fmt.Errorf("not a model file: it has no format number")
	case m.P < 1 || m.P > sparse.MaxCols:
		return fmt.Errorf("damaged model: p = %d; expected 1 to %d", m.P, sparse.MaxCols)
	case m.Format != modelFormat:
		return fmt.Errorf("model format %d; scas %s reads formats up to %d: use the version that wrote it, %s", m.Format, version, sparseFormat, m.Version)
	case lossErr != nil:
		return fmt.Errorf("damaged model: loss %q; expected logistic, squared, huber or squared-hinge", m.Loss)
	case !(m.HuberDelta >= 0):
		return fmt.Errorf("damaged model: huber_delta %v; expected a positive number", m.HuberDelta)
	case loss.classifies() && (m.Labels == nil || m.Labels.IsZero()):
		return fmt.Errorf("damaged model: no labels; expected a negative and a positive one")
	case len(m.Coefficients) != m.P:
		return fmt.Errorf("damaged model: %d coefficients for p = %d", len(m.Coefficients), m.P)
	}
	return nil // JSON has no numbers that are not finite
}
