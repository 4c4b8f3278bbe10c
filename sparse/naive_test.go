package sparse

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// naiveRead is the reader one writes first: strings.Fields and strconv.
func naiveRead(t *testing.T, text []byte) (labels []float64, entries [][]float64) {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		labels = append(labels, number(fields[0]))
		row := make([]float64, 0, 2*len(fields))
		for _, f := range fields[1:] {
			index, value, _ := strings.Cut(f, ":")
			row = append(row, number(index)-1, number(value))
		}
		entries = append(entries, row)
	}
	return labels, entries
}

// The fast reader gives what the naive one does, to the bit.
func TestReaderAgreesWithNaiveReader(t *testing.T) {
	agrees := func(t *testing.T, text []byte) {
		d := mustRead(t, string(text), &ReadOptions{Regression: true})
		labels, entries := naiveRead(t, text)
		if !sameFloats(labels, d.Labels) {
			t.Error("labels differ")
		}
		for i, want := range entries {
			idx, val := d.X.Row(i)
			row := make([]float64, 0, 2*len(idx))
			for k, j := range idx {
				row = append(row, float64(j), val[k])
			}
			if !sameFloats(row, want) {
				t.Fatalf("row %d is %v, want %v", i, row, want)
			}
		}
	}
	for _, decimals := range []int{0, 3, 7, 8, 9, 15, 16, 17, 20, 30} {
		t.Run("decimals="+strconv.Itoa(decimals), func(t *testing.T) { agrees(t, rcv1Text(50, decimals)) })
	}
	for _, name := range []string{"small/housing_scale", "small/abalone", "small/german.numer_scale", "paper/rcv1v2_binary_test.libsvm.zst", "paper/a9a.t.zst"} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(sparsetest.DataFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			in, _, err := Decompress(f, name)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			var b bytes.Buffer
			if _, err := io.Copy(&b, in); err != nil {
				t.Fatal(err)
			}
			agrees(t, b.Bytes())
		})
	}
}
