package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// multiFormat is the newest format of model files of several classes. ReadMulti knows 2 as
// well, in which every model has the columns and all coefficients.
const multiFormat = 3

// A multiFile is a model file of several classes: the columns, and one model after the
// other, each with the numbers of the features whose coefficients are not zero.
type multiFile struct {
	Format  int      `json:"format"`
	Version string   `json:"scas_version"`
	Classes []number `json:"classes"`
	Names   []string `json:"class_names,omitempty"` // of classes that are words
	columns
	Models []json.RawMessage `json:"models"`
	// Checksum is of what is before; see Sealed.
	Checksum *string `json:"checksum,omitempty"`
}

// Write writes the models as JSON; see Model.Write.
func (m *Multi) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	f := multiFile{Format: multiFormat, Version: Version, Names: m.Names, columns: m.Models[0].head().columns}
	for k, one := range m.Models {
		text, err := one.part()
		if err != nil {
			return fmt.Errorf("class %v: %w", m.Classes[k], err)
		}
		f.Classes = append(f.Classes, number(m.Classes[k]))
		f.Models = append(f.Models, text)
	}
	text, err := json.Marshal(f)
	if err == nil {
		text, err = Sealed(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("model: writing: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// part returns the model as a file of several classes has it.
func (m *Model) part() ([]byte, error) {
	if err := m.writable(); err != nil {
		return nil, err
	}
	part := struct {
		*head
		Nonzero      []int     `json:"nonzero_features"` // counted from 1
		Coefficients []float64 `json:"coefficients"`
	}{m.head(), []int{}, []float64{}}
	part.columns = columns{}
	for j, v := range m.Coefficients {
		if math.Float64bits(v) != 0 { // a negative zero stays one
			part.Nonzero, part.Coefficients = append(part.Nonzero, j+1), append(part.Coefficients, v)
		}
	}
	return json.Marshal(part)
}

// Save writes the models to a file, whole or not at all; see Model.Save.
func (m *Multi) Save(path string) error {
	return atomicfile.Write(atomicfile.Followed(path), 0o666, m.Write)
}

// LoadMulti reads a file that Multi.Save wrote; see ReadMulti.
func LoadMulti(path string) (*Multi, error) { return loadFile(path, ReadMulti) }

// ReadMulti reads models of several classes. What is none, or damaged, is an error that
// names the file and says what is wrong.
func ReadMulti(r io.Reader, name string) (*Multi, error) { return readText(r, name, parseMulti) }

func parseMulti(text []byte) (*Multi, error) {
	var f multiFile
	switch err := json.Unmarshal(text, &f); {
	case err != nil:
		return nil, damageOf(text, err)
	case f.Models == nil:
		return nil, errors.New("not a model file of several classes: it has no models; Load reads those of two classes and of numbers")
	case f.Format != Format && f.Format != multiFormat:
		return nil, fmt.Errorf("model format %d; scas %s reads formats %d and %d: use the version that wrote it, %s", f.Format, Version, Format, multiFormat, f.Version)
	}
	m := &Multi{Names: f.Names}
	for _, class := range f.Classes {
		m.Classes = append(m.Classes, float64(class))
	}
	for k, part := range f.Models {
		one, err := parse(part)
		if where := (*sparse.ParseError)(nil); errors.As(err, &where) {
			where.File, where.Line = fmt.Sprintf("model %d", k), 0 // within the part
			return nil, where
		}
		if err != nil {
			return nil, fmt.Errorf("model %d: %w", k, err)
		}
		if f.Format == multiFormat {
			one.Features, one.Target, one.Offset, one.Fill = f.Features, f.Target, f.Offset, f.Fill
		}
		m.Models = append(m.Models, one)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, checkSealed(text, f.Checksum)
}

// check reports what is wrong with the models.
func (m *Multi) check() error {
	if len(m.Classes) != len(m.Models) || len(m.Models) < 2 {
		return fmt.Errorf("damaged model: %d classes and %d models; expected as many of both, and some", len(m.Classes), len(m.Models))
	}
	if m.Names != nil && (len(m.Names) != len(m.Classes) || !slices.IsSorted(m.Names)) {
		return fmt.Errorf("damaged model: the names %q of %d classes; expected one for each, in increasing order", m.Names, len(m.Classes))
	}
	for k, one := range m.Models {
		switch {
		case k > 0 && !(m.Classes[k] > m.Classes[k-1]):
			return fmt.Errorf("damaged model: class %v after %v; expected them in increasing order", m.Classes[k], m.Classes[k-1])
		case !one.Classifies():
			return fmt.Errorf("damaged model: that of class %v is for numbers", m.Classes[k])
		case one.loss().String() != m.Models[0].loss().String():
			return fmt.Errorf("damaged model: that of class %v has the %s loss, the first %s", m.Classes[k], one.loss(), m.Models[0].loss())
		case len(one.Coefficients) != len(m.Models[0].Coefficients):
			return fmt.Errorf("damaged model: that of class %v has %d features, the first %d", m.Classes[k], len(one.Coefficients), len(m.Models[0].Coefficients))
		case one.Features != nil && len(one.Features) != len(one.Coefficients):
			return fmt.Errorf("damaged model: %d features named for %d coefficients", len(one.Features), len(one.Coefficients))
		case !slices.Equal(one.Features, m.Models[0].Features):
			return fmt.Errorf("damaged model: that of class %v has other names of features than the first", m.Classes[k])
		}
	}
	return nil
}
