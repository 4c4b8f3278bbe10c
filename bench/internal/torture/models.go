package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// naiveModel is what predictions follow from.
type naiveModel struct {
	loss         string
	positive     float64
	negative     float64
	base         float64
	intercept    float64
	coefficients []float64
}

func (m *naiveModel) equal(n *naiveModel) bool {
	return m.loss == n.loss && m.positive == n.positive && m.negative == n.negative && m.base == n.base &&
		m.intercept == n.intercept && slices.Equal(m.coefficients, n.coefficients)
}

// naiveOf is the same of a model that was read.
func naiveOf(m *model.Model) *naiveModel {
	return &naiveModel{m.Loss.String(), m.Labels.Positive, m.Labels.Negative, float64(m.IndexBase), m.Intercept, m.Coefficients}
}

// object is a JSON object whose keys, of any case, are all different.
type object map[string]json.RawMessage

// readObject reads one object and nothing after it. If it has a checksum, that is of the
// other fields.
func readObject(text []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	o, sum := object{}, uint32(0)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		name := strings.ToLower(fmt.Sprint(key))
		if name != "checksum" {
			var compact bytes.Buffer
			if err := json.Compact(&compact, value); err != nil {
				return nil, err
			}
			sum = crc32.Update(sum, crcTable, []byte(strconv.Quote(fmt.Sprint(key))+":"+compact.String()+"\n"))
		}
		if _, twice := o[name]; twice {
			return nil, errors.New("a key twice")
		}
		o[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than an object")
	}
	if stated, sealed := o["checksum"]; sealed && string(stated) != "null" && string(stated) != fmt.Sprintf(`"crc32c:%08x"`, sum) {
		return nil, errors.New("another checksum")
	}
	return o, nil
}

// number reads the value of a key that must be there and a number.
func (o object) number(key string) (v float64, err error) {
	text, there := o[key]
	if !there || !json.Valid(text) || strings.ContainsAny(string(text[:1]), "nt\"{[f") {
		return 0, fmt.Errorf("no number %s", key)
	}
	return strconv.ParseFloat(string(text), 64)
}

func (o object) numbers(key string) ([]float64, error) {
	var values []*float64
	if err := json.Unmarshal(o[key], &values); err != nil {
		return nil, err
	}
	var out []float64
	for _, v := range values {
		if v == nil {
			return nil, errors.New("null among numbers")
		}
		out = append(out, *v)
	}
	return out, nil
}

// readNaiveModel reads a model file strictly: every field that predictions need is
// there, once, of its type.
func readNaiveModel(text string) (*naiveModel, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	o, err := readObject([]byte(text))
	if err != nil {
		return nil, err
	}
	m := &naiveModel{}
	format, err1 := o.number("format")
	p, err2 := o.number("p")
	base, err3 := o.number("index_base")
	err4 := json.Unmarshal(o["loss"], &m.loss)
	coefficients, err5 := o.numbers("coefficients")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	m.base, m.coefficients = base, coefficients
	nonzero, isPacked := o["nonzero_features"]
	_, hasIntercept := o["intercept"]
	switch {
	case format != 1 && format != 2, base != 0 && base != 1, format == 2 && !isPacked && !hasIntercept:
		return nil, errors.New("damaged")
	case hasIntercept && string(o["intercept"]) != "null":
		if m.intercept, err = o.number("intercept"); err != nil {
			return nil, err
		}
	}
	if isPacked {
		if err := m.unpack(nonzero, p); err != nil {
			return nil, err
		}
	}
	if float64(len(m.coefficients)) != p || p < 1 {
		return nil, errors.New("another number of coefficients")
	}
	return m, m.readLabels(o["labels"])
}

func (m *naiveModel) unpack(nonzero json.RawMessage, p float64) error {
	var features []int
	if err := json.Unmarshal(nonzero, &features); err != nil || p != math.Trunc(p) || p < 1 || p > 1e6 || len(features) != len(m.coefficients) {
		return errors.New("bad features")
	}
	all := make([]float64, int(p))
	for k, j := range features {
		if j < 1 || j > int(p) || k > 0 && j <= features[k-1] {
			return errors.New("bad features")
		}
		all[j-1] = m.coefficients[k]
	}
	m.coefficients = all
	return nil
}

func (m *naiveModel) readLabels(text json.RawMessage) error {
	class := m.loss == "logistic" || m.loss == "squared-hinge"
	if text == nil {
		text = json.RawMessage("null")
	}
	switch {
	case !class && m.loss != "squared" && m.loss != "huber", class == (string(text) == "null"):
		return errors.New("bad loss or labels")
	case !class:
		return nil
	}
	labels, err := readObject(text)
	if err != nil {
		return err
	}
	if m.negative, err = labels.number("negative"); err != nil {
		return err
	}
	if m.positive, err = labels.number("positive"); err != nil {
		return err
	}
	if m.negative == m.positive {
		return errors.New("equal labels")
	}
	return nil
}

// trainForm is a file as scas train writes it without an intercept.
func trainForm(rng *rand.Rand, m *model.Model) string {
	labels := "null"
	if m.Classifies() {
		labels = fmt.Sprintf("{\n    \"negative\": %v,\n    \"positive\": %v\n  }", m.Labels.Negative, m.Labels.Positive)
	}
	format, features, values := 1, "", m.Coefficients
	if chance(rng, 2) { // as with few of many
		var numbers []int
		format, values = 2, []float64{}
		for j, v := range m.Coefficients {
			if v != 0 {
				numbers, values = append(numbers, j+1), append(values, v)
			}
		}
		text, _ := json.Marshal(append([]int{}, numbers...)) // of numbers
		features = fmt.Sprintf("  \"nonzero_features\": %s,\n", text)
	}
	coefficients, _ := json.Marshal(values) // finite
	return fmt.Sprintf(`{
  "format": %d,
  "scas_version": "0.1.0",
  "loss": %q,
  "labels": %s,
  "lambda": 0.0001,
  "mu": 0,
  "graph": {
    "kind": "none",
    "rows": %d
  },
  "n": 4,
  "p": %[5]d,
  "index_base": %[6]d,
  "objective": 0.25,
  "status": "converged",
  "duality_gap": 5.8e-7,
  "output": "last",
  "method": "auto",
  "dual_updates": 1,
  "seed": 0,
  "passes": 41,
  "outer_iterations": 3,
  "eta": 2.09,
  "rho": 0.0002,
%[7]s  "coefficients": %[8]s
}
`, format, m.Loss.String(), labels, len(m.Coefficients), len(m.Coefficients), m.IndexBase, features, coefficients)
}

// someModel draws a model.
func someModel(rng *rand.Rand) *model.Model {
	m := &model.Model{
		Loss:        pick[solver.Loss](rng, solver.Logistic{}, solver.Squared{}, solver.Huber{}, solver.Huber{Delta: 2}, solver.SquaredHinge{}),
		IndexBase:   rng.IntN(2),
		Certificate: model.Certificate{Gap: math.Inf(1), Objective: 0.5, MeanLoss: 0.25, RelTol: 1e-6, Status: solver.Converged},
	}
	for range 1 + rng.IntN(9) {
		m.Coefficients = append(m.Coefficients, pick(rng, 0, rng.NormFloat64(), 1e-300, -3, 1e20*rng.NormFloat64()))
	}
	if m.Loss.Validate([]float64{0.5}) != nil { // it is for classes
		m.Labels = sparse.LabelMapping{Negative: pick(rng, -1.0, 0, 1), Positive: pick(rng, 2.0, 3)}
	}
	return m
}

type modelAttack struct{}

func beginModels(context.Context, *ground) (attack, error) { return trial(modelAttack{}.try), nil }

// try damages a model file and reads it: an error, what the file strictly says, or what
// was said before it was damaged.
func (modelAttack) try(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	m := someModel(rng)
	if chance(rng, 4) {
		return tryLiblinear(rng, m)
	}
	var text string
	if chance(rng, 2) {
		if text = trainForm(rng, m); chance(rng, 2) {
			sealed, err := model.Sealed([]byte(text))
			if err != nil {
				return "", err
			}
			text = string(sealed)
		}
	} else {
		if m.HasIntercept = chance(rng, 2); m.HasIntercept {
			m.Intercept = rng.NormFloat64()
		}
		var b strings.Builder
		if err := m.Write(&b); err != nil {
			return "", err
		}
		text = b.String()
	}
	before := naiveOf(m)
	if read, err := model.Read(strings.NewReader(text), "f"); err != nil || !naiveOf(read).equal(before) {
		return "", fmt.Errorf("undamaged: %v, file %s", err, quoted(text))
	}
	text = damagedModel(rng, text)
	got, err := model.Read(strings.NewReader(text), "f")
	want, strict := readNaiveModel(text)
	switch {
	case err != nil:
		return "refused", nil
	case strict == nil && naiveOf(got).equal(want):
		return "read as it stands", nil
	case strict != nil && naiveOf(got).equal(before):
		return "unharmed", nil
	case strict == nil:
		return "", fmt.Errorf("read as %+v, where %+v stands, file %s", naiveOf(got), want, quoted(text))
	}
	return "", fmt.Errorf("read as %+v, was %+v: %v, file %s", naiveOf(got), before, strict, quoted(text))
}

var fieldLine = regexp.MustCompile(`(?m)^  "[a-z_]+":.*\n`)

var jsonValue = regexp.MustCompile(`: ?([^\s,{\[]+)`)

// damagedModel flips bytes, removes or repeats fields, changes types, cuts.
func damagedModel(rng *rand.Rand, text string) string {
	for range pick(rng, 1, 1, 1, 2) {
		switch rng.IntN(7) {
		case 0, 1:
			at := rng.IntN(len(text))
			text = text[:at] + string([]byte{text[at] ^ 1<<rng.IntN(8)}) + text[at+1:]
		case 2, 3:
			if places := fieldLine.FindAllStringIndex(text, -1); places != nil {
				place := places[rng.IntN(len(places))]
				text = text[:place[0]] + pick(rng, "", "", text[place[0]:place[1]]+text[place[0]:place[1]]) + text[place[1]:]
			}
		case 4, 5:
			if places := jsonValue.FindAllStringSubmatchIndex(text, -1); places != nil {
				place := places[rng.IntN(len(places))]
				value := pick(rng, "null", "\"1\"", "[1]", "{}", "true", "1e400", "-1", "1.5", "0", "1", "2", "\"logistic\"", "\"squared\"", "[null]", "NaN", "4294967297")
				text = text[:place[2]] + value + text[place[3]:]
			}
		case 6:
			text = damage(rng, text)
		}
		if text == "" {
			return text
		}
	}
	return text
}

// tryLiblinear does the same to a model as liblinear writes it, which has no redundancy
// but its counts: it must be read as it stands, or refused.
func tryLiblinear(rng *rand.Rand, m *model.Model) (string, error) {
	m.IndexBase = 1
	var b strings.Builder
	if err := m.WriteLiblinear(&b); err != nil {
		return "", err
	}
	text := b.String()
	words := strings.Fields(text)
	if k := rng.IntN(len(words)); chance(rng, 2) {
		words[k] = pick(rng, odd...)
	} else {
		words = slices.Delete(words, k, k+1)
	}
	if chance(rng, 2) { // what stands in one line may as well be damaged by bytes
		text = damage(rng, text)
	} else {
		text = strings.Join(words, "\n")
	}
	got, err := model.ReadLiblinear(strings.NewReader(text), "f")
	if err != nil {
		if !strings.HasPrefix(err.Error(), "f:") {
			return "", fmt.Errorf("the error %w does not name the file, %s", err, quoted(text))
		}
		return "refused", nil
	}
	read := strings.Fields(text)
	var stated []float64
	for _, w := range read[slices.Index(read, "w")+1:] {
		v, ok := number(w)
		if !ok {
			return "", fmt.Errorf("%q taken for a weight, file %s", w, quoted(text))
		}
		stated = append(stated, v)
	}
	weightsRead := got.Coefficients
	if len(stated) > len(weightsRead) {
		stated = stated[:len(weightsRead)] // the last is the intercept, by the bias
	}
	if !slices.Equal(weightsRead, stated) {
		return "", fmt.Errorf("weights %v, the file has %v, %s", weightsRead, stated, quoted(text))
	}
	return "read as it stands", nil
}
