package sparse

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseError reports text that could not be read, and its place.
type ParseError struct {
	// File is the name given to the reader.
	File string
	// Line and Column count from 1; Column counts bytes. Column is 0 if the error concerns a whole line.
	// Both are 0 if it concerns the whole file.
	Line, Column int
	// Token is the wrong piece of text, for example a word where a number is expected. It is empty if the
	// error is about more than one piece. Names of columns and of arrays are in Msg, not in Token.
	Token string
	// Number is true if the file must have a number at the place of Token. Token may then also have an index
	// and a colon before the number.
	Number bool
	// Msg says what was wrong and what was expected.
	Msg string
	// Remedies says what to do about the error. One of them is enough.
	Remedies []Remedy
	// Err is the error that caused this one, or nil.
	Err error
}

// fileErrorf returns an error about the file with this name. It takes the other arguments of fmt.Errorf.
func fileErrorf(name, format string, args ...any) *ParseError {
	err := fmt.Errorf(format, args...)
	return &ParseError{File: name, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// at sets the line of e, and returns e.
func (e *ParseError) at(line int) *ParseError {
	e.Line = line
	return e
}

// with sets the remedies of e, and returns e.
func (e *ParseError) with(remedies ...Remedy) *ParseError {
	e.Remedies = remedies
	return e
}

// NotFinite reports whether Token stands for a number that is NaN, infinite or too large for a float64.
func (e *ParseError) NotFinite() bool {
	return e.Number && isNonFinite(e.Token[strings.LastIndexByte(e.Token, ':')+1:])
}

// Error formats the error as file:line:column: "token": message; remedies.
func (e *ParseError) Error() string { return e.Reword(Remedy.String) }

// Reword returns the text of Error, but with the text words(r) for each remedy r. See RemedyError.Reword.
func (e *ParseError) Reword(words func(Remedy) string) string {
	remedyErr := RemedyError{Err: errors.New(e.withoutRemedies()), Remedies: e.Remedies}
	return remedyErr.Reword(words)
}

// withoutRemedies returns the text of Error up to the remedies.
func (e *ParseError) withoutRemedies() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": ")
	if e.Token != "" {
		const limit = 40 // largest number of bytes of the token in the message
		b.WriteString(strconv.Quote(e.Token[:min(len(e.Token), limit)]))
		if len(e.Token) > limit {
			b.WriteString("...")
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }

// isNonFinite reports whether s is NaN, infinite or too large for float64.
func isNonFinite(s string) bool {
	v, err := strconv.ParseFloat(strings.TrimLeft(s, "+-"), 64) // ParseFloat does not accept NaN with a sign
	return errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0))
}
