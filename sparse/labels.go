package sparse

import "fmt"

// labelCollector keeps the labels of a file and watches how many values they
// take.
type labelCollector struct {
	name   string
	opt    *ReadOptions
	labels []float64
	kinds  [2]float64 // distinct values in order of appearance
	first  [2]int     // and the lines where they were first seen
	count  int
}

func (c *labelCollector) add(label float64, line, column int) error {
	switch {
	case c.opt.Regression || c.opt.AnyLabels:
	case !c.opt.Mapping.IsZero():
		sign, ok := c.opt.Mapping.Sign(label)
		if !ok {
			return c.errorAt(label, line, column, fmt.Sprintf("unknown label: the labels are %s and %s",
				formatFloat(c.opt.Mapping.Negative), formatFloat(c.opt.Mapping.Positive)))
		}
		label = sign
	case c.count > 0 && label == c.kinds[0], c.count > 1 && label == c.kinds[1]:
	case c.count < 2:
		c.kinds[c.count], c.first[c.count] = label, line
		c.count++
	default:
		return c.errorAt(label, line, column, fmt.Sprintf(
			"a third label, after %s (line %d) and %s (line %d): expected two classes; keep two of them, merge some, or read the labels as numbers for regression",
			formatFloat(c.kinds[0]), c.first[0], formatFloat(c.kinds[1]), c.first[1]))
	}
	c.labels = append(c.labels, label)
	return nil
}

func (c *labelCollector) errorAt(label float64, line, column int, msg string) error {
	return &ParseError{File: c.name, Line: line, Column: column, Token: formatFloat(label), Msg: msg}
}

// finish returns the labels as Dataset wants them.
func (c *labelCollector) finish() ([]float64, LabelMapping, error) {
	if c.opt.Regression || c.opt.AnyLabels || !c.opt.Mapping.IsZero() {
		return c.labels, c.opt.Mapping, nil
	}
	if c.count == 1 {
		return nil, LabelMapping{}, &ParseError{File: c.name, Msg: fmt.Sprintf(
			"every label is %s: expected two classes (read the labels as numbers for regression, or give the mapping of an existing model)", formatFloat(c.kinds[0]))}
	}
	m := LabelMapping{Negative: min(c.kinds[0], c.kinds[1]), Positive: max(c.kinds[0], c.kinds[1])}
	if pos := c.opt.Positive; pos != nil {
		switch *pos {
		case m.Positive:
		case m.Negative:
			m.Negative, m.Positive = m.Positive, m.Negative
		default:
			return nil, LabelMapping{}, &ParseError{File: c.name, Msg: fmt.Sprintf(
				"the label %s said to be positive does not occur: the labels are %s and %s", formatFloat(*pos), formatFloat(m.Negative), formatFloat(m.Positive))}
		}
	}
	for i, label := range c.labels {
		c.labels[i], _ = m.Sign(label)
	}
	return c.labels, m, nil
}
