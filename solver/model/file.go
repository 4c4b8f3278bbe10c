package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// Version is the version of scas. Model files have the version that wrote them.
const Version = "0.2.0"

// newestFormat is the number of the newest format of model files. A change that older programs would
// misread needs a new number. Read reads all formats.
const newestFormat = 3

// A modelFile has the fields of a model file of any format. In format 3, the file has the head, and each of
// Models is a column. Older files of several classes repeat the head in each of Models. Older files of one
// column have no Models: the file itself is the column.
type modelFile struct {
	columnFile
	Models []columnFile `json:"models"`
	// Checksum is computed from all other fields; it is nil if the file has none.
	Checksum *string `json:"checksum,omitempty"`
}

// A columnFile has the fields of a file with one column of coefficients.
type columnFile struct {
	head
	columnFields
	olderFields
}

// A head has the fields of a model file that apply to all columns of coefficients.
type head struct {
	Format  int    `json:"format"`
	Version string `json:"scas_version"`

	Loss string `json:"loss"`
	// Huber.Delta; 0 for its default and for other losses.
	HuberDelta float64    `json:"huber_delta,omitempty"`
	Labels     *twoLabels `json:"labels"` // null unless two classes share one column
	// Classes has the labels of the classes if each class has its own coefficients.
	Classes []float64 `json:"classes,omitempty"`
	// The names of Classes; absent if the labels are numbers.
	ClassNames []string `json:"class_names,omitempty"`
	P          int      `json:"p"` // number of features
	IndexBase  *int     `json:"index_base"`
	columnNames

	FitSummary
	ClassWeights []classWeight `json:"label_weights,omitempty"`
}

// twoLabels has the labels of two classes that share one column. The names are empty if they are numbers.
type twoLabels struct {
	Negative     float64 `json:"negative"`
	Positive     float64 `json:"positive"`
	NegativeName string  `json:"negative_name,omitempty"`
	PositiveName string  `json:"positive_name,omitempty"`
}

// columnNames describes the columns of the table to which the model was fitted.
type columnNames struct {
	Features    []string `json:"features,omitempty"`
	LabelColumn string   `json:"target,omitempty"` // the name of the label column
	Offset      string   `json:"offset_column,omitempty"`
	// The numbers that replace missing values, by the name of the column. If Fill is nil, a missing value is
	// an error. If it is not nil, missing categories are allowed too.
	Fill map[string]float64 `json:"fill,omitzero"`
}

// columnFields are the fields of a model file for one column of coefficients. The fields about the run do not
// depend on the machine.
type columnFields struct {
	Intercept *float64 `json:"intercept"`               // null if the model has no intercept
	Groups    [][]int  `json:"tied_features,omitempty"` // sets of feature numbers, from 0

	Objective float64       `json:"objective"`
	MeanLoss  float64       `json:"mean_loss"`
	Ridge     float64       `json:"ridge,omitempty"`
	Gap       *float64      `json:"duality_gap"` // null if there is no bound
	RelTol    float64       `json:"rel_tol"`
	Status    solver.Status `json:"status"`
	NoOptimum bool          `json:"no_optimum,omitempty"`

	Method          string          `json:"method,omitempty"`
	Seed            uint64          `json:"seed"`
	NewtonSteps     int             `json:"newton_steps,omitempty"`
	Passes          float64         `json:"passes,omitempty"`
	OuterIterations int             `json:"outer_iterations,omitempty"`
	DualUpdates     int             `json:"dual_updates,omitempty"`
	Eta             float64         `json:"eta,omitempty"`
	Rho             float64         `json:"rho,omitempty"`
	InnerSteps      int             `json:"inner_steps,omitempty"`
	BatchSize       int             `json:"batch_size,omitempty"` // 0 if the batch size is 1
	Schedule        solver.Schedule `json:"schedule,omitempty"`   // empty for solver.Practical
	Float32         bool            `json:"float32,omitempty"`
	Average         bool            `json:"average,omitempty"`

	// Nonzero has the numbers, from 1, of the features whose coefficients are in Coefficients. nil means all
	// features. It is empty, but not nil, if all coefficients are zero.
	Nonzero      []int     `json:"nonzero_features,omitzero"`
	Coefficients []float64 `json:"coefficients"`
}

// olderFields are fields of files before format 3. Newer files have fields of FitSummary, and Average.
type olderFields struct {
	Graph struct {
		Kind  string `json:"kind"`
		Edges int    `json:"edges"`
		Rows  int    `json:"rows"` // number of rows of A
	} `json:"graph"`
	GroupCount  int     `json:"groups"`
	L2Y         float64 `json:"l2y"`
	ClassWeight string  `json:"class_weights"`  // balanced, or empty
	WeightsFile string  `json:"sample_weights"` // the file of the sample weights; empty if there are none
	Output      string  `json:"output"`         // the iterate that the file has: last or average
}

// update sets the fields of FitSummary, and Average, from the older fields. If Graph.Kind is empty, the file
// has none of the older fields, and update does nothing.
func (c *columnFile) update() {
	if c.Graph.Kind == "" {
		return
	}
	c.GraphEdges = c.Graph.Edges
	if c.Graph.Kind == "matrix" {
		c.ARows = c.Graph.Rows
	}
	c.Penalty = "lasso"
	if c.GroupCount > 0 {
		c.Penalty = GroupLasso{}.name()
	}
	c.MuA = c.L2Y
	c.Balanced = c.ClassWeight == "balanced"
	c.Weighted = c.Balanced || c.WeightsFile != ""
	c.Average = c.Output == "average"
}

type classWeight struct {
	Label  float64 `json:"label"`
	Weight float64 `json:"weight"`
}

// Write writes the model as JSON. Each number has the shortest form that is read back with the same bits.
// Equal models give equal bytes. The field nonzero_features counts features from 1, whatever IndexBase is.
// The last field is a checksum of the fields before it. Write returns an error for a caller's own loss, for a
// name that is not UTF-8, and for a number that is not finite. A Gap may be +Inf.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	if parsedLoss, _ := term.ParseLoss(m.loss().String()); parsedLoss != m.loss() {
		return errorf("a loss of one's own, %q, has no place in a file; take those of package solver",
			m.loss())
	}
	names := []string{m.LabelColumn, m.OffsetColumn}
	if err := checkUTF8(m.Features, m.Classes.Names, names, slices.Sorted(maps.Keys(m.Fill))); err != nil {
		return err
	}
	head, err := json.Marshal(m.head())
	if err != nil {
		return errorf("writing: %w", err)
	}
	var b bytes.Buffer
	err = eachItem(head, func(name string, value json.RawMessage, _ int) error {
		separator := ",\n"
		if b.Len() == 0 {
			separator = "{\n"
		}
		fmt.Fprintf(&b, "%s  %q: %s", separator, name, value)
		return nil
	})
	if err != nil {
		return errorf("writing: %w", err)
	}
	b.WriteString(",\n  \"models\": [")
	for k := range m.Columns {
		text, err := json.Marshal(m.columnFields(k))
		if err != nil {
			return errorf("writing: %w", err)
		}
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(text)
	}
	b.WriteString("\n  ]")
	sum, err := checksum(append(b.Bytes(), '}'))
	if err != nil {
		return errorf("writing: %w", err)
	}
	fmt.Fprintf(&b, ",\n  \"checksum\": %q\n}\n", sum)
	_, err = w.Write(b.Bytes())
	return err
}

func (m *Model) head() *head {
	loss := m.loss().Traits()
	h := &head{
		Format: newestFormat, Version: Version, Loss: loss.Name, HuberDelta: loss.Argument.Value,
		P: m.featureCount(), IndexBase: &m.IndexBase,
		columnNames: columnNames{m.Features, m.LabelColumn, m.OffsetColumn, m.Fill}, FitSummary: m.Summary,
	}
	switch c := m.Classes; {
	case !m.hasPositive():
		h.Classes, h.ClassNames = c.Values, c.Names
	case c.Names == nil:
		h.Labels = &twoLabels{Negative: c.Values[0], Positive: c.Values[1]}
	default:
		h.Labels = &twoLabels{c.Values[0], c.Values[1], c.Names[0], c.Names[1]}
	}
	for label, weight := range m.Summary.ClassWeights {
		h.ClassWeights = append(h.ClassWeights, classWeight{label, weight})
	}
	slices.SortFunc(h.ClassWeights, func(a, b classWeight) int { return cmp.Compare(a.Label, b.Label) })
	return h
}

// columnFields returns column k as the fields of a model file. If at most half of the coefficients are
// nonzero, the result has only the nonzero coefficients.
func (m *Model) columnFields(k int) *columnFields {
	c := &m.Columns[k]
	proof, run := &c.Certificate, &c.Run
	f := &columnFields{
		Groups:    c.Groups,
		Objective: proof.Objective, MeanLoss: proof.MeanLoss, Ridge: proof.Ridge, RelTol: proof.RelTol,
		Status: proof.Status, NoOptimum: proof.NoOptimum,
		Method: run.Method, Seed: run.Seed, NewtonSteps: run.NewtonSteps, Passes: run.Passes,
		OuterIterations: run.OuterIterations,
		DualUpdates:     run.DualUpdates, Eta: run.Eta, Rho: run.Rho, InnerSteps: run.InnerSteps,
		Float32: run.Float32, Average: run.Average,
		Nonzero: []int{}, Coefficients: []float64{},
	}
	if m.HasIntercept {
		f.Intercept = &c.Intercept
	}
	if !math.IsInf(proof.Gap, 1) {
		f.Gap = &proof.Gap
	}
	if run.BatchSize > 1 {
		f.BatchSize = run.BatchSize
	}
	if run.Schedule != solver.Practical {
		f.Schedule = run.Schedule
	}
	for j, v := range c.Coefficients {
		if math.Float64bits(v) != 0 { // −0 counts as nonzero, so that its sign is kept
			f.Nonzero, f.Coefficients = append(f.Nonzero, j+1), append(f.Coefficients, v)
		}
	}
	if len(f.Nonzero) > len(c.Coefficients)/2 {
		f.Nonzero, f.Coefficients = nil, c.Coefficients
	}
	return f
}

// Save writes the model to a file, as Write does. If Save returns an error, an existing file of that name
// is unchanged: Save writes a temporary file in the same directory, syncs it to disk, and renames it. If
// path is a symbolic link, Save replaces the file that the link names.
func (m *Model) Save(path string) error {
	return atomicfile.Write(path, 0o666, m.Write)
}

// Load reads the model from a file that Save wrote; see Read.
func Load(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a model file of any format. If the text is not a model, is damaged, or has a wrong
// checksum, Read returns an error that contains name. Even a short file may have a model of many
// features, which needs 8 bytes of memory for each feature.
func Read(r io.Reader, name string) (*Model, error) {
	text, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, withFileName(name, err)
	}
	return m, nil
}

func parse(text []byte) (*Model, error) {
	var f modelFile
	err := json.Unmarshal(text, &f)
	switch { // if err is about the type of a field, as in a newer format, Unmarshal has read all other fields
	case f.Format < 0 || f.Format > newestFormat:
		version := ""
		if f.Version != "" {
			version = ", " + f.Version
		}
		return nil, fmt.Errorf("model format %d; scas %s reads formats 1 to %d: use the version that wrote it%s",
			f.Format, Version, newestFormat, version)
	case err != nil:
		return nil, damageError(text, err)
	case f.Format == 0:
		return nil, errors.New("not a model file: it has no format number")
	}
	if f.Models == nil && f.Format == newestFormat {
		return nil, errors.New("damaged model: it has no field models, with the coefficients" + fetchAgain)
	}
	if err := f.checkFields(text); err != nil {
		return nil, err
	}
	m, err := f.model()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, fetchAgain)
	}
	return m, checkSealed(text, f.Checksum)
}

func (f *modelFile) model() (*Model, error) {
	if f.Models == nil {
		f.Models = []columnFile{f.columnFile}
	}
	if len(f.Models) == 0 {
		return nil, errors.New("damaged model: it has no coefficients")
	}
	for k := range f.Models {
		f.completeHead(&f.Models[k])
	}
	first := &f.Models[0].head
	m, err := first.model(len(f.Models))
	if err != nil {
		return nil, err
	}
	for k := range f.Models {
		c, err := f.Models[k].column(first)
		switch {
		case err != nil && len(f.Models) > 1:
			return nil, fmt.Errorf("model %d: %w", k, err)
		case err != nil:
			return nil, err
		}
		m.Columns = append(m.Columns, *c)
		m.HasIntercept = m.HasIntercept || f.Models[k].Intercept != nil
	}
	return m, m.check()
}

// completeHead sets the fields of the head of c that the file has only once, for all columns.
func (f *modelFile) completeHead(c *columnFile) {
	if c.Format == 0 { // c has no head of its own
		c.head = f.head
		return
	}
	c.Classes, c.ClassNames = f.Classes, f.ClassNames
	if c.Features == nil {
		c.columnNames = f.columnNames
	}
	if c.ClassWeights == nil {
		c.ClassWeights = f.ClassWeights
	}
	if f.Format < 3 {
		c.update()
	}
}

// column returns the Column of c. The loss and the features of c must be those of first, the head of the
// first column.
func (c *columnFile) column(first *head) (*Column, error) {
	switch {
	case c.Loss != first.Loss || c.HuberDelta != first.HuberDelta:
		return nil, fmt.Errorf("damaged model: its loss is %s, but the loss of model 0 is %s", c.Loss, first.Loss)
	case c.P != first.P:
		return nil, fmt.Errorf("damaged model: it has %d features, but model 0 has %d", c.P, first.P)
	case !slices.Equal(c.Features, first.Features):
		return nil, errors.New("damaged model: its names of features differ from the names in model 0")
	case c.Gap != nil && *c.Gap < 0:
		return nil, fmt.Errorf("damaged model: duality_gap = %v; expected a number that is not negative",
			*c.Gap)
	}
	out := &Column{
		Coefficients: c.Coefficients, Groups: c.Groups,
		Certificate: Certificate{
			Objective: c.Objective, MeanLoss: c.MeanLoss, Ridge: c.Ridge, Gap: math.Inf(1), RelTol: c.RelTol,
			Status: c.Status, NoOptimum: c.NoOptimum,
		},
		Run: FitRun{
			Stats: solver.Stats{
				Method: c.Method, NewtonSteps: c.NewtonSteps, Passes: c.Passes,
				OuterIterations: c.OuterIterations,
				DualUpdates:     c.DualUpdates, Eta: c.Eta, Rho: c.Rho, InnerSteps: c.InnerSteps,
				BatchSize: c.BatchSize,
			},
			Seed: c.Seed, Schedule: c.Schedule, Float32: c.Float32, Average: c.Average,
		},
	}
	if c.Gap != nil {
		out.Certificate.Gap = *c.Gap
	}
	if c.Intercept != nil {
		out.Intercept = *c.Intercept
	}
	var err error
	if c.Nonzero != nil {
		out.Coefficients, err = unpack(c.P, c.Nonzero, c.Coefficients)
	}
	if err == nil && (len(out.Coefficients) != c.P || c.P < 1) {
		err = fmt.Errorf("damaged model: %d coefficients for p = %d", len(out.Coefficients), c.P)
	}
	return out, err
}

// unpack returns a vector of p coefficients that are zero except for the given coefficients.
// features has the numbers of their features, from 1.
func unpack(p int, features []int, coefficients []float64) ([]float64, error) {
	switch {
	case p < 1 || p > sparse.MaxCols:
		return nil, fmt.Errorf("damaged model: p = %d; expected 1 to %d", p, sparse.MaxCols)
	case len(features) != len(coefficients):
		return nil, fmt.Errorf("damaged model: %d coefficients for %d features",
			len(coefficients), len(features))
	}
	vector, lastFeature := make([]float64, p), 0
	for k, j := range features {
		if j <= lastFeature || j > p {
			return nil, fmt.Errorf("damaged model: feature %d after %d; expected increasing numbers in 1..%d",
				j, lastFeature, p)
		}
		vector[j-1], lastFeature = coefficients[k], j
	}
	return vector, nil
}

// model returns the model that the head describes, without Columns and HasIntercept. The file has columnCount
// columns.
func (h *head) model(columnCount int) (*Model, error) {
	name := h.Loss
	if h.HuberDelta != 0 {
		name = fmt.Sprintf("%s:%v", h.Loss, h.HuberDelta)
	}
	loss, err := solver.ParseLoss(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged model: loss %q; expected %s", name, term.LossUsage())
	case h.IndexBase == nil:
		return nil, errors.New("damaged model: no index_base; expected the number of the first feature, 0 or 1")
	}
	m := &Model{
		Loss: loss, Features: h.Features, LabelColumn: h.LabelColumn, OffsetColumn: h.Offset, Fill: h.Fill,
		IndexBase: *h.IndexBase, Summary: h.FitSummary,
	}
	m.Classes, err = h.classes(columnCount)
	if err != nil {
		return nil, err
	}
	for _, c := range h.ClassWeights {
		if m.Summary.ClassWeights == nil {
			m.Summary.ClassWeights = map[float64]float64{}
		}
		m.Summary.ClassWeights[c.Label] = c.Weight
	}
	return m, nil
}

// classes returns the classes that the head describes. Two classes in the field Labels share one column.
func (h *head) classes(columnCount int) (c sparse.Classes, err error) {
	c = sparse.Classes{Values: h.Classes, Names: h.ClassNames}
	if l := h.Labels; h.Classes == nil && l != nil && *l != (twoLabels{}) {
		if len(h.ClassNames) > 0 {
			return c, fmt.Errorf("damaged model: the names %q of classes that share a column; expected them in labels",
				h.ClassNames)
		}
		c.Names = nil
		c.Values = []float64{l.Negative, l.Positive}
		if l.NegativeName != "" || l.PositiveName != "" {
			c.Names = []string{l.NegativeName, l.PositiveName}
		}
	}
	if shared := h.Classes == nil; len(c.Values) == 2 && shared != (columnCount == 1) {
		err = columnCountError(2, columnCount)
	}
	return c, err
}

func (m *Model) check() error {
	if err := m.loss().Validate(nil); err != nil {
		return fmt.Errorf("damaged model: %w", err)
	}
	if err := m.checkLabels(); err != nil {
		return err
	}
	switch p := m.featureCount(); {
	case m.IndexBase != 0 && m.IndexBase != 1:
		return fmt.Errorf("damaged model: index_base %d; expected 0 or 1", m.IndexBase)
	case m.Features != nil && len(m.Features) != p:
		return fmt.Errorf("damaged model: %d features named for %d coefficients", len(m.Features), p)
	}
	for k := range m.Columns {
		if err := m.checkColumn(k); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) checkLabels() error {
	values, names, columnCount := m.Classes.Values, m.Classes.Names, len(m.Columns)
	isClassifier := classifies(m.loss())
	switch classCount := len(values); {
	case isClassifier && classCount == 0:
		return errors.New("damaged model: no labels; expected a negative and a positive one")
	case !isClassifier && classCount > 0:
		return fmt.Errorf("damaged model: labels with the %s loss, which is for numbers", m.loss())
	case columnCount != classCount && !(columnCount == 1 && (classCount == 0 || classCount == 2)),
		columnCount == classCount && classCount < 2:
		return columnCountError(classCount, columnCount)
	case names != nil && len(names) != classCount:
		return fmt.Errorf("damaged model: the names %q of %d classes; expected one for each", names, classCount)
	}
	if m.hasPositive() {
		switch {
		case values[0] == values[1]:
			return fmt.Errorf("damaged model: both labels are %v; expected two", values[0])
		case slices.Contains(names, ""):
			return fmt.Errorf("damaged model: labels %q and %q; expected two words or none", names[0], names[1])
		}
		return nil
	}
	if !slices.IsSorted(names) {
		return fmt.Errorf("damaged model: the names %q of the classes; expected them in increasing order", names)
	}
	for k := 1; k < len(values); k++ {
		if !(values[k] > values[k-1]) {
			return fmt.Errorf("damaged model: class %v after %v; expected them in increasing order",
				values[k], values[k-1])
		}
	}
	return nil
}

func columnCountError(classCount, columnCount int) error {
	return fmt.Errorf("damaged model: %d classes and %d columns of coefficients; expected a column for each class, or one column for two classes or for numbers", classCount, columnCount)
}

func (m *Model) checkColumn(k int) error {
	c, p := &m.Columns[k], m.featureCount()
	switch {
	case len(c.Coefficients) != p:
		return fmt.Errorf("damaged model: column %d has %d coefficients, the first %d",
			k, len(c.Coefficients), p)
	case !finite(c.Intercept):
		return fmt.Errorf("damaged model: intercept %v; expected a finite number", c.Intercept)
	case c.Intercept != 0 && !m.HasIntercept:
		return fmt.Errorf("damaged model: intercept %v of a model without; set HasIntercept", c.Intercept)
	}
	for j, v := range c.Coefficients {
		if !finite(v) {
			return fmt.Errorf("damaged model: coefficient %d is %v; expected a finite number", j, v)
		}
	}
	for _, group := range c.Groups {
		if len(group) == 0 {
			return fmt.Errorf("damaged model: a group without features")
		}
		for _, j := range group {
			if j < 0 || j >= p {
				return fmt.Errorf("damaged model: feature %d in a group of %d features", j, p)
			}
		}
	}
	return nil
}
