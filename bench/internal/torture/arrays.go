package torture

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// naiveArray is an array of NumPy's form, and the bytes of its file.
type naiveArray struct {
	kind    byte // f, i or u
	size    int
	big     bool
	fortran bool
	shape   []int
	body    []byte
}

// drawArray draws the kind of an array of that shape.
func drawArray(rng *rand.Rand, kinds string, shape ...int) *naiveArray {
	a := &naiveArray{kind: kinds[rng.IntN(len(kinds))], size: pick(rng, 1, 2, 4, 8), big: chance(rng, 2), fortran: chance(rng, 2), shape: shape}
	if a.kind == 'f' {
		a.size = pick(rng, 4, 8)
	}
	return a
}

// put appends a number, as far as its type holds it.
func (a *naiveArray) put(v float64) {
	bits := uint64(int64(v))
	if a.kind == 'f' {
		bits = math.Float64bits(v)
		if a.size == 4 {
			bits = uint64(math.Float32bits(float32(v)))
		}
	}
	var b [8]byte
	if a.big {
		binary.BigEndian.PutUint64(b[:], bits)
		a.body = append(a.body, b[8-a.size:]...)
		return
	}
	binary.LittleEndian.PutUint64(b[:], bits)
	a.body = append(a.body, b[:a.size]...)
}

// at returns number k of the file, nil if it is not finite.
func (a *naiveArray) at(k int) *big.Float {
	raw := slices.Clone(a.body[k*a.size : (k+1)*a.size])
	if a.big {
		slices.Reverse(raw)
	}
	var bits uint64
	for n, b := range raw {
		bits |= uint64(b) << (8 * n)
	}
	switch {
	case a.kind == 'u':
		return new(big.Float).SetUint64(bits)
	case a.kind == 'i':
		shift := 64 - 8*a.size
		return new(big.Float).SetInt64(int64(bits) << shift >> shift)
	}
	v := math.Float64frombits(bits)
	if a.size == 4 {
		v = float64(math.Float32frombits(uint32(bits)))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return big.NewFloat(v)
}

// count is how many numbers the shape says there are.
func (a *naiveArray) count() int {
	n := 1
	for _, side := range a.shape {
		n *= side
	}
	return n
}

// values returns all numbers in the order of the file, if float64 holds them and none is
// missing or too many.
func (a *naiveArray) values() (v []float64, err error) {
	if len(a.body) != a.count()*a.size {
		return nil, refusedAt(0)
	}
	for k := range a.count() {
		x := a.at(k)
		if x == nil {
			return nil, refusedAt(0)
		}
		f, accuracy := x.Float64()
		if accuracy != big.Exact {
			return nil, refusedAt(0)
		}
		v = append(v, f)
	}
	return v, nil
}

// file returns the bytes of the file, by the form of NumPy's documentation, with its
// liberties: order of the keys, blanks, versions.
func (a *naiveArray) file(rng *rand.Rand) string {
	order, ends := "False", "<"
	if a.fortran {
		order = "True"
	}
	if a.big {
		ends = ">"
	}
	if a.size == 1 {
		ends = pick(rng, "|", "<", ">")
	}
	shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.shape), " ", ", "), "[]")
	if len(a.shape) == 1 {
		shape += ","
	}
	parts := []string{fmt.Sprintf("'descr': '%s%c%d'", ends, a.kind, a.size), "'fortran_order': " + order, "'shape': (" + shape + ")"}
	if chance(rng, 5) {
		rng.Shuffle(3, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	head := "{" + strings.Join(parts, pick(rng, ", ", ",")) + pick(rng, ", ", ",", "") + "}"
	head += strings.Repeat(" ", rng.IntN(64)) + pick(rng, "\n", "")
	if chance(rng, 4) {
		return "\x93NUMPY" + pick(rng, "\x02\x00", "\x03\x00") + string(binary.LittleEndian.AppendUint32(nil, uint32(len(head)))) + head + string(a.body)
	}
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))) + head + string(a.body)
}

// spoil damages the numbers, or how many there are.
func (a *naiveArray) spoil(rng *rand.Rand) {
	switch {
	case len(a.body) == 0 || chance(rng, 6):
		a.body = append(a.body, make([]byte, 1+rng.IntN(9))...)
	case chance(rng, 4):
		a.body = a.body[:rng.IntN(len(a.body))]
	default:
		for range 1 + rng.IntN(9) {
			a.body[rng.IntN(len(a.body))] = byte(pick(rng, 0, 255, 127, 128, rng.IntN(256)))
		}
	}
}

// drawNumber is one that few types do not hold.
func drawNumber(rng *rand.Rand) float64 {
	return pick(rng, 0, 1, 2, 7, float64(rng.IntN(100)), rng.NormFloat64(), -3, math.Copysign(0, -1), 1e9)
}

// table returns rows of numbers as data without labels.
func (a *naiveArray) table() (*naiveData, error) {
	v, err := a.values()
	n, p := a.shape[0], a.shape[1]
	if err != nil || n == 0 || p == 0 {
		return nil, refusedAt(0)
	}
	d := &naiveData{rows: make([]naiveRow, n), cols: int64(p)}
	for i := range n {
		d.rows[i].value = map[int64]float64{}
		for j := range p {
			k := i*p + j
			if a.fortran {
				k = j*n + i
			}
			if v[k] != 0 || math.Signbit(v[k]) {
				d.rows[i].value[int64(j)] = v[k]
			}
		}
	}
	return d, nil
}

// targets gives data the labels of a file of their own.
func targets(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i)
	}
	return y
}

// tryNPY reads one array, damaged or not, twice.
func tryNPY(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	a := drawArray(rng, "fffiu", rng.IntN(pick(rng, 6, 300)), rng.IntN(6))
	for range a.count() {
		a.put(drawNumber(rng))
	}
	if chance(rng, 2) {
		a.spoil(rng)
	}
	file, foreign := a.file(rng), false
	if chance(rng, 4) { // anywhere: what becomes of a header has no second opinion
		at := rng.IntN(len(file))
		file, foreign = file[:at]+pick(rng, "", "9", "'", ")", string([]byte{byte(rng.IntN(256))}))+file[min(len(file), at+rng.IntN(3)):], true
	}
	opt := sparse.ReadOptions{Regression: true, Targets: targets(a.shape[0])}
	got, err := sparse.ReadNPY(strings.NewReader(packed(rng, file)), "f", &opt)
	if foreign {
		if err == nil && int64(len(got.Labels)) != int64(len(opt.Targets)) {
			return accepted(file, "rows without labels")
		}
		return verdict(file, refusedIf(err), refusedAt(0))
	}
	want, wantErr := a.table()
	if err != nil || wantErr != nil {
		return verdict(file, err, wantErr)
	}
	for i := range want.rows {
		want.rows[i].label = opt.Targets[i]
	}
	return accepted(file, want.differs(got))
}

// refusedIf is err, or a refusal where none is asked for.
func refusedIf(err error) error {
	if err == nil {
		return &sparse.ParseError{File: "f", Msg: "none"}
	}
	return err
}

// naiveSparse are the arrays of a sparse matrix as scipy stores it.
type naiveSparse struct{ indptr, indices, data, shape, labels *naiveArray }

// drawSparse draws a matrix, valid but perhaps for one number.
func drawSparse(rng *rand.Rand) *naiveSparse {
	n, p := 1+rng.IntN(6), 1+rng.IntN(9)
	ptr, idx := []int{0}, []int{}
	for range n {
		row := rng.Perm(p)[:rng.IntN(p+1)]
		if !chance(rng, 4) {
			slices.Sort(row)
		}
		idx = append(idx, row...)
		ptr = append(ptr, len(idx))
	}
	size := []int{n, p}
	if chance(rng, 3) {
		at := pick(rng, ptr, idx, size)
		if len(at) > 0 {
			at[rng.IntN(len(at))] = pick(rng, 0, 1, p, n, -1, 100)
		}
	}
	list := func(kinds string, of []int) *naiveArray {
		a := drawArray(rng, kinds, len(of))
		for _, v := range of {
			a.put(float64(v))
		}
		return a
	}
	s := &naiveSparse{indptr: list("iu", ptr), indices: list("iu", idx), shape: list("iu", size)}
	s.data, s.labels = drawArray(rng, "fffiu", len(idx)), drawArray(rng, "fi", n)
	for range idx {
		s.data.put(drawNumber(rng))
	}
	for i := range n {
		s.labels.put(float64(i % 5))
	}
	if chance(rng, 4) {
		pick(rng, s.indptr, s.indices, s.data, s.shape, s.labels).spoil(rng)
	}
	return s
}

// table returns the data.
func (s *naiveSparse) table() (*naiveData, error) {
	lists := map[*naiveArray][]float64{}
	for _, a := range []*naiveArray{s.indptr, s.indices, s.data, s.shape, s.labels} {
		v, err := a.values()
		if err != nil {
			return nil, err
		}
		lists[a] = v
	}
	shape, ptr, idx, val, y := lists[s.shape], lists[s.indptr], lists[s.indices], lists[s.data], lists[s.labels]
	n, p := shape[0], shape[1]
	if n < 1 || p < 0 || p > math.MaxInt32 || n != float64(len(ptr)-1) || ptr[0] != 0 || ptr[len(ptr)-1] != float64(len(idx)) || !slices.IsSorted(ptr) || len(y) != int(n) {
		return nil, refusedAt(0)
	}
	d := &naiveData{cols: int64(p)}
	for i := range int(n) {
		row := naiveRow{y[i], map[int64]float64{}}
		for k := int(ptr[i]); k < int(ptr[i+1]); k++ {
			j := int64(idx[k])
			if _, twice := row.value[j]; twice || j < 0 || float64(j) >= p {
				return nil, refusedAt(0)
			}
			row.value[j] = val[k]
		}
		d.rows = append(d.rows, row)
	}
	return d, nil
}

// file returns the archive.
func (s *naiveSparse) file(rng *rand.Rand) (string, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	format := "\x93NUMPY\x01\x00\x3e\x00{'descr': '|S3', 'fortran_order': False, 'shape': (), }      \ncsr"
	for name, content := range map[string]string{
		"indptr": s.indptr.file(rng), "indices": s.indices.file(rng), "data": s.data.file(rng), "shape": s.shape.file(rng), "y": s.labels.file(rng), "format": format,
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: pick(rng, zip.Store, zip.Deflate)})
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			return "", err
		}
	}
	err := z.Close()
	return b.String(), err
}

// tryNPZ reads one archive, damaged or not, twice.
func tryNPZ(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	s := drawSparse(rng)
	file, err := s.file(rng)
	if err != nil {
		return "", err
	}
	cut := chance(rng, 4)
	if cut { // sums of the archive tell
		at := rng.IntN(len(file))
		file = file[:at] + pick(rng, "", string([]byte{byte(rng.IntN(256))})) + file[min(len(file), at+pick(rng, 1, 1, 0, 30)):]
	}
	opt := sparse.ReadOptions{Regression: true}
	want, wantErr := s.table()
	got, err := sparse.ReadNPZ(strings.NewReader(file), "f", &opt)
	if cut {
		if wantErr = refusedAt(0); err == nil { // where nothing is said of the arrays
			if want, wantErr = s.table(); wantErr == nil {
				return accepted(file, want.differs(got))
			}
		}
	}
	if err != nil || wantErr != nil {
		return verdict(file, err, wantErr)
	}
	return accepted(file, want.differs(got))
}
