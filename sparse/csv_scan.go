package sparse

import "bytes"

// A cell is one cell of a record: its text, and where the cell begins in the buffer.
type cell struct {
	text  []byte
	start int
}

// A scanner divides records into cells.
type scanner struct {
	delim   byte
	stop    [256]bool // bytes that end an unquoted cell or are not allowed in it
	ends    [256]bool // bytes that may follow a number
	cells   []cell
	scratch []byte
	breaks  int // number of line feeds in quoted cells of the record
}

func newScanner(delim byte) *scanner {
	s := &scanner{delim: delim}
	s.stop[delim], s.stop['\n'], s.stop['"'] = true, true, true
	s.ends[delim], s.ends['\n'], s.ends['\r'] = true, true, true
	return s
}

// A scanError is an error at a position of the buffer.
type scanError struct {
	position int
	msg      string
}

// splitRecord divides the record that begins at b[i] into s.cells and returns the position
// after the line feed that ends the record, or -1 if b[:n] ends within quotes. b[:n] must
// contain a line feed at i or after it. A blank line has no cells.
func (s *scanner) splitRecord(b []byte, i, n int) (end int, wrong *scanError) {
	s.cells, s.scratch, s.breaks = s.cells[:0], s.scratch[:0], 0
	if b[i] == '\n' || b[i] == '\r' && b[i+1] == '\n' {
		return lineEnd(b, i), nil
	}
	for {
		var c cell
		if b[i] == '"' {
			c, i, wrong = s.quotedCell(b, i, n)
			if wrong != nil || i < 0 {
				return i, wrong
			}
		} else {
			start := i
			for !s.stop[b[i]] {
				i++
			}
			if b[i] == '"' {
				return 0, &scanError{
					i,
					"a quote within a cell that does not begin with one: expected the whole cell in quotes, its own doubled",
				}
			}
			c = s.trimmedCell(b, start, i)
		}
		s.cells = append(s.cells, c)
		if b[i] == '\n' {
			return i + 1, nil
		}
		i++
	}
}

// trimmedCell returns the cell b[start:end] without surrounding blanks, and without the carriage return
// of a line end.
func (s *scanner) trimmedCell(b []byte, start, end int) cell {
	if b[end] == '\n' && end > start && b[end-1] == '\r' {
		end--
	}
	cellStart := start
	for start < end && (b[start] == ' ' || b[start] == '\t') {
		start++
	}
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	return cell{b[start:end], cellStart}
}

// quotedCell reads the cell whose opening quote is b[i]. It returns the position of the
// delimiter or line feed after the cell, or -1 if b[:n] ends before the closing quote.
func (s *scanner) quotedCell(b []byte, i, n int) (c cell, end int, wrong *scanError) {
	cellStart := i
	start, scratchStart := i+1, len(s.scratch)
	rewritten := false
	for i++; ; i++ {
		k := bytes.IndexByte(b[i:n], '"')
		if k < 0 {
			return c, -1, nil
		}
		s.breaks += bytes.Count(b[i:i+k], []byte{'\n'})
		i += k
		if b[i+1] != '"' || i+1 >= n {
			break
		}
		s.scratch = append(s.scratch, b[start:i+1]...)
		rewritten = true
		i++
		start = i + 1
	}
	c = cell{b[start:i], cellStart}
	if rewritten {
		s.scratch = append(s.scratch, b[start:i]...)
		c.text = s.scratch[scratchStart:len(s.scratch):len(s.scratch)]
	}
	i++
	if b[i] == '\r' && b[i+1] == '\n' {
		i++
	}
	if i < n && b[i] != s.delim && b[i] != '\n' {
		return c, 0, &scanError{
			i,
			"text behind a closing quote: expected a delimiter or the end of the line; a quote within quotes is doubled",
		}
	}
	return c, i, nil
}
