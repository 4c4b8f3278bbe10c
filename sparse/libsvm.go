package sparse

import (
	"bytes"
	"io"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// blockSize is how much text is parsed at a time: enough to amortise everything
// done per block, little enough to stay in a second-level cache.
const blockSize = 1 << 18

// ReadLIBSVMFile reads a file; see ReadLIBSVM.
func ReadLIBSVMFile(path string, opt *ReadOptions) (*Dataset, error) {
	return text.FromFile(path, func(r io.Reader, name string) (*Dataset, error) { return ReadLIBSVM(r, name, opt) })
}

// ReadLIBSVM reads samples in LIBSVM (SVMlight) text, one per line:
//
//	label index:value index:value ... # comment
//
// possibly compressed (see Decompress). Tokens are separated by blanks; blank
// lines and comments are skipped; a line with a label only is a sample of zeros.
// Entries whose value is written as 0 are stored. Numbers get exactly the value
// strconv.ParseFloat gives. name stands for the file in errors. Nil opt means
// defaults.
//
// Text that is not of this form, numbers that are not finite, repeated indices,
// an index outside the stated base or feature count, labels that are not of
// exactly two values (unless opt says otherwise) and a file without any sample
// are errors of type *ParseError.
func ReadLIBSVM(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	if opt == nil {
		opt = &ReadOptions{}
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	in, kind, err := Decompress(r, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p := newLIBSVMParser(name, opt)
	if err := eachBlock(in, name, p.block); err != nil {
		return nil, err
	}
	p.stats.Compression = kind
	return p.finish()
}

// eachBlock cuts a text into blocks of whole lines, each ending in a line feed
// and followed by text.Pad more bytes, and calls do with the buffer and the
// block's length. A missing line feed at the end of the text is added.
func eachBlock(in io.Reader, name string, do func(buf []byte, n int) error) error {
	const tail = text.Pad + 1 // room for the missing line feed, too
	buf := make([]byte, blockSize+tail)
	have, first := 0, true
	for {
		n, err := io.ReadFull(in, buf[have:len(buf)-tail])
		scanned := have
		have += n
		atEnd := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !atEnd {
			return err
		}
		if first {
			if err := refuseBinary(buf[:have], name); err != nil {
				return err
			}
			first = false
		}
		if atEnd && have > 0 && buf[have-1] != '\n' {
			buf[have] = '\n'
			have++
		}
		end := scanned + bytes.LastIndexByte(buf[scanned:have], '\n') + 1
		if end == scanned && !atEnd { // a line longer than the buffer
			buf = append(buf, make([]byte, len(buf))...)
			continue
		}
		if end > 0 {
			if err := do(buf, end); err != nil {
				return err
			}
		}
		if atEnd {
			return nil
		}
		have = copy(buf, buf[end:have])
	}
}

// refuseBinary finds bytes that no text file has near the start of a file, and
// says so before a parser stumbles over them in a less clear way.
func refuseBinary(head []byte, name string) error {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return &ParseError{File: name, Line: 1, Column: 1, Msg: "this is UTF-16 text: convert it to plain ASCII or UTF-8"}
	}
	line, start := 1, 0
	for i, c := range head {
		switch {
		case c == '\n':
			line, start = line+1, i+1
		case c < ' ' && !text.IsSeparator(c), c == 0x7f:
			return &ParseError{
				File: name, Line: line, Column: i - start + 1, Token: string(head[i : i+1]),
				Msg: "this is not a text file: expected numbers in plain text, or such text compressed by gzip, bzip2, xz or zstd",
			}
		}
	}
	return nil
}
