package sparse

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError reports text that could not be read, and where.
type ParseError struct {
	// File is the name given to the reader.
	File string
	// Line and Column are 1-based; Column counts bytes. Both are 0 when the
	// error concerns the file as a whole, Column when it concerns a whole line.
	Line, Column int
	// Token is the offending piece of text; empty if there is none.
	Token string
	// Msg says what was wrong and what was expected.
	Msg string
	// Err is the cause, if another error caused this one.
	Err error
}

// Error formats the error as file:line:column: "token": message.
func (e *ParseError) Error() string {
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
		b.WriteString(quoteToken(e.Token))
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns the cause, or nil.
func (e *ParseError) Unwrap() error { return e.Err }

// quoteToken keeps messages to one readable line whatever the token holds.
func quoteToken(s string) string {
	const limit = 40
	if len(s) > limit {
		return strconv.Quote(s[:limit]) + "..."
	}
	return strconv.Quote(s)
}
