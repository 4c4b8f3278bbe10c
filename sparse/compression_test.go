package sparse

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

const smallText = "1 1:0.5 2:2\n-1 2:-1\n"

// smallBzip2 is smallText compressed by bzip2, in base64: Go's library cannot write bzip2.
const smallBzip2 = "QlpoOTFBWSZTWeo8d5UAAAVYAAAQQANyECAAMQZMQQ0DandLMKdp2oAXi7kinChIdR47yoA="

// smallTextFiles returns smallText uncompressed and in every compression that readers accept.
func smallTextFiles(t testing.TB) map[string][]byte {
	t.Helper()
	bz, err := base64.StdEncoding.DecodeString(smallBzip2)
	sparsetest.Must(t, err)
	files := compress(t, []byte(smallText), compressors...)
	files[uncompressed], files["bzip2"] = []byte(smallText), bz
	return files
}

// A compressor is a kind of compression, and a function that returns its writer.
type compressor struct {
	kind string
	open func(io.Writer) (io.WriteCloser, error)
}

var compressors = []compressor{
	{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	{"zstd", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }},
	{xzName, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }},
}

// compress returns text compressed with each of the given compressors.
func compress(t testing.TB, text []byte, with ...compressor) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, c := range with {
		var b bytes.Buffer
		w, err := c.open(&b)
		sparsetest.Must(t, err)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		sparsetest.Must(t, w.Close())
		files[c.kind] = b.Bytes()
	}
	return files
}

func TestCompressedFiles(t *testing.T) {
	want := mustRead(t, smallText, nil)
	for kind, data := range smallTextFiles(t) {
		t.Run(kind, func(t *testing.T) {
			d, err := readAs(LIBSVM, iotest.HalfReader(bytes.NewReader(data)), "f", nil)
			sparsetest.Must(t, err)
			if !sameBits(d.X, want.X) || d.Stats.Compression != kind || d.Stats.Bytes != int64(len(smallText)) {
				t.Errorf("read %v, %+v", sparsetest.Dense(d.X), d.Stats)
			}
			if kind == uncompressed {
				return
			}
			doubled, err := readAs(LIBSVM, bytes.NewReader(bytes.Repeat(data, 2)), "f", nil)
			if err != nil {
				t.Fatalf("two streams one after the other: %v", err)
			}
			if doubled.Stats.Rows != 4 {
				t.Errorf("two streams one after the other have %d rows, want 4", doubled.Stats.Rows)
			}
		})
	}
}

// TestSkippableFrame checks a zstd file that begins with a skippable frame, as pzstd and other programs write
// it.
func TestSkippableFrame(t *testing.T) {
	data := append([]byte("\x5e\x2a\x4d\x18\x02\x00\x00\x00ab"), compress(t, []byte(smallText), compressors...)["zstd"]...)
	d, err := readAs(LIBSVM, bytes.NewReader(data), "f", nil)
	if err != nil || d.Stats.Rows != 2 || d.Stats.Compression != "zstd" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestTruncatedFiles checks that a compressed file is an error wherever it is truncated.
func TestTruncatedFiles(t *testing.T) {
	for kind, data := range smallTextFiles(t) {
		if kind == uncompressed {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			for n := range data {
				_, err := readAs(LIBSVM, bytes.NewReader(data[:n]), "cut.dat", nil)
				var p *ParseError
				if !errors.As(err, &p) || p.File != "cut.dat" {
					t.Fatalf("%d of %d bytes: %v, want a *ParseError about cut.dat", n, len(data), err)
				}
				if n >= 6 && (!strings.Contains(p.Msg, "truncated "+kind) || p.Err == nil) {
					t.Errorf("%d of %d bytes: %v, want it to say truncated %v", n, len(data), err, kind)
				}
			}
		})
	}
}

// TestTruncatedLargeFiles checks that a compressed file of many blocks is an error if it is
// truncated at a random place.
func TestTruncatedLargeFiles(t *testing.T) {
	cuts := 30
	if testing.Short() {
		cuts = 8
	}
	for kind, data := range compress(t, rcv1Text(500, 6), compressors...) {
		r := newGenerator(1)
		for range cuts {
			n := 6 + r.integer(len(data)-6)
			_, err := readAs(LIBSVM, bytes.NewReader(data[:n]), "cut.dat", nil)
			wantParseError(t, err, 0, 0, "cut.dat: truncated "+kind)
		}
	}
}

// TestCorruptFiles checks that a compressed file with a wrong bit is an error, or gives
// the right data if the bit has no meaning. With -short it takes one bit of each byte.
func TestCorruptFiles(t *testing.T) {
	want := mustRead(t, smallText, nil)
	for kind, data := range smallTextFiles(t) {
		if kind == uncompressed {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			corruptCount, trials := 0, 8*len(data)
			if testing.Short() {
				trials = len(data)
			}
			for k := range trials {
				bit := k
				if testing.Short() {
					bit = 8*k + k%8
				}
				bad := bytes.Clone(data)
				bad[bit/8] ^= 1 << (bit % 8)
				d, err := readAs(LIBSVM, bytes.NewReader(bad), "bad.dat", nil)
				if err == nil && (!sameBits(d.X, want.X) || !sameFloats(d.Labels, want.Labels)) {
					t.Errorf("bit %d wrong: other data without an error", bit)
				}
				if err != nil && strings.Contains(err.Error(), "bad.dat: corrupt "+kind) {
					corruptCount++
				}
			}
			if corruptCount < trials/2 {
				t.Errorf("only %d of %d damaged files are called corrupt", corruptCount, trials)
			}
		})
	}
}

// TestFailingSource checks that a failing disk is not reported as a damaged file.
func TestFailingSource(t *testing.T) {
	for kind, data := range smallTextFiles(t) {
		failingReader := io.MultiReader(
			bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(io.ErrClosedPipe))
		_, err := readAs(LIBSVM, failingReader, "disk.dat", nil)
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v: %v does not wrap the source's error", kind, err)
		}
		var p *ParseError
		if errors.As(err, &p) {
			t.Errorf("%v: %v blames the file", kind, err)
		}
		sparsetest.CheckError(t, err, "reading disk.dat")
	}
}
