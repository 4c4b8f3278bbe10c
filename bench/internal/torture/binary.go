package torture

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// naiveBinary is a .scas file by the documentation of its form, written section by section.
type naiveBinary struct {
	rows, cols, nnz int64
	labelling       uint32
	base            uint32
	idx             []int32
	val             []float64
	ptr             []int64
	labels          []float64
	meta            string
	names           int64 // in it
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// drawBinary draws a matrix with labels that are numbers, valid.
func drawBinary(rng *rand.Rand) *naiveBinary {
	b := &naiveBinary{cols: int64(1 + rng.IntN(30)), labelling: 1, base: uint32(rng.IntN(2)), ptr: []int64{0}, meta: "{}"}
	for range 1 + rng.IntN(pick(rng, 8, 300)) {
		row := rng.Perm(int(b.cols))[:rng.IntN(int(b.cols)+1)]
		slices.Sort(row)
		for _, j := range row {
			b.idx, b.val = append(b.idx, int32(j)), append(b.val, rng.NormFloat64())
		}
		b.ptr, b.labels = append(b.ptr, int64(len(b.idx))), append(b.labels, rng.NormFloat64())
	}
	b.rows, b.nnz = int64(len(b.labels)), int64(len(b.idx))
	if chance(rng, 3) {
		names := make([]string, b.cols)
		for j := range names {
			names[j] = strconv.Quote("x" + strconv.Itoa(j))
		}
		b.names = b.cols
		b.meta = `{"features":[` + strings.Join(names, ",") + "]}"
	}
	return b
}

// spoil makes one thing wrong, or odd.
func (b *naiveBinary) spoil(rng *rand.Rand) {
	odd := []int64{-1, 0, 1, b.rows, b.cols, b.nnz, b.nnz + 1, math.MaxInt32, math.MaxInt64, math.MinInt64, 1 << 47}
	switch rng.IntN(8) {
	case 0:
		*pick(rng, &b.rows, &b.cols, &b.nnz) = pick(rng, odd...)
	case 1:
		*pick(rng, &b.labelling, &b.base) = pick(rng, uint32(0), 2, 3, math.MaxUint32)
	case 2:
		b.meta = damage(rng, b.meta)
	case 3:
		b.labels[rng.IntN(len(b.labels))] = pick(rng, math.NaN(), math.Inf(1), 0, 1e308)
	case 4, 5:
		b.ptr[rng.IntN(len(b.ptr))] = pick(rng, odd...)
	default:
		if len(b.idx) == 0 {
			return
		}
		k := rng.IntN(len(b.idx))
		b.idx[k] = int32(pick(rng, -1, 0, int(b.cols), int(b.idx[k])+1, math.MaxInt32, math.MinInt32))
		if chance(rng, 2) {
			b.val[rng.IntN(len(b.val))] = pick(rng, math.NaN(), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324)
		}
	}
}

// file returns the bytes, with checksums that are right.
func (b *naiveBinary) file() []byte {
	le := binary.LittleEndian
	head := make([]byte, 4096)
	copy(head, "\x89SCAS\r\n\x1a")
	le.PutUint32(head[8:], 1)
	copy(head[12:], "\x04\x03\x02\x01")
	for k, v := range []int64{b.rows, b.cols, b.nnz} {
		le.PutUint64(head[16+8*k:], uint64(v))
	}
	le.PutUint32(head[40:], b.labelling)
	le.PutUint32(head[44:], b.base)
	le.PutUint64(head[64:], uint64(len(b.meta)))
	le.PutUint32(head[4092:], crc32.Checksum(head[:4092], crcTable))
	file := head
	section := func(bytes []byte) {
		file = append(file, make([]byte, -len(file)&4095)...)
		file = append(file, bytes...)
	}
	encode := func(v any) []byte {
		out, err := binary.Append(nil, le, v)
		if err != nil {
			panic(err) // numbers of a fixed size
		}
		return out
	}
	section(encode(b.idx))
	section(encode(b.val))
	section(encode(b.ptr))
	section(encode(b.labels))
	section([]byte(b.meta))
	section(nil)
	var sums []byte
	for block := range slices.Chunk(file[4096:], 1<<20) {
		sums = le.AppendUint32(sums, crc32.Checksum(block, crcTable))
	}
	return le.AppendUint32(append(file, sums...), crc32.Checksum(sums, crcTable))
}

// padded is v with as many of the zeros behind its section as make it n long, if no more
// are asked for than are there.
func padded[T int64 | float64](v []T, n int64) []T {
	const page = 512 // numbers
	if more := n - int64(len(v)); more > 0 && more <= int64(-len(v)&(page-1)) {
		return append(slices.Clone(v), make([]T, more)...)
	}
	return v
}

// table returns the data, which the sections must make.
func (b *naiveBinary) table() (*naiveData, error) {
	if b.rows < 0 || b.rows > math.MaxInt32 {
		return nil, refusedAt(0)
	}
	ptr, labels := padded(b.ptr, b.rows+1), padded(b.labels, b.rows)
	if b.rows != int64(len(labels)) || b.nnz != int64(len(b.idx)) || b.cols < 0 || b.cols > math.MaxInt32 || b.labelling != 1 || b.base > 1 ||
		b.names > 0 && b.names != b.cols || ptr[0] != 0 || ptr[b.rows] != b.nnz || !slices.IsSorted(ptr) {
		return nil, refusedAt(0)
	}
	d := &naiveData{cols: b.cols, rows: make([]naiveRow, b.rows)}
	for i := range d.rows {
		d.rows[i] = naiveRow{labels[i], map[int64]float64{}}
		last := int32(-1)
		for k := ptr[i]; k < ptr[i+1]; k++ {
			if j := b.idx[k]; j <= last || int64(j) >= b.cols || math.IsNaN(b.val[k]-b.val[k]) {
				return nil, refusedAt(0)
			}
			last = b.idx[k]
			d.rows[i].value[int64(last)] = b.val[k]
		}
		if math.IsNaN(labels[i] - labels[i]) {
			return nil, refusedAt(0)
		}
	}
	return d, nil
}

// binaryAttack reads binary files, mapped and from memory.
type binaryAttack struct{ dir string }

func beginBinary(_ context.Context, g *ground) (attack, error) {
	dir, err := g.room("binary")
	return trial(binaryAttack{dir}.try), err
}

// try reads one file, damaged or not, twice.
func (a binaryAttack) try(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	b := drawBinary(rng)
	meta := b.meta
	if chance(rng, 2) {
		b.spoil(rng)
	}
	want, wantErr := b.table()
	file := b.file()
	if chance(rng, 3) { // checksums tell
		at := rng.IntN(len(file))
		switch rng.IntN(3) {
		case 0:
			file[at] ^= 1 << rng.IntN(8)
		case 1:
			file = file[:at]
		default:
			file = append(file, byte(rng.IntN(256)))
		}
		wantErr = refusedAt(0)
	}
	opt := &sparse.ReadOptions{Regression: true}
	var got *sparse.Dataset
	var err error
	if chance(rng, 8) {
		path := filepath.Join(a.dir, strconv.FormatUint(seed, 10)+".scas")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			return "", err
		}
		defer os.Remove(path)
		if got, err = sparse.ReadFile(path, opt); err == nil {
			defer got.Close()
		} else {
			err = &sparse.ParseError{File: "f", Err: err, Msg: strings.TrimPrefix(err.Error(), path)}
		}
	} else {
		got, err = sparse.ReadBinary(strings.NewReader(string(file)), "f", opt)
	}
	if meta != b.meta && err != nil { // what becomes of odd names has no second opinion
		wantErr = refusedAt(0)
	}
	if err != nil || wantErr != nil {
		return verdict(string(file[:min(len(file), 200)]), err, wantErr)
	}
	return accepted(string(file[:80]), want.differs(got))
}
