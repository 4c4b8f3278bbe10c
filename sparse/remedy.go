package sparse

import (
	"strconv"
	"strings"

	"github.com/scas-admm/scas/kernels/pkgerr"
)

// A Remedy says what to do about an error: which option to set to which value, or another action. A program
// can replace the names of Go fields by the names of its own options; see RemedyError.Reword.
type Remedy struct {
	// Field is the option to set, such as ReadOptions.Features, or the argument of a function. It is empty
	// if the remedy is another action.
	Field string
	// To is the value to set, such as "a larger number". If Field is empty, To is the action, such as
	// "leave the row out".
	To string
	// If is the condition under which the remedy helps; empty means always.
	If string
}

// String returns the remedy in words, such as "set ReadOptions.Regression to true if the labels are
// numbers".
func (r Remedy) String() string {
	words := r.To
	if r.Field != "" {
		words = "set " + r.Field + " to " + r.To
	}
	if r.If != "" {
		words += " if " + r.If
	}
	return words
}

// A RemedyError is an error with remedies.
type RemedyError struct {
	// Err says what was wrong.
	Err error
	// Remedies says what to do. One of them is enough.
	Remedies []Remedy
}

// Error returns the text of Err and the remedies, in the form "text; remedy, remedy, or remedy".
func (e *RemedyError) Error() string { return e.appendRemedies(e.Err.Error(), Remedy.String) }

// Unwrap returns Err.
func (e *RemedyError) Unwrap() error { return e.Err }

// Reword returns the text of Error for the users of a program. If the text of Err begins with the name of the
// Go package, Reword leaves this name out. For each remedy it uses the text that words returns, for example
// with the name of an option of the program. If words returns "", the remedy is left out.
func (e *RemedyError) Reword(words func(Remedy) string) string {
	return e.appendRemedies(pkgerr.Text(e.Err), words)
}

// appendRemedies returns text, followed by the text that words returns for each remedy.
func (e *RemedyError) appendRemedies(text string, words func(Remedy) string) string {
	var texts []string
	for _, r := range e.Remedies {
		if s := words(r); s != "" {
			texts = append(texts, s)
		}
	}
	switch n := len(texts); n {
	case 0:
		return text
	case 1:
		return text + "; " + texts[0]
	default:
		return text + "; " + strings.Join(texts[:n-1], ", ") + ", or " + texts[n-1]
	}
}

var (
	readNumbers  = Remedy{Field: "ReadOptions.Regression", To: "true", If: "the labels are numbers"}
	fitClasses   = Remedy{Field: "ReadOptions.Regression", To: "false", If: "these are classes"}
	ignoreLabels = Remedy{Field: "ReadOptions.AnyLabels", To: "true", If: "the labels do not matter"}
	moreFeatures = Remedy{Field: "ReadOptions.Features", To: "a larger number"}
	ignoreBeyond = Remedy{Field: "ReadOptions.IgnoreBeyond", To: "true", If: "larger columns do not matter"}
	zeroBased    = Remedy{Field: "ReadOptions.IndexBase", To: "ZeroBased"}
	sortColumns  = Remedy{Field: "ReadOptions.Strict", To: "false", If: "they may be sorted"}
	chooseLabel  = Remedy{Field: "TableOptions.Label", To: "the column of the labels"}
	correctLabel = Remedy{To: "correct the label"}
	keepTwo      = Remedy{To: "keep two of the labels"}
	mergeSome    = Remedy{To: "merge some labels"}
	moreClasses  = Remedy{Field: "ReadOptions.MaxClasses", To: "the number of classes"}
	giveLabels   = Remedy{Field: "ReadOptions.LabelsFile", To: "a file of labels"}
	moreMemory   = Remedy{Field: "ReadOptions.Memory", To: "a larger number"}
	anyPositive  = Remedy{Field: "ReadOptions.Positive", To: "nil"}
	leaveRowOut  = Remedy{To: "leave the row out"}
)

func dropColumnRemedy(name string) Remedy {
	return Remedy{Field: "TableOptions.Drop", To: strconv.Quote(name)}
}

func fillMissingRemedy(condition string) Remedy {
	return Remedy{
		Field: "TableOptions.Missing", To: "MissingMean, MissingMedian or MissingZero", If: condition,
	}
}
