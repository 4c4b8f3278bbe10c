package sparse

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// This file has very simple readers of tables and of NPY, NPZ and Matrix Market files. A fuzz test compares
// each of them with the package's reader of the same format.

// naiveTable reads a table with package encoding/csv. The last column holds labels that are numbers. Every
// other column holds numbers or categories. ok is false if the text is not such a table, or if a value is
// missing.
func naiveTable(data []byte) (names []string, x [][]float64, y []float64, ok bool) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil || len(lines) < 2 {
		return nil, nil, nil, false
	}
	head := lines[0]
	p := len(head) - 1
	x, y = make([][]float64, len(lines)-1), make([]float64, len(lines)-1)
	for c := range head {
		if slices.Contains(head[:c], head[c]) {
			return nil, nil, nil, false
		}
		column := make([]string, len(lines)-1)
		for i, row := range lines[1:] {
			if len(row) != len(head) || row[c] == "" ||
				slices.Contains([]string{"na", "n/a", "nan", "null"}, strings.ToLower(row[c])) {
				return nil, nil, nil, false
			}
			column[i] = row[c]
		}
		if c == p {
			for i, s := range column {
				y[i], ok = naiveDecimal(s)
				if !ok {
					return nil, nil, nil, false
				}
			}
			continue
		}
		var features []string
		features, ok = naiveColumn(head[c], column, x)
		if !ok {
			return nil, nil, nil, false
		}
		names = append(names, features...)
	}
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			return nil, nil, nil, false
		}
	}
	return names, x, y, names != nil
}

// naiveColumn appends the features of one column of a table to the rows x, and returns the names of these
// features. ok is false if a reader must refuse the column.
func naiveColumn(name string, column []string, x [][]float64) (names []string, ok bool) {
	if _, isNumber := naiveDecimal(column[0]); isNumber {
		for i, s := range column {
			v, ok := naiveDecimal(s)
			if !ok {
				return nil, false
			}
			x[i] = append(x[i], v)
		}
		return []string{name}, true
	}
	v, err := strconv.ParseFloat(strings.TrimLeft(column[0], "+-"), 64)
	if len(column[0]) > 2 && strings.Index(column[0], ",") > 0 &&
		strings.Trim(column[0], "+-.,0123456789") == "" || err != nil && math.IsInf(v, 0) ||
		err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
		return nil, false
	}
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	for _, value := range slices.Compact(sorted) {
		names = append(names, name+"="+value)
		for i, s := range column {
			x[i] = append(x[i], map[bool]float64{true: 1}[s == value])
		}
	}
	return names, true
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{
		houses, "a,b,y\n1,u,2\n3,v,4\n", "a,\"b\"\"c\",y\r\n\"1\",\"u\nv\",2\r\n", "\ufeffa,y\n-0,1\n",
		"a,y\n1,5,2\n", "a,y\n\"1,5\",2\n",
		"a,y\n1\"2,1\n", "a,y\n\"1\"2,1\n", "a,y\n\"1,1\n", "a,a,y\n1,1,1\n", "a,y\n\n\n1,2", "y\n1\n",
		"a,a=u,y\nu,1,0\n", "0,A\n\",\",0", "a,y\n1e999,1\n", "a,y\nNA,1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		unixText := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // as encoding/csv does within quotes
		for _, s := range []string{" ", "\t", "\r", "\v", "\f"} {
			// encoding/csv keeps blanks around a cell, and this package drops them.
			if bytes.Contains(unixText, []byte(s)) {
				t.Skip()
			}
		}
		if refuseBinary(unixText[:min(len(unixText), blockSize)], "") != nil || bytes.HasPrefix(unixText, []byte("BZh")) {
			t.Skip()
		}
		head, _, _ := bytes.Cut(unixText, []byte("\n"))
		columnCount := strings.Count(string(head), ",") + 1
		names, x, y, ok := naiveTable(unixText)
		d, err := readAs(CSV, bytes.NewReader(unixText), "fuzz",
			&ReadOptions{Regression: true, Table: TableOptions{Label: lastColumnName(unixText, columnCount)}})
		if err != nil && ok && !strings.Contains(err.Error(), "nothing but numbers") &&
			!strings.Contains(err.Error(), "has no name") {
			t.Fatalf("encoding/csv reads %v, %v; here %v", names, x, err)
		}
		if err != nil {
			return
		}
		if !ok {
			t.Fatalf("encoding/csv does not read it; here %v, %v, %v", d.Names, sparsetest.Dense(d.X), d.Labels)
		}
		if !slices.Equal(names, d.Names) || !sameFloats(y, d.Labels) || !sameTable(x, d.X) {
			t.Fatalf("encoding/csv reads %v, %v, %v; here %v, %v, %v", names, x, y, d.Names, sparsetest.Dense(d.X), d.Labels)
		}
		checkCSVRoundTrip(t, d)
	})
}

// lastColumnName returns the name of the last column of a table, or the number of columns as text if
// encoding/csv cannot read the first line.
func lastColumnName(data []byte, columnCount int) string {
	head, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).Read()
	if err != nil {
		return strconv.Itoa(columnCount)
	}
	return head[len(head)-1]
}

func sameTable(want [][]float64, x *CSR) bool {
	got := sparsetest.Dense(x)
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		if !sameFloats(want[i], got[i]) {
			return false
		}
	}
	return true
}

// checkCSVRoundTrip checks that data written as a table are read with the same names, bits and labels.
func checkCSVRoundTrip(t *testing.T, d *Dataset) {
	t.Helper()
	var b bytes.Buffer
	sparsetest.Must(t, Write(&b, CSV, d))
	reread, err := readAs(CSV, bytes.NewReader(b.Bytes()), "written",
		&ReadOptions{Regression: true, Table: TableOptions{Label: d.LabelColumn()}})
	if err != nil {
		t.Fatalf("%q: %v", b.String(), err)
	}
	if !slices.Equal(reread.Names, d.Names) || !sameBits(reread.X, d.X) ||
		!sameFloats(reread.Labels, d.Labels) {
		t.Fatalf("%v, %v became %v, %v by %q",
			d.Names, sparsetest.Dense(d.X), reread.Names, sparsetest.Dense(reread.X), b.String())
	}
}

// naiveNPY reads an array in NumPy's format as a table of numbers. ok is false if NumPy would not write this
// header, if the array does not have two dimensions and one of the five types below, or if a number is not
// finite or not exact in float64.
func naiveNPY(data []byte) (x [][]float64, ok bool) {
	if len(data) < 10 || string(data[:8]) != "\x93NUMPY\x01\x00" {
		return nil, false
	}
	size := int(data[8]) | int(data[9])<<8
	if len(data) < 10+size {
		return nil, false
	}
	var descr, order string
	var n, p int
	head := strings.TrimRight(string(data[10:10+size]), " \n")
	if k, err := fmt.Sscanf(head, "{'descr': '%3s', 'fortran_order': %s 'shape': (%d, %d), }",
		&descr, &order, &n, &p); k != 4 || err != nil {
		return nil, false
	}
	if want := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s 'shape': (%d, %d), }",
		descr, order, n, p); want != head || order != "True," && order != "False," || n < 1 || p < 1 {
		return nil, false
	}
	decodeElement := map[string]func([]byte) *big.Float{
		"<f8": func(b []byte) *big.Float { return bigFloat(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
		">f4": func(b []byte) *big.Float {
			return bigFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		},
		"<i8": func(b []byte) *big.Float {
			return new(big.Float).SetInt64(int64(binary.LittleEndian.Uint64(b)))
		},
		"<u2": func(b []byte) *big.Float {
			return new(big.Float).SetInt64(int64(binary.LittleEndian.Uint16(b)))
		},
		"|i1": func(b []byte) *big.Float { return new(big.Float).SetInt64(int64(int8(b[0]))) },
	}[descr]
	if decodeElement == nil {
		return nil, false
	}
	width := int(descr[2] - '0')
	body := data[10+size:]
	if n > len(body) || p > len(body) || len(body) != n*p*width {
		return nil, false
	}
	x = make([][]float64, n)
	for i := range x {
		for j := range p {
			index := i*p + j
			if order == "True," {
				index = j*n + i
			}
			v := decodeElement(body[index*width:])
			if v == nil {
				return nil, false
			}
			f, accuracy := v.Float64()
			if accuracy != big.Exact {
				return nil, false
			}
			x[i] = append(x[i], f)
		}
	}
	return x, true
}

// bigFloat returns v, or nil for a v that is not finite.
func bigFloat(v float64) *big.Float {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return big.NewFloat(v)
}

func npyFile(descr string, fortran bool, shape string, body ...byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	head += strings.Repeat(" ", 63-(len(head)+10)%64) + "\n"
	return append(append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8)), append([]byte(head), body...)...)
}

func FuzzReadNPY(f *testing.F) {
	var eights []byte
	for _, v := range []float64{1, 0, math.Copysign(0, -1), -2.5, 1e300, 7} {
		eights = binary.LittleEndian.AppendUint64(eights, math.Float64bits(v))
	}
	f.Add(npyFile("<f8", false, "(2, 3)", eights...))
	f.Add(npyFile("<f8", true, "(3, 2)", eights...))
	f.Add(npyFile("<f8", true, "(6, 1)", eights...))
	f.Add(npyFile("<i8", false, "(3, 1)", eights[:24]...))
	f.Add(npyFile(">f4", false, "(1, 4)", eights[:16]...))
	f.Add(npyFile("<u2", true, "(4, 2)", eights[8:24]...))
	f.Add(npyFile("|i1", false, "(4, 2)", 1, 2, 255, 128, 0, 0, 1, 7))
	f.Add(npyFile("|O", false, "(4, 2)", 1, 2))
	f.Add(npyFile("<f8", false, "(99999999999, 99999999)", 1, 2))
	f.Add(npyFile("<f8", false, "(6,)", eights...))
	f.Fuzz(func(t *testing.T, data []byte) {
		want, ok := naiveNPY(data)
		d, err := readAs(NPY, bytes.NewReader(data), "fuzz.npy", &ReadOptions{AnyLabels: true})
		if err != nil {
			if ok {
				t.Fatalf("%v; want %v", err, want)
			}
			return
		}
		if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil {
			t.Fatalf("an invalid matrix: %v", err)
		}
		if ok && !sameTable(want, d.X) {
			t.Fatalf("%v; want %v", sparsetest.Dense(d.X), want)
		}
		if int64(d.X.rows)*int64(d.X.cols) > 1<<20 {
			t.Skip("more than makes a quick test")
		}
		var b bytes.Buffer
		sparsetest.Must(t, Write(&b, NPY, d))
		reread, ok := naiveNPY(b.Bytes())
		if !ok || !sameTable(reread, d.X) {
			t.Fatalf("written %v, by the naive reader %v", sparsetest.Dense(d.X), reread)
		}
	})
}

// zipArchive returns an archive of files; parts are alternately a name and a content.
func zipArchive(t testing.TB, method uint16, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := 0; k < len(parts); k += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[k], Method: method})
		if err == nil {
			_, err = io.WriteString(w, parts[k+1])
		}
		sparsetest.Must(t, err)
	}
	sparsetest.Must(t, z.Close())
	return b.Bytes()
}

// csrParts returns the names and the contents of the files in an archive of a sparse matrix of 4 rows and
// cols columns, as arguments for the function zipArchive.
func csrParts(ptr, idx []byte, cols byte, val []float64) []string {
	var body []byte
	for _, v := range val {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
	}
	shapeOf := func(n int) string { return fmt.Sprintf("(%d,)", n) }
	return []string{
		"indices.npy", string(npyFile("|u1", false, shapeOf(len(idx)), idx...)),
		"indptr.npy", string(npyFile("|u1", false, shapeOf(len(ptr)), ptr...)),
		"shape.npy", string(npyFile("|u1", false, "(2,)", 4, cols)),
		"format.npy", string(npyFile("|S3", false, "()", 'c', 's', 'r')),
		"data.npy", string(npyFile("<f8", false, shapeOf(len(val)), body...)),
		"y.npy", string(npyFile("|i1", false, "(4,)", 1, 255, 1, 255)),
	}
}

// FuzzReadNPZ reads files with arbitrary arrays of a sparse matrix, and compares the results with
// naiveCSR.
func FuzzReadNPZ(f *testing.F) {
	f.Add([]byte{0, 2, 2, 3, 4}, []byte{0, 2, 1, 0}, byte(3), int64(5))
	f.Add([]byte{0, 2, 2, 3, 4}, []byte{2, 0, 1, 0}, byte(3), int64(-1))
	f.Add([]byte{0, 2, 2, 3, 4}, []byte{0, 0, 1, 0}, byte(3), int64(0))
	f.Add([]byte{0, 3, 2, 3, 4}, []byte{0, 2, 1, 0}, byte(3), int64(5))
	f.Add([]byte{0, 0, 0, 0, 0}, []byte{}, byte(0), int64(5))
	f.Fuzz(func(t *testing.T, ptr, idx []byte, cols byte, seed int64) {
		if len(ptr) > 99 || len(idx) > 999 {
			t.Skip()
		}
		val := make([]float64, len(idx))
		for k := range val {
			seed = seed*6364136223846793005 + 1442695040888963407
			val[k] = math.Float64frombits(uint64(seed))
		}
		want, ok := naiveCSR(ptr, idx, int(cols), val)
		d, err := readAs(NPZ, bytes.NewReader(zipArchive(t, zip.Deflate, csrParts(ptr, idx, cols, val)...)), "fuzz.npz", nil)
		if (err == nil) != ok {
			t.Fatalf("%v; a table: %v", err, ok)
		}
		if !ok {
			return
		}
		if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil || !sameTable(want, d.X) {
			t.Fatalf("%v; %v, want %v", err, sparsetest.Dense(d.X), want)
		}
		var b bytes.Buffer
		sparsetest.Must(t, Write(&b, NPZ, d))
		reread, err := readAs(NPZ, &b, "written", nil)
		if err != nil || !sameBits(d.X, reread.X) || !sameFloats(d.Labels, reread.Labels) {
			t.Fatalf("read %+v, then %+v, %v", d, reread, err)
		}
	})
}

// naiveCSR returns a sparse matrix of 4 rows, given by its arrays, as a table of numbers. ok is false if the
// arrays are not valid.
func naiveCSR(ptr, idx []byte, cols int, val []float64) (x [][]float64, ok bool) {
	if len(ptr) != 5 || ptr[0] != 0 || int(ptr[4]) != len(idx) || !slices.IsSorted(ptr) {
		return nil, false
	}
	x = make([][]float64, 4)
	for i := range x {
		x[i] = make([]float64, cols)
		seen := map[byte]bool{}
		for k := ptr[i]; k < ptr[i+1]; k++ {
			j := idx[k]
			if int(j) >= cols || seen[j] || math.IsNaN(val[k]) || math.IsInf(val[k], 0) {
				return nil, false
			}
			seen[j], x[i][j] = true, val[k]
		}
	}
	return x, true
}

// naiveMarket reads a Matrix Market file, or coordinate text, of at most 99 rows and columns as a table of
// numbers. ok is false for any other text.
func naiveMarket(data string) (x [][]float64, ok bool) {
	data = strings.TrimPrefix(data, "\ufeff")
	head, body, _ := strings.Cut(data, "\n")
	head, _, _ = strings.Cut(head, "#")
	words := strings.Fields(strings.ToLower(head))
	isMarket := len(words) > 0 && words[0] == "%%matrixmarket"
	if !isMarket {
		words, body = strings.Fields("%%matrixmarket matrix coordinate real general"), data
	}
	if len(words) != 5 || words[1] != "matrix" {
		return nil, false
	}
	isArray, mirror := words[2] == "array", map[string]float64{"general": 0, "symmetric": 1, "skew-symmetric": -1}[words[4]]
	if !isArray && words[2] != "coordinate" || !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, words[4]) ||
		!slices.Contains([]string{"real", "integer", "pattern"}, words[3]) ||
		isArray && words[3] == "pattern" {
		return nil, false
	}
	var numbers [][]string
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 0 && !(isMarket && f[0][0] == '%') {
			numbers = append(numbers, f)
		}
	}
	width := map[bool]int{true: 2, false: 3}[isArray]
	if len(numbers) == 0 || len(numbers[0]) != width {
		return nil, false
	}
	var size []int
	for _, s := range numbers[0] {
		v, err := strconv.ParseUint(s, 10, 31)
		if err != nil || v > 99 || len(s) > 18 {
			return nil, false
		}
		size = append(size, int(v))
	}
	n, p := size[0], size[1]
	if mirror != 0 && n != p {
		return nil, false
	}
	x = make([][]float64, n)
	set := make([][]bool, n)
	for i := range x {
		x[i], set[i] = make([]float64, p), make([]bool, p)
	}
	var places [][2]int
	for j := range p {
		for i := range n {
			if mirror == 0 || i > j || i == j && mirror > 0 {
				places = append(places, [2]int{i, j})
			}
		}
	}
	if isArray && len(numbers)-1 != len(places) || !isArray && len(numbers)-1 != size[2] {
		return nil, false
	}
	for k, f := range numbers[1:] {
		if !isArray {
			if len(f) != map[bool]int{true: 2, false: 3}[words[3] == "pattern"] {
				return nil, false
			}
			i, err1 := strconv.ParseUint(f[0], 10, 31)
			j, err2 := strconv.ParseUint(f[1], 10, 31)
			place := [2]int{int(i) - 1, int(j) - 1}
			if err1 != nil || err2 != nil || len(f[0]) > 18 || len(f[1]) > 18 ||
				!slices.Contains(places, place) || set[place[0]][place[1]] {
				return nil, false
			}
			set[place[0]][place[1]] = true
			f = f[2:]
			if words[3] == "pattern" {
				f = []string{"1"}
			}
			naivePlace(x, place, mirror, f[0])
			if v, ok := naiveDecimal(f[0]); !ok || words[3] == "integer" && v != math.Trunc(v) {
				return nil, false
			}
			continue
		}
		v, ok := naiveDecimal(f[0])
		if !ok || len(f) != 1 || words[3] == "integer" && v != math.Trunc(v) {
			return nil, false
		}
		if math.Float64bits(v) != 0 { // a zero is left out, because a mirror image -1·0 would be -0
			naivePlace(x, places[k], mirror, f[0])
		}
	}
	return x, true
}

func naivePlace(x [][]float64, place [2]int, mirror float64, s string) {
	v, _ := naiveDecimal(s)
	x[place[0]][place[1]] = v
	if mirror != 0 && place[0] != place[1] {
		x[place[1]][place[0]] = mirror * v
	}
}

// FuzzMatrixMarket compares readMatrix with naiveMarket, and checks that accepted data can be written and
// read.
func FuzzMatrixMarket(f *testing.F) {
	const head = "%%MatrixMarket matrix "
	for _, s := range []string{
		"coordinate real general\n% c\n2 3 2\n1 1 .5\n2 3 -1e9\n",
		"coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 -4\n",
		"coordinate pattern skew-symmetric\n2 2 1\n2 1\n",
		"array real general\n2 2\n1\n2\n-0\n4\n", "array integer symmetric\n2 2\n1\n2\n3\n",
		"array real skew-symmetric\n3 3\n1\n2\n3\n", "array real skew-symmetric\n1 1\n",
		"coordinate real general\n2 2 2\n1 1 1\n1 1 1\n", "array real general\n2 2\n1\n",
		"array real general\n0 5\n", "array real general#c\n0 0", "array real skew-symmetric\n2 2\n0\n",
		"coordinate real symmetric\n2 2 1\n1 2 1\n",
	} {
		f.Add(head + s)
	}
	for _, s := range []string{
		"2 3 2\n1 1 .5\n2 3 -1e9\n", "0 0 0\n", "3 3 1 # c\n\n3 3 0", "1 1 2\n1 1 1\n1 1 1",
		"9 9 99999999\n1 1 1", "1 1\n", "%%MatrixMarket", "%",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		// naiveMarket does not decompress, and it also splits lines at blanks that are not ASCII.
		isPlain := refuseBinary([]byte(data[:min(len(data), blockSize)]), "") == nil &&
			!strings.ContainsFunc(data, func(c rune) bool { return c >= 0x80 })
		want, ok := naiveMarket(data)
		a, err := readMatrix(strings.NewReader(data), "fuzz")
		switch {
		case err != nil && ok && isPlain:
			t.Fatalf("%v; want %v", err, want)
		case err != nil:
			return
		case a.rows > 99 || a.cols > 99:
			t.Skip("larger than the naive reader reads")
		case !ok && isPlain:
			t.Fatalf("the naive reader reads nothing; here %v", sparsetest.Dense(a))
		}
		if _, err := New(a.rows, a.cols, a.ptr, a.idx, a.val); err != nil || isPlain && !sameTable(want, a) {
			t.Fatalf("%v; %v, want %v", err, sparsetest.Dense(a), want)
		}
		var b strings.Builder
		sparsetest.Must(t, Write(&b, MatrixMarket, &Dataset{X: a}))
		if reread, err := readMatrix(strings.NewReader(b.String()), "written"); err != nil || !sameBits(a, reread) {
			t.Fatalf("read %v, then %v, %v", a, reread, err)
		}
	})
}
