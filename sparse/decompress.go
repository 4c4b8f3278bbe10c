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

var decoders = []struct {
	kind   Compression
	prefix string
	open   func(io.Reader) (io.Reader, error)
}{
	{Gzip, "\x1f\x8b\x08", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{Bzip2, "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{XZ, "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	{Zstd, "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// A compressed text that expands to more than freeText bytes and maxExpansion times its
// size is taken for a bomb: real data stay far below. maxWindow is what the zstd program
// takes.
const (
	freeText     = 4 << 20
	maxExpansion = 500
	maxWindow    = 128 << 20
)

// Decompress returns a reader of the text in r, undoing gzip, bzip2, xz or zstd
// as r's first bytes tell, and what it found. Errors of a damaged stream are
// *ParseError with the given file name, and so is text beyond 4 MiB that is more than
// 500 times as long as what it is compressed to; errors of r itself are wrapped with it.
// Close releases the decoder and does not close r.
func Decompress(r io.Reader, name string) (io.ReadCloser, Compression, error) {
	source := &sourceReader{r: r}
	br := bufio.NewReaderSize(source, 1<<12)
	head, err := br.Peek(6)
	if err != nil && err != io.EOF {
		return nil, Plain, fmt.Errorf("sparse: reading %s: %w", name, err)
	}
	d := &decompressor{name: name, source: source, r: br}
	for _, z := range decoders {
		if !bytes.HasPrefix(head, []byte(z.prefix)) {
			continue
		}
		d.kind = z.kind
		if d.r, err = z.open(br); err != nil {
			return nil, d.kind, d.describe(err)
		}
	}
	return d, d.kind, nil
}

// decompressor turns the decoders' various errors into ones that name the file.
type decompressor struct {
	name   string
	kind   Compression
	source *sourceReader
	r      io.Reader
	text   int64 // bytes given out
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.text += int64(n)
	switch {
	case d.kind != Plain && d.text > freeText && d.text/maxExpansion > d.source.bytes:
		return 0, &ParseError{File: d.name, Msg: fmt.Sprintf(
			"the %v stream expands to more than %d times its size: decompress it to a file first if it is what it should be", d.kind, maxExpansion)}
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, d.describe(err)
	case d.source.err != nil || (d.kind == XZ && !d.source.endsInXZFooter()):
		return n, d.describe(io.ErrUnexpectedEOF)
	}
	return n, io.EOF
}

func (d *decompressor) Close() error {
	if z, ok := d.r.(*zstd.Decoder); ok { // it has goroutines and buffers to release
		z.Close()
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
	r     io.Reader
	last  []byte // read, without
	zeros int    // the zeros at the end
	bytes int64  // read
	eof   bool
	err   error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.bytes += int64(n)
	s.remember(p[:n])
	switch {
	case err == io.EOF:
		s.eof = true
	case err != nil:
		s.err = err
	}
	return n, err
}

const xzFooterSize = 12

func (s *sourceReader) remember(p []byte) {
	body := bytes.TrimRight(p, "\x00")
	if len(body) > 0 {
		s.last = append(s.last, make([]byte, min(s.zeros, xzFooterSize))...)
		s.last = append(s.last, body[max(0, len(body)-xzFooterSize):]...)
		s.last = s.last[max(0, len(s.last)-xzFooterSize):]
		s.zeros = 0
	}
	s.zeros += len(p) - len(body)
}

// endsInXZFooter reports whether the source ends in the footer of an xz stream
// (section 2.1.2 of the format), possibly followed by padding. The xz library
// takes a file that ends before a block or within the index for complete.
func (s *sourceReader) endsInXZFooter() bool {
	f := s.last
	return len(f) == xzFooterSize && string(f[10:]) == "YZ" && s.zeros%4 == 0 &&
		crc32.ChecksumIEEE(f[4:10]) == binary.LittleEndian.Uint32(f)
}

// compressTo calls fill with a writer that compresses to w.
func compressTo(w io.Writer, kind Compression, fill func(io.Writer) error) error {
	var z io.WriteCloser
	switch kind {
	case Gzip:
		z = gzip.NewWriter(w)
	case Zstd:
		enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		z = enc
	default:
		return fill(w)
	}
	if err := fill(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}
