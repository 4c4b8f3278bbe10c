package text

// Field is one token of a line.
type Field struct {
	Column int // 1-based, in bytes
	Text   string
}

// Lines walks over a text line by line, skipping blank ones and comments, which
// start at '#'.
type Lines struct {
	// Number is the 1-based number of the current line.
	Number int
	// Fields are its tokens; never empty after Next returned true, and valid
	// until the next call.
	Fields []Field

	rest string
}

// NewLines starts before the first line of s.
func NewLines(s string) *Lines {
	if s != "" && s[len(s)-1] != '\n' {
		s += "\n"
	}
	return &Lines{rest: s}
}

// Next advances to the next line with a token; false means there is none.
func (l *Lines) Next() bool {
	for len(l.rest) > 0 {
		l.Number++
		i := l.split()
		l.rest = l.rest[i:]
		if len(l.Fields) > 0 {
			return true
		}
	}
	return false
}

// split sets Fields from the first line of rest and returns that line's length.
func (l *Lines) split() int {
	l.Fields = l.Fields[:0]
	i := 0
	for l.rest[i] != '\n' && l.rest[i] != '#' {
		if separators[l.rest[i]] {
			i++
			continue
		}
		end := i
		for !separators[l.rest[end]] {
			end++
		}
		l.Fields = append(l.Fields, Field{Column: i + 1, Text: l.rest[i:end]})
		i = end
	}
	for l.rest[i] != '\n' {
		i++
	}
	return i + 1
}

// ParseFloat is Float for a whole token: a finite decimal number and nothing
// else.
func ParseFloat(s string) (v float64, ok bool) {
	b := make([]byte, len(s)+1+Pad)
	copy(b, s)
	b[len(s)] = '\n'
	v, end, ok := Float(b, 0)
	return v, ok && end == len(s)
}

// ParseInt parses 1 to 18 decimal digits, without a sign.
func ParseInt(s string) (v int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}
