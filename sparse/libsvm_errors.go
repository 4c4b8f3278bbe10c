package sparse

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// errorAt returns an error about the token at b[i] of the line that begins at b[start].
func (p *libsvmPart) errorAt(b []byte, start, i int, msg string, remedies ...Remedy) *ParseError {
	return &ParseError{
		File: p.name, Line: p.line, Column: i - start + 1,
		Token: string(b[i:text.TokenEnd(b, i)]), Msg: msg, Remedies: remedies,
	}
}

func (p *libsvmPart) labelError(b []byte, start, i, end int) error {
	const want = "expected a label, a finite decimal number"
	token := string(b[i:end])
	msg := want
	var remedies []Remedy
	switch {
	case strings.Contains(token, ":"):
		msg = "the label is missing: expected a number before the first index:value"
	case strings.ContainsAny(token, ",;"):
		msg = want + " (this looks like comma-separated values; LIBSVM text is `label index:value ...` " +
			"separated by blanks)"
		remedies = []Remedy{{Field: "ReadOptions.Format", To: "CSV"}}
	case isNonFinite(token):
		msg = "the label is not finite: " + want
	}
	err := p.errorAt(b, start, i, msg, remedies...)
	err.Number = true
	return err
}

func (p *libsvmPart) entryError(b []byte, start, i int) error {
	token := string(b[i:text.TokenEnd(b, i)])
	index, value, hasColon := strings.Cut(token, ":")
	msg := "expected a finite decimal number after the colon"
	var remedies []Remedy
	switch j, err := strconv.ParseUint(index, 10, 64); {
	case !hasColon:
		msg = "expected index:value"
	case index == "qid" || index == "sid" || index == "cost":
		msg = index +
			": tokens belong to ranking and cost-sensitive data, which is not supported: remove them"
	case index == "" || strings.Trim(index, "0123456789") != "":
		msg = "expected a whole number >= 0 before the colon"
	case err != nil || j > math.MaxInt32:
		msg = fmt.Sprintf("the index is too large: at most %d", math.MaxInt32)
	case int64(j) > p.maxIndex:
		base := OneBased
		if p.bias == 0 {
			base = ZeroBased
		}
		msg, remedies = beyondMessage(base, p.opt.Features)
	case value == "":
		msg = "expected a number right after the colon"
	case isNonFinite(value):
		msg = "the value is not finite: expected a finite decimal number after the colon"
	}
	err := p.errorAt(b, start, i, msg, remedies...)
	err.Number = true
	return err
}

// beyondMessage returns the message and the remedies for an index that is too large for the number of
// features.
func beyondMessage(base IndexBase, features int) (msg string, remedies []Remedy) {
	remedies = []Remedy{moreFeatures, ignoreBeyond}
	if base == ZeroBased {
		msg = fmt.Sprintf("the index is beyond the last of %d features, counted from 0: expected at most %d",
			features, features-1)
		return msg, remedies
	}
	msg = fmt.Sprintf("the index is beyond the last of %d features: expected at most %[1]d", features)
	return msg, remedies
}

func (p *libsvmPart) orderError(b []byte, start, i int, j, prev int64) error {
	if j == prev {
		return p.repeatedIndexError(b, start, j)
	}
	msg := fmt.Sprintf("index %d after index %d: expected increasing indices", j, prev)
	return p.errorAt(b, start, i, msg, sortColumns)
}

// repeatedIndexError returns the error for index j, which occurs twice in the line at b[start].
func (p *libsvmPart) repeatedIndexError(b []byte, start int, j int64) error {
	i := text.TokenEnd(b, skipBlanks(b, start))
	for count := 0; ; i = text.TokenEnd(b, i) {
		i = skipBlanks(b, i)
		if num, _ := parseLongIndex(b, i); int64(num) == j {
			count++
		}
		if count == 2 {
			return p.errorAt(b, start, i,
				fmt.Sprintf("index %d stands twice in this row: expected each index once", j))
		}
	}
}
