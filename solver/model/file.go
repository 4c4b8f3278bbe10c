package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// Version is that of the program that model files name as their writer.
const Version = "0.1.0"

// Format is the newest format of model files. It is raised when older programs would
// misread newer models; Read knows 1 as well.
const Format = 2

// A head is a model file but for the coefficients.
type head struct {
	Format  int    `json:"format"`
	Version string `json:"scas_version"`

	Loss       string  `json:"loss"`
	HuberDelta float64 `json:"huber_delta,omitempty"` // the argument of the loss, named when Huber alone had one
	Labels     *labels `json:"labels"`                // null for regression
	P          int     `json:"p"`
	IndexBase  *int    `json:"index_base"`
	Intercept  *number `json:"intercept"` // null if the model has none
	columns
	Groups [][]int `json:"tied_features,omitempty"` // counted from 0

	Facts
	ClassWeights []classWeight `json:"label_weights,omitempty"`

	proof

	Run
}

// columns are those of the table that a model was fitted to.
type columns struct {
	Features []string           `json:"features,omitempty"`
	Target   string             `json:"target,omitempty"` // the column of the labels
	Offset   string             `json:"offset_column,omitempty"`
	Fill     map[string]float64 `json:"fill,omitempty"` // of missing values, by columns
}

// A proof is a Certificate in a file.
type proof struct {
	Objective number        `json:"objective"`
	MeanLoss  number        `json:"mean_loss"`
	Gap       *number       `json:"duality_gap"` // null if nothing is proved
	RelTol    number        `json:"rel_tol"`
	Status    solver.Status `json:"status"`
	NoOptimum bool          `json:"no_optimum,omitempty"`
}

func proofOf(c *Certificate) proof {
	p := proof{
		Objective: number(c.Objective), MeanLoss: number(c.MeanLoss),
		RelTol: number(c.RelTol), Status: c.Status, NoOptimum: c.NoOptimum,
	}
	if gap := number(c.Gap); !math.IsInf(c.Gap, 1) {
		p.Gap = &gap
	}
	return p
}

func (p *proof) certificate() Certificate {
	c := Certificate{
		Objective: float64(p.Objective), MeanLoss: float64(p.MeanLoss), Gap: math.Inf(1),
		RelTol: float64(p.RelTol), Status: p.Status, NoOptimum: p.NoOptimum,
	}
	if p.Gap != nil {
		c.Gap = float64(*p.Gap)
	}
	return c
}

type classWeight struct {
	Label  float64 `json:"label"`
	Weight float64 `json:"weight"`
}

// A number is a float64 that must be one: null is an error, and so is what is not
// finite.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (v *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" || json.Unmarshal(text, (*float64)(v)) != nil {
		return errNumber
	}
	return nil
}

// labels are those of two classes, both of which must be there.
type labels sparse.LabelMapping

// UnmarshalJSON implements json.Unmarshaler.
func (l *labels) UnmarshalJSON(text []byte) error {
	var both struct{ Negative, Positive *number }
	if err := json.Unmarshal(text, &both); err != nil {
		return err
	}
	if both.Negative == nil || both.Positive == nil {
		return errors.New("labels without a negative and a positive one")
	}
	if err := json.Unmarshal(text, (*sparse.LabelMapping)(l)); err != nil {
		return err
	}
	if (l.NegativeName == "") != (l.PositiveName == "") {
		return fmt.Errorf("labels %q and %q; expected two words or none", l.NegativeName, l.PositiveName)
	}
	return nil
}

// Write writes the model as JSON: the head one field a line, the coefficients on one.
// Numbers take the shortest form that reads back to the same bits; one that is not
// finite is an error. Equal models give equal bytes. The last line is a checksum; see
// Sealed.
func (m *Model) Write(w io.Writer) error {
	if err := m.writable(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m.head(), "", "  ")
	if err != nil {
		return fmt.Errorf("model: writing: %w", err)
	}
	coefficients, err := json.Marshal(m.Coefficients)
	if err != nil {
		return fmt.Errorf("model: writing the coefficients: %w", err)
	}
	file, err := Sealed(fmt.Appendf(nil, "%s,\n  \"coefficients\": %s\n}\n", bytes.TrimSuffix(text, []byte("\n}")), coefficients))
	if err != nil {
		return fmt.Errorf("model: writing: %w", err)
	}
	_, err = w.Write(file)
	return err
}

// writable reports what keeps a model from being written.
func (m *Model) writable() error {
	if err := m.check(); err != nil {
		return err
	}
	if _, ok := term.NamedLoss(traits(m.loss()).Name, 0); !ok {
		return fmt.Errorf("model: a loss of one's own, %q, has no place in a file; take those of package solver", m.loss())
	}
	return nil
}

func (m *Model) head() *head {
	loss := traits(m.loss())
	h := &head{
		Format: Format, Version: Version, Loss: loss.Name, HuberDelta: loss.Argument.Value, P: len(m.Coefficients), IndexBase: &m.IndexBase,
		columns: columns{m.Features, m.Target, m.Offset, m.Fill}, Groups: m.Groups, Facts: m.Facts, proof: proofOf(&m.Certificate), Run: m.Run,
	}
	if m.Classifies() {
		h.Labels = (*labels)(&m.Labels)
	}
	if m.HasIntercept {
		h.Intercept = (*number)(&m.Intercept)
	}
	for label, weight := range m.Facts.ClassWeights {
		h.ClassWeights = append(h.ClassWeights, classWeight{label, weight})
	}
	sortWeights(h.ClassWeights)
	return h
}

// Save writes the model to a file, whole or not at all: to a temporary file beside it,
// synced to disk and renamed. A link is followed.
func (m *Model) Save(path string) error {
	return atomicfile.Write(atomicfile.Followed(path), 0o666, m.Write)
}

// Load reads a file that Save wrote; see Read.
func Load(path string) (*Model, error) { return loadFile(path, Read) }

// loadFile opens a file and reads it.
func loadFile[T any](path string, read func(io.Reader, string) (T, error)) (m T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	return read(f, path)
}

// Read reads a model of format 1 or 2, of all coefficients or of those that are not zero.
// What is no model, a damaged one, or one whose checksum is another than its own, is an
// error that names the file and says what is wrong. A short file may say that it has many features: 8 bytes are taken for each.
func Read(r io.Reader, name string) (*Model, error) { return readText(r, name, parse) }

// readText parses a text of bounded length, and names it in errors.
func readText[T any](r io.Reader, name string, parse func(text []byte) (*T, error)) (*T, error) {
	text, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, named(name, err)
	}
	return m, nil
}

func parse(text []byte) (*Model, error) {
	var f struct {
		head
		Graph *struct { // format 1
			Edges int `json:"edges"`
		} `json:"graph"`
		Nonzero      []int    `json:"nonzero_features"` // what coefficients are of; nil: all features
		Coefficients []number `json:"coefficients"`
		Checksum     *string  `json:"checksum"`
	}
	var format struct {
		Format    *int            `json:"format"`
		Models    json.RawMessage `json:"models"`
		Intercept json.RawMessage `json:"intercept"`
	}
	if err := json.Unmarshal(text, &format); err != nil {
		return nil, damageOf(text, err)
	}
	switch {
	case format.Format == nil:
		return nil, errors.New("not a model file: it has no format number")
	case format.Models != nil:
		return nil, errors.New("a model of several classes; LoadMulti reads those")
	case *format.Format != 1 && *format.Format != Format:
		_ = json.Unmarshal(text, &f) // for its version
		return nil, fmt.Errorf("model format %d; scas %s reads formats 1 and %d: use the version that wrote it, %s", *format.Format, Version, Format, f.Version)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, damageOf(text, err)
	}
	if err := distinct(text); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	if *format.Format == Format && format.Intercept == nil && f.Nonzero == nil { // those of few features have none
		return nil, errors.New("damaged model: no intercept; expected a number, or null for none")
	}
	if f.Graph != nil {
		f.Facts.GraphEdges = f.Graph.Edges
	}
	coefficients := make([]float64, len(f.Coefficients))
	for j, v := range f.Coefficients {
		coefficients[j] = float64(v)
	}
	if f.Nonzero != nil {
		all, err := unpack(f.P, f.Nonzero, coefficients)
		if err != nil {
			return nil, fmt.Errorf("%w%s", err, again)
		}
		coefficients = all
	}
	m, err := f.head.model(coefficients)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, again)
	}
	return m, checkSealed(text, f.Checksum)
}

// unpack returns p coefficients, zero but for those of features, counted from 1, as
// scas train writes them where they are few among many.
func unpack(p int, features []int, coefficients []float64) ([]float64, error) {
	switch {
	case p < 1 || p > sparse.MaxCols:
		return nil, fmt.Errorf("damaged model: p = %d; expected 1 to %d", p, sparse.MaxCols)
	case len(features) != len(coefficients):
		return nil, fmt.Errorf("damaged model: %d coefficients for %d features", len(coefficients), len(features))
	}
	all, last := make([]float64, p), 0
	for k, j := range features {
		if j <= last || j > p {
			return nil, fmt.Errorf("damaged model: feature %d after %d; expected increasing numbers in 1..%d", j, last, p)
		}
		all[j-1], last = coefficients[k], j
	}
	return all, nil
}

// model returns the model of a head and coefficients.
func (h *head) model(coefficients []float64) (*Model, error) {
	loss, known := term.NamedLoss(h.Loss, h.HuberDelta)
	switch {
	case !known:
		return nil, fmt.Errorf("damaged model: loss %q; expected %s", h.Loss, strings.Join(term.LossNames(), ", "))
	case h.IndexBase == nil:
		return nil, errors.New("damaged model: no index_base; expected the number of the first feature, 0 or 1")
	case len(coefficients) != h.P || h.P < 1:
		return nil, fmt.Errorf("damaged model: %d coefficients for p = %d", len(coefficients), h.P)
	}
	m := &Model{
		Loss: loss, Coefficients: coefficients, Features: h.Features, Target: h.Target, Offset: h.Offset, Fill: h.Fill, IndexBase: *h.IndexBase, Groups: h.Groups, Facts: h.Facts, Run: h.Run,
		Certificate: h.certificate(),
	}
	if h.Labels != nil {
		m.Labels = sparse.LabelMapping(*h.Labels)
	}
	if h.Intercept != nil {
		m.HasIntercept, m.Intercept = true, float64(*h.Intercept)
	}
	for _, c := range h.ClassWeights {
		if m.Facts.ClassWeights == nil {
			m.Facts.ClassWeights = map[float64]float64{}
		}
		m.Facts.ClassWeights[c.Label] = c.Weight
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check reports what is wrong with a model.
func (m *Model) check() error {
	if err := m.loss().Validate(nil); err != nil {
		return fmt.Errorf("damaged model: %w", err)
	}
	class := classifies(m.loss())
	switch {
	case class && m.Labels.IsZero():
		return errors.New("damaged model: no labels; expected a negative and a positive one")
	case !class && !m.Labels.IsZero():
		return fmt.Errorf("damaged model: labels %v and %v with the %s loss, which is for numbers", m.Labels.Negative, m.Labels.Positive, m.loss())
	case class && m.Labels.Negative == m.Labels.Positive:
		return fmt.Errorf("damaged model: both labels are %v; expected two", m.Labels.Positive)
	case m.IndexBase != 0 && m.IndexBase != 1:
		return fmt.Errorf("damaged model: index_base %d; expected 0 or 1", m.IndexBase)
	case m.Features != nil && len(m.Features) != len(m.Coefficients):
		return fmt.Errorf("damaged model: %d features named for %d coefficients", len(m.Features), len(m.Coefficients))
	case !finite(m.Intercept):
		return fmt.Errorf("damaged model: intercept %v; expected a finite number", m.Intercept)
	}
	for j, v := range m.Coefficients {
		if !finite(v) {
			return fmt.Errorf("damaged model: coefficient %d is %v; expected a finite number", j, v)
		}
	}
	for _, group := range m.Groups {
		for _, j := range group {
			if j < 0 || j >= len(m.Coefficients) {
				return fmt.Errorf("damaged model: feature %d in a group of %d features", j, len(m.Coefficients))
			}
		}
	}
	return nil
}
