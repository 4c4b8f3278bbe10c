package npy

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestLargeWholeNumbers checks that 64-bit integers are refused if float64 cannot represent them.
func TestLargeWholeNumbers(t *testing.T) {
	for _, tt := range []struct {
		kind  string
		bits  uint64
		want  float64
		exact bool
	}{
		{"u8", 1 << 63, 1 << 63, true},
		{"u8", 1<<64 - 1<<11, 1<<64 - 1<<11, true},
		{"u8", 1<<64 - 1, 0, false},
		{"u8", 1<<64 - 3, 0, false},
		{"u8", 1<<64 - 1<<10, 0, false},
		{"u8", 1<<53 + 1, 0, false},
		{"i8", 1<<64 - 3, -3, true},
		{"i8", 1 << 63, math.MinInt64, true},
		{"i8", 1<<63 - 1, 0, false},
		{"i8", 1<<63 + 1, 0, false},
	} {
		head := "{'descr': '<" + tt.kind + "', 'fortran_order': False, 'shape': (1,), }"
		file := magic + "\x01\x00" + string([]byte{byte(len(head)), 0}) + head +
			string(binary.LittleEndian.AppendUint64(nil, tt.bits))
		a, err := Open(strings.NewReader(file))
		sparsetest.Must(t, err)
		var v [1]float64
		n, err := a.ReadFloats(v[:])
		if (err == nil) != tt.exact || err == nil && (n != 1 || v[0] != tt.want) {
			t.Errorf("%s of bits %#x: %v, %v; want %v, exact: %v", tt.kind, tt.bits, v[0], err, tt.want, tt.exact)
		}
		if err == nil {
			if _, err := a.ReadFloats(v[:]); err != io.EOF {
				t.Errorf("%v, want EOF", err)
			}
		}
	}
}

// TestLongStrings checks that WriteStrings writes only strings that ReadStrings reads.
func TestLongStrings(t *testing.T) {
	for length, written := range map[int]bool{maxString: true, maxString + 1: false} {
		var b strings.Builder
		want := []string{strings.Repeat("é", length), "b"}
		if err := WriteStrings(&b, want); (err == nil) != written {
			t.Fatalf("%d characters: %v", length, err)
		}
		if !written {
			continue
		}
		a, err := Open(strings.NewReader(b.String()))
		sparsetest.Must(t, err)
		if got, err := a.ReadStrings(len(want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d characters: %d strings, %v", length, len(got), err)
		}
	}
}
