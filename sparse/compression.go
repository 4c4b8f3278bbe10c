package sparse

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A compression describes a compressed file format.
type compression struct {
	name   string
	ending string // ending of file names
	magic  string // the first bytes of a file
	open   func(io.Reader) (io.Reader, error)
	create func(io.Writer) (io.WriteCloser, error) // nil if writing is not supported
}

// compressions lists the formats that readers decompress.
var compressions = []compression{
	{"gzip", ".gz", "\x1f\x8b\x08",
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	{"bzip2", ".bz2", "BZh",
		func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }, nil},
	{xzName, ".xz", "\xfd7zXZ\x00",
		func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }, nil},
	{"zstd", ".zst", zstdMagic,
		func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow))
		},
		func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		}},
}

// uncompressed stands for no compression. xzName is the name of the compression xz.
const uncompressed, xzName = "", "xz"

const zstdMagic = "\x28\xb5\x2f\xfd"

// compressionByEnding returns the compression for the ending of a file name, or nil.
func compressionByEnding(name string) *compression {
	ending := strings.ToLower(filepath.Ext(name))
	return compressionWhere(func(c compression) bool { return c.ending == ending })
}

// compressionByMagic returns the compression for the first bytes of a file, or nil.
func compressionByMagic(head []byte) *compression {
	if len(head) >= 4 && head[0]>>4 == 5 && string(head[1:4]) == "\x2a\x4d\x18" { // a skippable frame of zstd
		head = []byte(zstdMagic)
	}
	return compressionWhere(func(c compression) bool { return bytes.HasPrefix(head, []byte(c.magic)) })
}

func compressionWhere(match func(compression) bool) *compression {
	k := slices.IndexFunc(compressions, match)
	if k < 0 {
		return nil
	}
	return &compressions[k]
}

// Compressed text is refused as a decompression bomb if it expands to more than freeText
// bytes and to more than maxExpansion times its size. Real data expand far less. maxWindow
// is the largest window, in bytes, that the zstd program accepts by default.
const (
	freeText     = 4 << 20
	maxExpansion = 500
	maxWindow    = 128 << 20
)

// decompress returns a reader of the text in r. The reader decompresses r if the first bytes of r show
// a compression. It returns a *ParseError for a damaged stream, and for a text that is longer than
// 4 MiB and more than 500 times as long as the stream. It wraps errors of r with name, the name of the
// file.
func decompress(r io.Reader, name string) (*decompressor, error) {
	source := &sourceReader{r: r, size: sizeOf(r)}
	br := bufio.NewReaderSize(source, 1<<12)
	head, err := br.Peek(6)
	if err != nil && err != io.EOF {
		return nil, errorf("reading %s: %w", name, err)
	}
	d := &decompressor{name: name, kind: uncompressed, source: source, r: br}
	if z := compressionByMagic(head); z != nil {
		d.kind = z.name
		d.r, err = z.open(br)
		if err != nil {
			return nil, d.describe(err)
		}
	}
	return d, nil
}

// sizeOf returns the number of bytes of r if r is a regular file or has a method Size, and 0 otherwise.
func sizeOf(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	case interface{ Size() int64 }:
		return r.Size()
	}
	return 0
}

// Decompress returns a reader of the text in r, which may be compressed as ReadText says. Errors name the
// file name. Close of the reader does not close r.
func Decompress(r io.Reader, name string) (io.ReadCloser, error) {
	d, err := decompress(r, name)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// A decompressor reads text that may be compressed. Its errors name the file.
type decompressor struct {
	name      string
	kind      string // name of the compression; empty if there is none
	source    *sourceReader
	r         io.Reader
	textBytes atomic.Int64 // number of bytes of text that were read
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	textBytes := d.textBytes.Add(int64(n))
	switch {
	case d.kind != uncompressed && textBytes > freeText && textBytes/maxExpansion > d.source.bytes.Load():
		return 0, fileErrorf(d.name,
			"the %s stream expands to more than %d times its size: decompress it to a file first if it is what it should be",
			d.kind, maxExpansion)
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, d.describe(err)
	case d.source.err != nil || (d.kind == xzName && !d.source.endsInXZFooter()):
		return n, d.describe(io.ErrUnexpectedEOF)
	}
	return n, io.EOF
}

// randomAccess returns the text for random access, and its size. A regular file that is not compressed stays
// on disk. Other text is read into memory.
func (d *decompressor) randomAccess(opt *ReadOptions) (io.ReaderAt, int64, error) {
	if f, ok := d.source.r.(*os.File); ok && d.kind == uncompressed && d.source.size > 0 {
		d.textBytes.Store(d.source.size)
		return f, d.source.size, nil
	}
	maxBytes := int64(maxText)
	if opt.Memory > 0 {
		maxBytes = min(maxBytes, max(0, opt.Memory-opt.Reserve))
	}
	data, err := io.ReadAll(io.LimitReader(d, maxBytes+1))
	switch {
	case err != nil:
		return nil, 0, err
	case int64(len(data)) > maxBytes:
		return nil, 0, fileErrorf(d.name,
			"more than %s: a stream or a compressed file must fit in memory: give a file that is not compressed",
			formatBytes(maxBytes))
	}
	return bytes.NewReader(data), int64(len(data)), nil
}

// textSize estimates the number of bytes of the whole text. The result is 0 if there is no estimate yet.
func (d *decompressor) textSize() int64 {
	const (
		leastText = 4 << 20 // an estimate from less text would be too inaccurate
		readAhead = 1.2     // corrects the estimate, because decoders read ahead of the text that they return
	)
	switch textBytes, sourceBytes := d.textBytes.Load(), d.source.bytes.Load(); {
	case d.kind == uncompressed:
		return d.source.size
	case textBytes < leastText:
		return 0
	default:
		return int64(readAhead * float64(textBytes) * float64(d.source.size) / float64(sourceBytes))
	}
}

// Close releases the goroutines and buffers of the decoder. It does not close the source.
func (d *decompressor) Close() error {
	if z, ok := d.r.(*zstd.Decoder); ok {
		z.Close()
	}
	return nil
}

func (d *decompressor) describe(err error) error {
	if d.source.err != nil { // report the cause, not the error of the decoder
		err = d.source.err
	}
	if d.source.err != nil || d.kind == uncompressed {
		return errorf("reading %s: %w", d.name, err)
	}
	msg := "corrupt " + d.kind + " stream (" + err.Error() + "): fetch the file again"
	if errors.Is(err, io.ErrUnexpectedEOF) || (d.source.eof && errors.Is(err, io.EOF)) {
		msg = "truncated " + d.kind + " stream: the file ends early, fetch it again"
	}
	return &ParseError{File: d.name, Msg: msg, Err: err}
}

// A sourceReader keeps the last bytes and the error of the reader r of compressed data, to distinguish a
// failing disk from a damaged file.
type sourceReader struct {
	r         io.Reader
	size      int64        // number of bytes of r, or 0 if it is not known
	lastBytes []byte       // the last bytes before the trailing zeros, at most 12
	zeros     int          // number of trailing zeros
	bytes     atomic.Int64 // bytes read; atomic, because the zstd decoder reads in another goroutine
	eof       bool
	err       error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.bytes.Add(int64(n))
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
		s.lastBytes = append(s.lastBytes, make([]byte, min(s.zeros, xzFooterSize))...)
		s.lastBytes = append(s.lastBytes, body[max(0, len(body)-xzFooterSize):]...)
		s.lastBytes = s.lastBytes[max(0, len(s.lastBytes)-xzFooterSize):]
		s.zeros = 0
	}
	s.zeros += len(p) - len(body)
}

// endsInXZFooter reports whether the source ends with the footer of an xz stream (section
// 2.1.2 of the format), possibly followed by padding. The xz library does not notice if a
// file ends before a block or within the index.
func (s *sourceReader) endsInXZFooter() bool {
	f := s.lastBytes
	return len(f) == xzFooterSize && string(f[10:]) == "YZ" && s.zeros%4 == 0 &&
		crc32.ChecksumIEEE(f[4:10]) == binary.LittleEndian.Uint32(f)
}

// checkWritable returns an error if the ending of the name is a compression that cannot be
// written.
func checkWritable(path string) error {
	if comp := compressionByEnding(path); comp != nil && comp.create == nil {
		return errorf("%s: %s is not written: take .gz or .zst", path, comp.name)
	}
	return nil
}

// Compress calls write with a writer that compresses to w, as the ending of path says: .gz or .zst. Without
// such an ending it calls write with w. It returns an error if the ending is .bz2 or .xz.
func Compress(w io.Writer, path string, write func(io.Writer) error) error {
	comp := compressionByEnding(path)
	if comp == nil {
		return write(w)
	}
	if err := checkWritable(path); err != nil {
		return err
	}
	z, err := comp.create(w)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}
