package sparse

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Compression is the compression of a file, told by its first bytes.
type Compression string

// The compressions that readers undo. Plain is the zero value.
const (
	Plain Compression = ""
	Gzip  Compression = "gzip"
	Bzip2 Compression = "bzip2"
	XZ    Compression = "xz"
	Zstd  Compression = "zstd"
)

// String returns the name, "plain" for none.
func (c Compression) String() string {
	if c == Plain {
		return "plain"
	}
	return string(c)
}

var magics = []struct {
	kind   Compression
	prefix string
}{
	{Gzip, "\x1f\x8b\x08"},
	{Bzip2, "BZh"},
	{XZ, "\xfd7zXZ\x00"},
	{Zstd, "\x28\xb5\x2f\xfd"},
}

// Decompress returns a reader of the text in r, undoing gzip, bzip2, xz or zstd
// as r's first bytes tell, and what it found. Errors of a damaged stream are
// *ParseError with the given file name; errors of r itself are wrapped with it.
// Close releases the decoder and does not close r.
func Decompress(r io.Reader, name string) (io.ReadCloser, Compression, error) {
	source := &sourceReader{r: r}
	br := bufio.NewReaderSize(source, 1<<17)
	head, err := br.Peek(6)
	if err != nil && err != io.EOF {
		return nil, Plain, fmt.Errorf("sparse: reading %s: %w", name, err)
	}
	kind := Plain
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			kind = m.kind
		}
	}
	d := &decompressor{name: name, kind: kind, source: source}
	if err := d.open(br); err != nil {
		return nil, kind, d.describe(err)
	}
	return d, kind, nil
}

// decompressor turns the decoders' various errors into ones that name the file.
type decompressor struct {
	name   string
	kind   Compression
	source *sourceReader
	r      io.Reader
	close  func()
}

func (d *decompressor) open(br *bufio.Reader) error {
	switch d.kind {
	case Gzip:
		z, err := gzip.NewReader(br)
		d.r = z
		return err
	case Bzip2:
		d.r = bzip2.NewReader(br)
	case XZ:
		z, err := xz.NewReader(br)
		d.r = z
		return err
	case Zstd:
		z, err := zstd.NewReader(br)
		if err != nil {
			return err
		}
		d.r, d.close = z, z.Close
	default:
		d.r = br
	}
	return nil
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, d.describe(err)
	case d.source.err != nil || (d.kind == XZ && !d.source.tail.isXZFooter()):
		return n, d.describe(io.ErrUnexpectedEOF)
	}
	return n, io.EOF
}

func (d *decompressor) Close() error {
	if d.close != nil {
		d.close()
		d.close = nil
	}
	return nil
}

func (d *decompressor) describe(err error) error {
	if d.source.err != nil { // what the decoder makes of it is beside the point
		err = d.source.err
	}
	if d.source.err != nil || d.kind == Plain {
		return fmt.Errorf("sparse: reading %s: %w", d.name, err)
	}
	msg := "corrupt " + d.kind.String() + " stream (" + err.Error() + "): fetch the file again"
	if errors.Is(err, io.ErrUnexpectedEOF) || (d.source.eof && errors.Is(err, io.EOF)) {
		msg = "truncated " + d.kind.String() + " stream: the file ends early, fetch it again"
	}
	return &ParseError{File: d.name, Msg: msg, Err: err}
}

// sourceReader remembers how the compressed source ended, to tell a failing
// disk from a damaged file.
type sourceReader struct {
	r    io.Reader
	tail sourceTail
	eof  bool
	err  error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.tail.add(p[:n])
	switch {
	case err == io.EOF:
		s.eof = true
	case err != nil:
		s.err = err
	}
	return n, err
}

// sourceTail keeps the last bytes of a source, without the zeros after them.
type sourceTail struct {
	last  []byte
	zeros int
}

const xzFooterSize = 12

func (t *sourceTail) add(p []byte) {
	body := bytes.TrimRight(p, "\x00")
	if len(body) > 0 {
		t.last = append(t.last, make([]byte, min(t.zeros, xzFooterSize))...)
		t.last = append(t.last, body[max(0, len(body)-xzFooterSize):]...)
		t.last = t.last[max(0, len(t.last)-xzFooterSize):]
		t.zeros = 0
	}
	t.zeros += len(p) - len(body)
}

// isXZFooter reports whether the source ends in the footer of an xz stream
// (section 2.1.2 of the format), possibly followed by padding. The xz library
// takes a file that ends before a block or within the index for complete.
func (t *sourceTail) isXZFooter() bool {
	f := t.last
	return len(f) == xzFooterSize && string(f[10:]) == "YZ" && t.zeros%4 == 0 &&
		crc32.ChecksumIEEE(f[4:10]) == binary.LittleEndian.Uint32(f)
}
