package main

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// readStart reads the model of --start. It returns nil if the flag is not given, and an error if the model
// has other features or other labels than the data.
func (c *trainCmd) readStart(s *fitSpec) (*model.Model, error) {
	if c.Start == "" {
		return nil, nil
	}
	m, _, err := readModel(c.Start, c.Memory)
	if err != nil {
		return nil, err
	}
	data, remedy := dataName(c.file), "give --start a model of such data, or leave out --start"
	if difference := s.labelDifference(m, data); difference != "" {
		return nil, fmt.Errorf("%s: %s: %s", c.Start, difference, remedy)
	}
	if difference := s.featureDifference(m, data); difference != "" {
		k := len(m.Columns[0].Coefficients)
		if k > s.featureCount() && c.Features == 0 && c.formatOf(c.file) == sparse.LIBSVM {
			remedy = fmt.Sprintf("give --features %d if the last features are zero in all rows, %s",
				k, remedy)
		}
		return nil, fmt.Errorf("%s: %s: %s", c.Start, difference, remedy)
	}
	return m, nil
}

// labelDifference says how the labels of the model differ from the labels of the data, or returns "". data
// is the name of the data.
func (s *fitSpec) labelDifference(m *model.Model, data string) string {
	if modelLoss, loss := term.LossOf(m.Loss).Traits(), term.LossOf(s.spec.Loss).Traits(); modelLoss.Labels != loss.Labels {
		return fmt.Sprintf("this model has %s loss, for %s, and --loss %s is for %s",
			modelLoss.Name, labelKind[modelLoss.Labels], loss.Name, labelKind[loss.Labels])
	}
	modelClasses, dataClasses := m.Classes.All(), s.data.Classes.All()
	slices.Sort(modelClasses)
	slices.Sort(dataClasses)
	if !slices.Equal(modelClasses, dataClasses) {
		return fmt.Sprintf("this model has the classes %s, and %s has %s",
			firstNames(modelClasses), data, firstNames(dataClasses))
	}
	return ""
}

var labelKind = map[term.LabelKind]string{
	term.Classes: "classes", term.Counts: "counts", term.Numbers: "numbers",
}

// featureDifference says how the features of the model differ from the features of the data, or returns "".
// data is the name of the data.
func (s *fitSpec) featureDifference(m *model.Model, data string) string {
	modelNames, dataNames := m.Features, s.spec.Features
	switch k := len(m.Columns[0].Coefficients); {
	case k != s.featureCount():
		return fmt.Sprintf("this model has %s, and %s has %s",
			plural(k, "feature"), data, groupDigits(s.featureCount()))
	case modelNames == nil && dataNames == nil && m.IndexBase != s.spec.IndexBase:
		return fmt.Sprintf("this model counts features from %d, and %s from %d",
			m.IndexBase, data, s.spec.IndexBase)
	case modelNames == nil || dataNames == nil:
		return "" // features without names are matched by their order
	}
	for j, name := range modelNames {
		if name != dataNames[j] {
			return fmt.Sprintf("feature %d of this model is %q, and feature %[1]d of %[3]s is %[4]q",
				j+1, name, data, dataNames[j])
		}
	}
	return ""
}
