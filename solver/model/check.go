package model

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// checkData checks the data and the specification.
func (s *Spec) checkData(x *sparse.CSR, y []float64) error {
	if x == nil {
		return errNoData
	}
	n, p := x.Dims()
	if n == 0 || p == 0 || p == sparse.MaxCols {
		return errorf("the data are %d x %d; they need at least one row and one feature", n, p)
	}
	if err := cmp.Or(checkLabelCount(y, n), s.check(n, p)); err != nil {
		return err
	}
	switch {
	case s.streams() && !x.Mapped():
		return errorf("Spec.Memory is for data that are mapped, as those of .scas files are")
	case s.streams() && s.Checkpoint != nil:
		return &sparse.RemedyError{
			Err:      errorf("%w: checkpoints are only for data in memory", rows.ErrNotStreamed),
			Remedies: []sparse.Remedy{{Field: "Settings.Checkpoint", To: "nil"}},
		}
	}
	for lo, hi := range rows.Parts(x, rows.PartRows) {
		if err := checkFinite(y[lo:hi], lo); err != nil {
			return err
		}
		if !classifies(s.loss()) && s.loss().Validate(y[lo:hi]) != nil {
			return s.loss().Validate(y) // all labels, for the row number in the error
		}
	}
	return nil
}

var errNoData = errorf("the data are nil")

func (s *Spec) check(n, p int) error {
	err := cmp.Or(
		checkNumbers("Spec.PenaltyFactors", s.PenaltyFactors, p, "features", false),
		checkNumbers("Spec.SampleWeights", s.SampleWeights, n, "rows", false),
		checkNumbers("Spec.Offsets", s.Offsets, n, "rows", true),
		s.Settings.Validate(),
	)
	if err != nil {
		return err
	}
	switch {
	case !(s.Lambda >= 0) || math.IsInf(s.Lambda, 0):
		return errorf("Spec.Lambda = %v; it must be finite and not negative", s.Lambda)
	case !(s.Fusion >= 0) || math.IsInf(s.Fusion, 0):
		return errorf("Spec.Fusion = %v; it must be positive and finite, or 0 for 1", s.Fusion)
	case !(s.Mu >= 0) || math.IsInf(s.Mu, 0):
		return errorf("Spec.Mu = %v; it must be finite and not negative", s.Mu)
	case !(s.MuA >= 0) || math.IsInf(s.MuA, 0):
		return errorf("Spec.MuA = %v; it must be finite and not negative", s.MuA)
	case !slices.Contains([]Standardize{StandardizeAuto, StandardizeOn, StandardizeOff}, s.Standardize):
		return errorf("Spec.Standardize = %q; choose on, off or the empty string", s.Standardize)
	case s.IndexBase != 0 && s.IndexBase != 1:
		return errorf("Spec.IndexBase = %d; it must be 0 or 1", s.IndexBase)
	case s.Start != nil && s.Start.featureCount() != p:
		return errorf("Spec.Start has %d features; the data have %d", s.Start.featureCount(), p)
	case s.Features != nil && len(s.Features) != p:
		return errorf("Spec.Features has %d names; the data have %d features", len(s.Features), p)
	case s.Balanced && s.ClassWeights != nil:
		return errorf("Spec.Balanced and Spec.ClassWeights are both set; choose one")
	case s.Settings.Start.X != nil || s.Settings.Start.Y != nil || s.Settings.Start.Dual != nil:
		return errorf("Settings.Start is of package solver; set Spec.Start")
	case s.Settings.Memory != 0:
		return errorf("Settings.Memory is of package solver; set Spec.Memory")
	case s.Memory < 0:
		return errorf("Spec.Memory = %d; it must be positive, or 0 for data that fit in memory", s.Memory)
	}
	if err := cmp.Or(s.checkNames(), s.checkCombination(p)); err != nil {
		return err
	}
	if err := s.checkMethod(p); err != nil {
		return err
	}
	switch s.Penalty.(type) {
	case nil:
	case ElasticNet, GroupLasso:
		if err := s.Penalty.check(s, p); err != nil {
			return err
		}
	default:
		return errorf("Spec.Penalty is a %T; give it an ElasticNet or a GroupLasso, not a pointer", s.Penalty)
	}
	return s.checkDomain(p)
}

func (s *Spec) checkDomain(p int) error {
	if s.Domain == nil {
		return nil
	}
	if err := s.Domain.Validate(p); err != nil {
		return errorf("Spec.Domain: %s", pkgerr.Text(err))
	}
	_, isBox := s.box(p)
	switch {
	case isBox:
		return nil
	case !s.NoIntercept:
		return errorf("Spec.Domain %T holds no intercept; set NoIntercept", s.Domain)
	case s.standardizes():
		return errorf("Spec.Domain %T is of features as they are; set Standardize to StandardizeOff",
			s.Domain)
	case s.l1Ratio() < 1 && s.PenaltyFactors != nil:
		return errorf("Spec.Domain %T with an ElasticNet takes no PenaltyFactors; leave them nil", s.Domain)
	}
	return nil
}

func (s *Spec) checkCombination(p int) error {
	if s.A != nil {
		if _, columns := s.A.Dims(); columns != p {
			return errorf("Spec.A has %d columns; the data have %d features", columns, p)
		}
	}
	switch {
	case s.Graph != nil && s.Graph.Nodes() != p:
		return errorf("Spec.Graph has %d nodes; the data have %d features", s.Graph.Nodes(), p)
	case s.Graph != nil && s.A != nil:
		return errorf("Spec.Graph and Spec.A are both set; choose one")
	case s.A != nil && (s.l1Ratio() < 1 || s.PenaltyFactors != nil):
		return errorf("Spec.A takes no ElasticNet and no PenaltyFactors; multiply its rows, and for squares set Mu or MuA")
	case s.grouped() && s.MuA > 0:
		return errorf("a GroupLasso takes no MuA; set Mu")
	case s.Graph == nil && s.Fusion != 0:
		return errorf("Spec.Fusion = %v without a Graph; leave it 0", s.Fusion)
	case s.grouped() && s.fusion() != 1:
		return errorf("a GroupLasso takes no Fusion; give it Weights")
	case s.grouped() && s.PenaltyFactors != nil:
		return errorf("a GroupLasso takes no PenaltyFactors; give it Weights")
	case !classifies(s.loss()) && (s.Balanced || s.ClassWeights != nil || s.Positive != nil):
		return errorf("Balanced, ClassWeights and Positive are for classification; the %s loss is for numbers", s.loss())
	}
	return nil
}

func (s *Spec) checkNames() error {
	names := []string{s.data.LabelName}
	if t := s.data.Table; t != nil {
		names = append(names, t.Offset)
	}
	return checkUTF8(s.Features, s.data.Classes.Names, names)
}

// checkUTF8 returns an error if a name is not UTF-8: package json would replace its wrong bytes.
func checkUTF8(lists ...[]string) error {
	for _, names := range lists {
		for _, name := range names {
			if !utf8.ValidString(name) {
				return errorf("the name %q is not UTF-8, as names in model files are; convert the data to UTF-8", name)
			}
		}
	}
	return nil
}

// checkNumbers returns an error unless v is nil or has n finite numbers. If allowNegative is false, negative
// numbers are an error too. In errors, field is the name of v, and kind is the word after n, such as rows.
func checkNumbers(field string, v []float64, n int, kind string, allowNegative bool) error {
	if v != nil && len(v) != n {
		return errorf("%s has length %d; there are %d %s", field, len(v), n, kind)
	}
	for i, x := range v {
		switch {
		case allowNegative && !finite(x):
			return errorf("%s[%d] = %v; it must be finite", field, i, x)
		case !allowNegative && !(finite(x) && x >= 0):
			return errorf("%s[%d] = %v; it must be finite and not negative", field, i, x)
		}
	}
	return nil
}

func checkLabelCount(y []float64, n int) error {
	if len(y) != n {
		return errorf("%d labels; the data have %d rows", len(y), n)
	}
	return nil
}

// checkFinite returns an error if a label is not finite. firstRow is the row of the first label in y.
func checkFinite(y []float64, firstRow int) error {
	for i, v := range y {
		if !finite(v) {
			return errorf("label %v of row %d; it must be finite", v, firstRow+i)
		}
	}
	return nil
}

func (s *Spec) checkNoCheckpoint() error {
	if s != nil && s.Checkpoint != nil {
		return errorf("Settings.Checkpoint is for Fit; other calls keep no state")
	}
	return nil
}

// checkCommon returns an error if SampleWeights or Offsets are nil in some processes only.
func (s *Spec) checkCommon(team *rows.Team) error {
	var err error
	for _, field := range []struct {
		name  string
		given bool
	}{{"SampleWeights", s.SampleWeights != nil}, {"Offsets", s.Offsets != nil}} {
		if team.Any(field.given) && !field.given {
			err = errorf("Spec.%s is nil in this process, but not in all: give it in all processes or in none", field.name)
		}
	}
	return team.CommonError(err)
}

// checkSigns returns an error if Dataset.Signs is true, but there are not two classes, or other labels than
// −1 and +1.
func (s *Spec) checkSigns(labels []float64) error {
	if !s.data.Signs {
		return nil
	}
	c := s.data.Classes
	if len(c.Values) != 2 || c.Names != nil && len(c.Names) != 2 {
		return errorf("the Dataset has Signs and the Classes %v with the names %q; with Signs, there must be two classes, and two names or none",
			c.Values, c.Names)
	}
	if k := slices.IndexFunc(labels, func(v float64) bool { return v != -1 && v != 1 }); k >= 0 {
		return errorf("the Dataset has Signs and the label %v; with Signs, labels must be −1 and +1", labels[k])
	}
	return nil
}
