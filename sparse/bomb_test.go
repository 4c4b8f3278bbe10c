package sparse

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
)

// A repeatReader is a Reader that repeats a text without end.
type repeatReader struct {
	text     string
	position int
}

func (r *repeatReader) Read(p []byte) (int, error) {
	begin := r.position % len(r.text)
	n := copy(p, r.text[begin:]+r.text[:begin])
	for n < len(p) {
		n += copy(p[n:], p[:n]) // p[:n] is the text, repeated
	}
	r.position += n
	return n, nil
}

// allocatedMiB returns how many MiB the function do allocates in total.
func allocatedMiB(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20
}

// TestBombs checks that small files that expand without bound, and lines without end, are refused
// before they fill the memory.
func TestBombs(t *testing.T) {
	const limit = 400 // MiB allocated in total, of which less than half is in use at a time
	readers := map[string]func(io.Reader) error{
		"LIBSVM": func(r io.Reader) error { _, err := readAs(LIBSVM, r, "bomb", nil); return err },
		"text":   func(r io.Reader) error { _, err := ReadText(r, "bomb"); return err },
		"matrix": func(r io.Reader) error { _, err := readMatrix(r, "bomb"); return err },
	}
	for _, text := range []string{" ", "\n", "1\n", "1 1:1\n", "# ", "1 1 1\n"} {
		kinds := compressors
		if text != " " {
			kinds = compressors[:1]
		}
		for kind, packed := range compress(t, bytes.Repeat([]byte(text), 6<<20/len(text)), kinds...) {
			for name, read := range readers {
				if name == "LIBSVM" && text == "1 1 1\n" {
					continue // this is not LIBSVM text
				}
				var err error
				mib := allocatedMiB(func() { err = read(bytes.NewReader(packed)) })
				if err == nil ||
					!strings.Contains(err.Error(), "bomb: the "+kind+" stream expands to more than 500 times") ||
					mib > limit {
					t.Errorf("%s of %q, %v: %d MiB, %v", name, text, kind, mib, err)
				}
			}
		}
	}
	var err error
	mib := allocatedMiB(func() { err = readers["LIBSVM"](&repeatReader{text: "1 "}) })
	if err == nil || !strings.Contains(err.Error(), "a line of more than 64 MiB") || mib > limit {
		t.Errorf("a line without an end: %d MiB, %v", mib, err)
	}
	for name, read := range readers {
		mib := allocatedMiB(func() { err = read(&repeatReader{text: "\x00"}) })
		if err == nil || !strings.Contains(err.Error(), "not a text file") || mib > 16 {
			t.Errorf("%s of zeros without an end: %d MiB, %v", name, mib, err)
		}
	}
}
