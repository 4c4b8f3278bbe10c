package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// modelFormat is raised when older programs would misread newer models.
const modelFormat = 1

// A model is what train writes and predict reads. It has nothing that changes
// from run to run or machine to machine: equal seeds give equal files.
type model struct {
	modelHead
	// Coefficients are those of features 1..p.
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
	head, err := json.MarshalIndent(m.modelHead, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the model: %w", err)
	}
	coefficients, err := json.Marshal(m.Coefficients)
	if err != nil {
		return fmt.Errorf("encoding the coefficients: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s,\n  \"coefficients\": %s\n}\n", bytes.TrimSuffix(head, []byte("\n}")), coefficients)
	return err
}

// readModel reads and checks a model file.
func readModel(path string) (*model, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m model
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: not a model file (%w); scas train -o FILE writes one, and predict takes it after -m", path, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &m, nil
}

func (m *model) check() error {
	loss, lossErr := m.loss()
	switch {
	case m.Format == 0:
		return fmt.Errorf("not a model file: it has no format number")
	case m.Format != modelFormat:
		return fmt.Errorf("model format %d; scas %s reads format %d: use the version that wrote it, %s", m.Format, version, modelFormat, m.Version)
	case lossErr != nil:
		return fmt.Errorf("damaged model: loss %q; expected logistic, squared, huber or squared-hinge", m.Loss)
	case !(m.HuberDelta >= 0):
		return fmt.Errorf("damaged model: huber_delta %v; expected a positive number", m.HuberDelta)
	case loss.classifies() && (m.Labels == nil || m.Labels.IsZero()):
		return fmt.Errorf("damaged model: no labels; expected a negative and a positive one")
	case len(m.Coefficients) != m.P || m.P < 1:
		return fmt.Errorf("damaged model: %d coefficients for p = %d", len(m.Coefficients), m.P)
	}
	return nil // JSON has no numbers that are not finite
}
