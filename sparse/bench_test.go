package sparse

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// rcv1Text returns LIBSVM text like that of the data set rcv1: each row has 75 increasing indices
// below 47,236, and values with the given number of decimals.
func rcv1Text(rows, decimals int) []byte {
	r := rand.New(rand.NewPCG(7, 7))
	var b bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&b, "%d", 2*(i%2)-1)
		for k := range 75 {
			fmt.Fprintf(&b, " %d:%.*f", 1+k*629+r.IntN(629), decimals, 0.02+0.2*r.Float64())
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func BenchmarkReadLIBSVM(b *testing.B) {
	for _, decimals := range []int{6, 16} {
		b.Run(fmt.Sprintf("synthetic/decimals=%d", decimals), func(b *testing.B) {
			benchmarkRead(b, rcv1Text(20_000, decimals))
		})
	}
	for _, file := range []string{"a9a", "rcv1v2_binary_train.libsvm", "hivfp_train.libsvm", "covtype.libsvm.binary.scale"} {
		b.Run("file="+file, func(b *testing.B) {
			f, err := os.Open(sparsetest.DataFile(b, "paper", file+".zst"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			input, err := decompress(f, file)
			if err != nil {
				b.Fatal(err)
			}
			defer input.Close()
			text, err := io.ReadAll(input)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkRead(b, text)
		})
	}
}

func benchmarkRead(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readAs(LIBSVM, bytes.NewReader(text), "bench", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteLIBSVM(b *testing.B) {
	d := mustRead(b, string(rcv1Text(2_000, 6)), nil)
	var text bytes.Buffer
	for b.Loop() {
		text.Reset()
		if err := Write(&text, LIBSVM, &Dataset{X: d.X, Labels: d.Labels}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(text.Len()))
}

// BenchmarkRead reads a dense data set in every format, and a sparse data set in the formats for
// sparse data. MB/s counts the bytes of the file.
func BenchmarkRead(b *testing.B) {
	datasets := map[string]*Dataset{"sparse": mustRead(b, string(rcv1Text(4_000, 6)), &ReadOptions{Features: 47_236})}
	r := rand.New(rand.NewPCG(7, 7))
	values := make([]float64, 20_000*50)
	for k := range values {
		values[k] = float64(1+r.IntN(1e6)) / 1e6
	}
	x, err := FromDense(20_000, 50, values)
	if err != nil {
		b.Fatal(err)
	}
	labels := make([]float64, 20_000)
	for i := range labels {
		labels[i] = float64(i % 2)
	}
	datasets["dense"] = &Dataset{X: x, Labels: labels}
	for name, d := range datasets {
		for _, format := range Formats() {
			if name == "sparse" && (format == CSV || format == TSV || format == NPY) {
				continue
			}
			var file bytes.Buffer
			if err := Write(&file, format, d); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("data=%s/format=%v", name, format), func(b *testing.B) {
				b.SetBytes(int64(file.Len()))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Read(bytes.NewReader(file.Bytes()), "bench",
						&ReadOptions{Format: format, AnyLabels: true}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(d.X.NNZ())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
			})
		}
	}
}
