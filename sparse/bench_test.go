package sparse

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/scas-admm/scas/sparse/internal/check"
)

// rcv1Text writes text of rcv1's shape: 75 increasing indices below 47,236 a row
// and values with the given number of decimals.
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
			f, err := os.Open(check.DataFile(b, "paper", file+".zst"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			in, _, err := Decompress(f, file)
			if err != nil {
				b.Fatal(err)
			}
			defer in.Close()
			text, err := io.ReadAll(in)
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
		if _, err := ReadLIBSVM(bytes.NewReader(text), "bench", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteLIBSVM(b *testing.B) {
	d := mustRead(b, string(rcv1Text(2_000, 6)), nil)
	n := int64(0)
	for b.Loop() {
		var c countingWriter
		if err := WriteLIBSVM(&c, d.X, d.Labels); err != nil {
			b.Fatal(err)
		}
		n = int64(c)
	}
	b.SetBytes(n)
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}
