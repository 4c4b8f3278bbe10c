package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestNewRefuses(t *testing.T) {
	one := []float64{1}
	tests := []struct {
		name       string
		rows, cols int
		ptr        []int64
		idx        []int32
		val        []float64
		want       []string
	}{
		{"negative rows", -1, 1, []int64{}, nil, nil, []string{"-1 x 1"}},
		{"too many columns", 0, MaxCols + 1, []int64{0}, nil, nil, []string{"2147483649"}},
		{"short pointers", 2, 1, []int64{0, 0}, nil, nil, []string{"2 row pointers for 2 rows"}},
		{"late start", 1, 1, []int64{1, 1}, []int32{0}, one, []string{"row pointer 0 is 1"}},
		{"decrease", 2, 1, []int64{0, 1, 0}, []int32{0}, one, []string{"row pointer 2 is 0"}},
		{"overrun inside", 2, 1, []int64{0, 5, 1}, []int32{0}, one, []string{"row pointer 2 is 1"}},
		{"overrun", 1, 1, []int64{0, 2}, []int32{0}, one, []string{"last row pointer is 2"}},
		{"unlike lengths", 1, 1, []int64{0, 1}, []int32{0}, nil, []string{"1 column indices but 0 values"}},
		{"column too large", 2, 3, []int64{0, 0, 1}, []int32{3}, one, []string{"row 1, position 0", "column 3", "0..2"}},
		{"column negative", 1, 3, []int64{0, 1}, []int32{-1}, one, []string{"row 0, position 0", "column -1"}},
		{
			"repeated", 1, 3, []int64{0, 2}, []int32{1, 1}, []float64{1, 2},
			[]string{"row 0, position 1", "column 1 follows column 1"},
		},
		{
			"unsorted", 1, 3, []int64{0, 2}, []int32{2, 1}, []float64{1, 2},
			[]string{"row 0, position 1", "column 1 follows column 2"},
		},
		{"NaN", 1, 3, []int64{0, 2}, []int32{1, 2}, []float64{1, math.NaN()}, []string{"row 0, position 1", "NaN"}},
		{"Inf", 1, 3, []int64{0, 1}, []int32{1}, []float64{math.Inf(-1)}, []string{"-Inf is not finite"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.rows, tt.cols, tt.ptr, tt.idx, tt.val)
			sparsetest.CheckError(t, err, append(tt.want, "sparse: ")...)
		})
	}
}

func TestFromTriplets(t *testing.T) {
	a, err := FromTriplets(3, 2, []Triplet{{2, 1, 4}, {0, 1, 2}, {2, 0, -3}})
	sparsetest.Must(t, err)
	if diff := cmp.Diff([][]float64{{0, 2}, {0, 0}, {-3, 4}}, sparsetest.Dense(a)); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		entries []Triplet
		want    string
	}{
		{[]Triplet{{0, 0, 1}, {1, 1, 1}, {0, 0, 2}}, "two entries at (0, 0)"},
		{[]Triplet{{3, 0, 1}}, "entry 0: place (3, 0)"},
		{[]Triplet{{0, -1, 1}}, "entry 0: place (0, -1)"},
		{[]Triplet{{0, 0, math.Inf(1)}}, "+Inf is not finite"},
	} {
		_, err := FromTriplets(3, 2, tt.entries)
		sparsetest.CheckError(t, err, tt.want)
	}
	_, err = FromTriplets(-1, 2, nil)
	sparsetest.CheckError(t, err, "-1 x 2")
}

// randomMatrix returns a matrix with empty rows, empty columns and small integer entries,
// for which every sum of products is exact.
func randomMatrix(seed uint64, rows, cols int) *CSR {
	r := rand.New(rand.NewPCG(seed, 1))
	var entries []Triplet
	for i := range rows {
		if i%5 == 3 {
			continue
		}
		for j := range cols {
			if j%7 != 2 && r.IntN(4) == 0 {
				entries = append(entries, Triplet{i, j, float64(r.IntN(19) - 9)})
			}
		}
	}
	a, err := FromTriplets(rows, cols, entries)
	if err != nil {
		panic(err)
	}
	return a
}

func TestOperationsAgainstDense(t *testing.T) {
	for seed := range uint64(20) {
		rows, cols := int(seed*7%31), int(1+seed*5%23)
		a := randomMatrix(seed, rows, cols)
		d := sparsetest.Dense(a)
		x, y := make([]float64, cols), make([]float64, rows)
		for j := range x {
			x[j] = float64(j%9 - 4)
		}
		for i := range y {
			y[i] = float64(i%5 - 2)
		}
		ax, aty := make([]float64, rows), make([]float64, cols)
		gram, trans := make([][]float64, cols), make([][]float64, cols)
		for j := range cols {
			gram[j], trans[j] = make([]float64, cols), make([]float64, rows)
		}
		for i := range rows {
			for j := range cols {
				ax[i] += d[i][j] * x[j]
				aty[j] += d[i][j] * y[i]
				trans[j][i] = d[i][j]
				for k := range cols {
					gram[j][k] += d[i][j] * d[i][k]
				}
			}
		}
		gotAx, gotAty := slices.Repeat([]float64{99}, rows), slices.Repeat([]float64{99}, cols)
		a.MulVec(gotAx, x)
		a.MulVecTrans(gotAty, y)
		for _, c := range []struct {
			name      string
			got, want any
		}{
			{"MulVec", gotAx, ax}, {"MulVecTrans", gotAty, aty},
			{"Gram", sparsetest.Dense(a.Gram()), gram}, {"Transpose", sparsetest.Dense(a.Transpose()), trans},
		} {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("%d x %d: %s: %s", rows, cols, c.name, diff)
			}
		}
		for _, m := range []*CSR{a.Gram(), a.Transpose()} {
			if _, err := New(m.rows, m.cols, m.ptr, m.idx, m.val); err != nil {
				t.Error(err)
			}
		}
		if !sameBits(a.Transpose().Transpose(), a) {
			t.Errorf("%d x %d: transposing twice changes the matrix", rows, cols)
		}
	}
}

func TestGramIsSymmetricAndDropsZeros(t *testing.T) {
	data := make([]float64, 40*9)
	r := rand.New(rand.NewPCG(3, 3))
	for k := range data {
		data[k] = r.NormFloat64()
	}
	a, err := FromDense(40, 9, data)
	sparsetest.Must(t, err)
	if g := a.Gram(); !sameBits(g, g.Transpose()) {
		t.Error("A'A is not exactly symmetric")
	}
	// The columns are orthogonal: the off-diagonal sums cancel exactly.
	a, err = FromDense(2, 2, []float64{1, 1, 1, -1})
	sparsetest.Must(t, err)
	if g := a.Gram(); g.NNZ() != 2 {
		t.Errorf("A'A of orthogonal columns stores %d entries, want the diagonal only", g.NNZ())
	}
}

// TestGramIsNotFused checks that Gram rounds products and sums one by one. It fails if a
// compiler fuses them (as it may on arm64 or with GOAMD64=v3).
func TestGramIsNotFused(t *testing.T) {
	x := 1 + 0x1p-30
	minusSquare := -(1 + 0x1p-29)
	if math.FMA(x, x, minusSquare) == 0 {
		t.Fatal("the example does not tell fused from separate rounding")
	}
	a, err := FromDense(2, 2, []float64{minusSquare, 1, x, x})
	sparsetest.Must(t, err)
	if g := a.Gram(); g.NNZ() != 2 {
		t.Errorf("A'A = %v, want 0 off the diagonal", sparsetest.Dense(g))
	}
}

func TestStackIdentitySelectScale(t *testing.T) {
	top, err := FromDense(2, 3, []float64{1, 0, 2, 0, 0, 0})
	sparsetest.Must(t, err)
	a, err := Stack(top, Identity(3))
	sparsetest.Must(t, err)
	if diff := cmp.Diff([][]float64{{1, 0, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, sparsetest.Dense(a)); diff != "" {
		t.Error(diff)
	}
	_, err = Stack(top, Identity(2))
	sparsetest.CheckError(t, err, "3 columns on one of 2")

	s, err := a.SelectRows([]int{4, 0, 4, 1})
	sparsetest.Must(t, err)
	if diff := cmp.Diff([][]float64{{0, 0, 1}, {1, 0, 2}, {0, 0, 1}, {0, 0, 0}}, sparsetest.Dense(s)); diff != "" {
		t.Error(diff)
	}
	_, err = a.SelectRows([]int{0, 5})
	sparsetest.CheckError(t, err, "selection 1: row 5", "0..4")

	c, err := s.ScaleColumns([]float64{3, 5, -2})
	sparsetest.Must(t, err)
	if diff := cmp.Diff([][]float64{{0, 0, -2}, {3, 0, -4}, {0, 0, -2}, {0, 0, 0}}, sparsetest.Dense(c)); diff != "" {
		t.Error(diff)
	}
	_, err = s.ScaleColumns([]float64{1, 1, math.Inf(1)})
	sparsetest.CheckError(t, err, "Inf is not finite")
	_, err = s.ScaleColumns([]float64{1})
	sparsetest.CheckError(t, err, "1 column factors for 3 columns")
}

// TestRowsIsAView checks that the rows have the entries of the matrix, at the same addresses.
func TestRowsIsAView(t *testing.T) {
	a := randomMatrix(1, 10, 8)
	r := a.Rows(3, 7)
	if len(r.Ptr) != 5 {
		t.Fatalf("%d pointers for 4 rows", len(r.Ptr))
	}
	for i := range 4 {
		idx, val := a.Row(3 + i)
		rowIdx, rowVal := r.Idx[r.Ptr[i]:r.Ptr[i+1]], r.Val[r.Ptr[i]:r.Ptr[i+1]]
		if !slices.Equal(idx, rowIdx) || !slices.Equal(val, rowVal) {
			t.Errorf("row %d of the block is not row %d of the matrix", i, 3+i)
		} else if len(idx) > 0 && (&idx[0] != &rowIdx[0] || &val[0] != &rowVal[0]) {
			t.Errorf("row %d of the block is a copy", i)
		}
	}
}

func TestDimensionPanics(t *testing.T) {
	a := Identity(3)
	spareMatrix, err := New(2, 1, make([]int64, 3, 10), nil, nil)
	sparsetest.Must(t, err)
	for name, f := range map[string]func(){
		"Rows that end first": func() { a.Rows(3, 2) },
		"Rows beyond":         func() { spareMatrix.Rows(0, 9) },
		"MulVec dst":          func() { a.MulVec(make([]float64, 2), make([]float64, 3)) },
		"MulVec x":            func() { a.MulVec(make([]float64, 3), make([]float64, 4)) },
		"MulVecTrans dst":     func() { a.MulVecTrans(make([]float64, 2), make([]float64, 3)) },
		"Gram":                func() { hugeMatrix(t).Gram() },
		"Identity":            func() { Identity(-1) },
		"Split":               func() { Split(-1, 0, 0) },
		"Split of few":        func() { Split(3, 4, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func hugeMatrix(t *testing.T) *CSR {
	a, err := FromDense(1, 1, []float64{1e200})
	sparsetest.Must(t, err)
	return a
}
