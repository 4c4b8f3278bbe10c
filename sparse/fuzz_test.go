package sparse

import (
	"bytes"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// FuzzReadLIBSVM compares Read with naiveLIBSVM, and checks that accepted data can be written and read.
func FuzzReadLIBSVM(f *testing.F) {
	for _, s := range []string{
		smallText, "1 0:1\n0 3:2 1:5 # c\r\n", "+1 1:1e-7 99:.5\n-1\n", "1 1:nan", "1 qid:1 1:1\n",
		"\x1f\x8b\x08", "1 2147483647:1\n0 0:1",
		"3 1:1 1:2\n", "1\n2\n3\n", "\ufeff1 1:12345678901234567890e-5\n2",
		"0 1:0x1p3\n", "0 1:1_0\n", "0 1:+inf\n", "0 1:1.7976931348623159e308\n",
		"0 1:4.9e-324 2:1e-99999999999999999999 3:0e99999999999\n1", "0 00000000000000000001:1\n1",
		"0 18446744073709551617:1\n", "0 4294967297:1\n", "1 1:1\r2 1:1\n", "0 1:１\n", "1 1:--1\n",
		"1 1:5. 2:.5\n2\v1:1\f3:e5\n", "1 2:1 \u00a01:1\n",
	} {
		for flags := range byte(16) {
			f.Add([]byte(s), flags)
		}
	}
	for _, data := range smallTextFiles(f) {
		f.Add(data, byte(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, flags byte) {
		opt := &ReadOptions{Regression: flags&1 != 0, Strict: flags&2 != 0, IndexBase: IndexBase(flags>>2) % 3}
		if flags&64 != 0 {
			opt.Features = 9
		}
		d, err := readAs(LIBSVM, bytes.NewReader(data), "fuzz", opt)
		input, openErr := decompress(bytes.NewReader(data), "fuzz")
		if openErr == nil && input.kind == uncompressed && refuseBinary(data, "") == nil {
			checkLIBSVM(t, string(data), opt, d, err)
		}
		if err != nil {
			return
		}
		if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil {
			t.Fatalf("an invalid matrix: %v", err)
		}
		if d.X.cols == MaxCols {
			t.Skip("written from 1 on, the last index is too large")
		}
		var b bytes.Buffer
		sparsetest.Must(t, Write(&b, LIBSVM, &Dataset{X: d.X, Labels: d.Labels}))
		writtenOpt := &ReadOptions{IndexBase: OneBased, Features: d.X.cols, Regression: opt.Regression, Strict: true}
		if d.Signs {
			writtenOpt.Classes = Classes{Values: []float64{-1, 1}}
		}
		reread, err := readAs(LIBSVM, &b, "written", writtenOpt)
		sparsetest.Must(t, err)
		if !sameBits(d.X, reread.X) || !sameFloats(d.Labels, reread.Labels) {
			t.Fatalf("read %+v, then %+v", d, reread)
		}
	})
}
