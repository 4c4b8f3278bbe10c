package sparse

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// runPython runs a script that imports NumPy and SciPy. It skips the test if there is no Python with them.
func runPython(t *testing.T, dir, script string) {
	t.Helper()
	const noModules = 77
	script = fmt.Sprintf(`
import sys
try: import numpy as np, scipy.sparse as sp, scipy.io as io
except ImportError as e: print(e); sys.exit(%d)
`, noModules) + script
	failure := "no python3"
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		cmd := exec.Command(name, "-c", script)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) && err != nil {
			continue
		}
		if err == nil {
			return
		}
		if exit.ExitCode() != noModules {
			t.Fatalf("%v\n%s", err, out)
		}
		failure = strings.TrimSpace(string(out))
	}
	t.Skipf("no Python with NumPy and SciPy: %s", failure)
}

// numpyMatrix is Python code that makes a matrix X, whose numbers need full precision in text, a matrix W of
// small integers, and labels y.
const numpyMatrix = `
X = np.zeros((5, 7))
X[0, 1] = 0.1; X[0, 6] = -1e-300; X[2, 0] = 3; X[2, 2] = 1/3; X[3, 3] = 1.7976931348623157e308; X[4, 6] = 5e-324; X[4, 1] = -7
W = np.array([[1, 0, -2], [3, 100, 0]])
y = np.array([1, -1, 1, -1, 1])
`

// numpyWant returns the X, W and y of numpyMatrix.
func numpyWant(t *testing.T) (x, w *CSR, y []float64) {
	t.Helper()
	x, err := FromTriplets(5, 7, []Triplet{
		{0, 1, 0.1}, {0, 6, -1e-300}, {2, 0, 3}, {2, 2, 1.0 / 3}, {3, 3, 1.7976931348623157e308}, {4, 6, 5e-324}, {4, 1, -7},
	})
	sparsetest.Must(t, err)
	w, err = FromDense(2, 3, []float64{1, 0, -2, 3, 100, 0})
	sparsetest.Must(t, err)
	return x, w, []float64{1, -1, 1, -1, 1}
}

// TestNumPy checks that NumPy and SciPy read the files of this package without a change of bits, and that
// this package reads their files without a change of bits.
func TestNumPy(t *testing.T) {
	dir := t.TempDir()
	x, w, y := numpyWant(t)
	d := &Dataset{X: x, Labels: y, Names: []string{"a", "b", "c", "d", "e", "f", "Größe €"}}
	for _, name := range []string{"d.npy", "d.npz", "d.mtx", "d.csv"} {
		sparsetest.Must(t, WriteFile(filepath.Join(dir, name), d))
	}
	f, err := os.Create(filepath.Join(dir, "y.npy"))
	if err == nil {
		err = WriteLabels(f, NPY, y)
		f.Close()
	}
	sparsetest.Must(t, err)
	runPython(t, dir, numpyMatrix+`
def same(A, B): assert A.shape == B.shape and A.dtype == B.dtype and A.tobytes() == B.tobytes(), (A, B)
same(np.load('d.npy'), X)
S = sp.load_npz('d.npz'); same(S.toarray(), X); assert S.has_sorted_indices and S.nnz == 7
z = np.load('d.npz'); same(z['y'], y.astype('f8')); assert list(z['names']) == ['a', 'b', 'c', 'd', 'e', 'f', 'Größe €']
same(np.load('y.npy'), y.astype('f8'))
same(io.mmread('d.mtx').toarray(), X)
same(np.loadtxt('d.csv', delimiter=',', skiprows=1, encoding='utf8'), np.hstack([X, y[:, None]]))
np.save('c.npy', X); np.save('f.npy', np.asfortranarray(X)); np.save('big.npy', X.astype('>f8')); np.save('y.npy', y); np.save('column.npy', y.reshape(-1, 1).astype('f4'))
for kind in 'i1 i2 i4 i8 f4 f8 >i2 >i4 >i8 >f4'.split(): np.save('w_%s.npy' % kind.replace('>', 'big'), W.astype(kind))
for kind in 'u1 u2 u4 u8'.split(): np.save('v_%s.npy' % kind, np.abs(W).astype(kind))
np.save('v_bool.npy', W > 0)
S = sp.csr_matrix(X)
sp.save_npz('plain.npz', S, compressed=False); sp.save_npz('packed.npz', S)
L = S.copy(); L.indptr = L.indptr.astype('i8'); L.indices = L.indices.astype('i8'); sp.save_npz('long.npz', L)
R = S.copy(); R.indices[2:4] = R.indices[2:4][::-1]; R.data[2:4] = R.data[2:4][::-1]; sp.save_npz('reversed.npz', R)
sp.save_npz('csc.npz', S.tocsc())
np.savez('dense.npz', X=X, y=y, names=np.array(['a', 'b', 'c', 'd', 'e', 'f', 'Größe €'])); np.savez_compressed('only.npz', other=X, y=y)
np.savez('both.npz', data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, format=b'csr', labels=y)
io.mmwrite('c.mtx', S, precision=17); io.mmwrite('a.mtx', X, precision=17); io.mmwrite('w.mtx', W); io.mmwrite('s.mtx', sp.csr_matrix(np.array([[1., 2], [2, 0]])), symmetry='symmetric')
np.savetxt('y.txt', y); np.savetxt('t.csv', np.hstack([X, y[:, None]]), delimiter=',', header='a,b,c,d,e,f,g,y', comments='', fmt='%.17g')
np.save('object.npy', np.array([{}, 1], dtype=object), allow_pickle=True); np.save('complex.npy', X.astype(complex)); np.save('struct.npy', np.zeros(3, dtype=[('a', 'f8'), ('b', 'i4')]))
np.save('nan.npy', np.array([[1, np.nan]])); np.save('large.npy', np.array([[1, 2**53 + 1]]))
np.save('half.npy', W.astype('f2'))
`)
	for _, name := range []string{"column.npy", "y.txt"} {
		if got, err := readLabelsFile(filepath.Join(dir, name), &ReadOptions{}); err != nil || !sameFloats(got.labels, y) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"c.npy", "f.npy", "big.npy", "plain.npz", "packed.npz", "long.npz", "reversed.npz", "c.mtx", "a.mtx",
	} {
		d, err := ReadFile(filepath.Join(dir, name), &ReadOptions{LabelsFile: filepath.Join(dir, "y.npy")})
		if err != nil || !sameBits(d.X, x) || !sameFloats(d.Labels, y) || (d.Stats.SortedRows == 1) != (name == "reversed.npz") {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for _, name := range []string{"dense.npz", "only.npz", "both.npz", "t.csv"} {
		d, err := ReadFile(filepath.Join(dir, name), nil)
		if err != nil || !sameBits(d.X, x) || !sameFloats(d.Labels, y) || name == "dense.npz" && d.Names[6] != "Größe €" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "w*"))
	if err != nil || len(files) != 11 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		if d, err := ReadFile(path, &ReadOptions{AnyLabels: true}); err != nil || !sameBits(d.X, w) {
			t.Errorf("%s: %+v, %v", path, d, err)
		}
	}
	for _, kind := range []string{"u1", "u2", "u4", "u8", "bool"} {
		want := [][]float64{{1, 0, 2}, {3, 100, 0}}
		if kind == "bool" {
			want = [][]float64{{1, 0, 0}, {1, 1, 0}}
		}
		if d, err := ReadFile(filepath.Join(dir, "v_"+kind+".npy"), &ReadOptions{AnyLabels: true}); err != nil || !sameTable(want, d.X) {
			t.Errorf("%s: %+v, %v", kind, d, err)
		}
	}
	for name, want := range map[string]string{
		"object.npy": `type "|O"`, "complex.npy": `type "<c16"`, "struct.npy": "several fields",
		"half.npy": `type "<f2"`, "csc.npz": "x.tocsr()",
		"nan.npy":   `"NaN": the array, row 0, column 1`,
		"large.npy": `"9007199254740993": the array, row 0, column 1`, "y.npy": "1 dimensions",
	} {
		_, err := ReadFile(filepath.Join(dir, name), &ReadOptions{AnyLabels: true})
		wantParseError(t, err, 0, 0, name, want)
	}
}
