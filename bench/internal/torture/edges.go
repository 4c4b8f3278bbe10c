package torture

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// coordinateLine is a line of a file of edges or of a matrix.
type coordinateLine struct {
	words  []string
	number int
}

// coordinateText is such a file: its Matrix Market banner, if it has one, and its lines.
type coordinateText struct {
	banner []string // the words, lower case
	lines  []coordinateLine
}

func readCoordinateText(text string) (*coordinateText, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, refusedAt(0)
	}
	c := &coordinateText{}
	for k, line := range strings.Split(text, "\n") {
		words := tokens(line)
		switch {
		case len(words) == 0:
		case k == 0 && strings.EqualFold(words[0], "%%MatrixMarket"):
			for _, w := range words {
				c.banner = append(c.banner, strings.ToLower(w))
			}
		case c.banner != nil && words[0][0] == '%':
		default:
			c.lines = append(c.lines, coordinateLine{words, k + 1})
		}
	}
	if b := c.banner; b != nil && (len(b) != 5 || b[1] != "matrix" || b[2] != "coordinate" ||
		!slices.Contains([]string{"real", "integer", "pattern"}, b[3]) || !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, b[4])) {
		return nil, refusedAt(1)
	}
	return c, nil
}

// edge reads a line as an edge over p features.
func (l coordinateLine) edge(p int) (e graph.Edge, ok bool) {
	if len(l.words) < 2 || len(l.words) > 3 {
		return e, false
	}
	i, okI := whole(l.words[0], int64(p))
	j, okJ := whole(l.words[1], int64(p))
	e = graph.Edge{I: int32(i - 1), J: int32(j - 1), Weight: 1}
	okW := true
	if len(l.words) == 3 {
		e.Weight, okW = number(l.words[2])
	}
	return e, okI && okJ && okW && i > 0 && j > 0 && i != j && e.Weight != 0 && !tooLong(l.words)
}

// tooLong is of whole numbers written with more than 18 digits, which are refused.
func tooLong(words []string) bool { return len(words[0]) > 18 || len(words[1]) > 18 }

// edges reads the lines as a graph. Twice is set if they are wrong in joining a pair
// twice alone.
func (c *coordinateText) edges(p int) (list []graph.Edge, twice bool, err error) {
	if c.banner != nil {
		list, err = c.adjacency(p)
		return list, false, err
	}
	seen := map[[2]int32]bool{}
	var at error
	for _, l := range c.lines {
		e, ok := l.edge(p)
		if !ok {
			return nil, false, cmp.Or(at, refusedAt(l.number))
		}
		pair := [2]int32{min(e.I, e.J), max(e.I, e.J)}
		if seen[pair] && at == nil {
			at = refusedAt(l.number)
		}
		seen[pair] = true
		list = append(list, e)
	}
	return list, at != nil, at
}

// place is one of a matrix.
type place [2]int64

// naiveMatrix is a matrix by its entries.
type naiveMatrix struct {
	rows, cols int64
	value      map[place]float64
}

// header is the size that the first line states.
func (c *coordinateText) header() (size [3]int64, ok bool) {
	if len(c.lines) == 0 || len(c.lines[0].words) != 3 {
		return size, false
	}
	for k, w := range c.lines[0].words {
		v, ok := whole(w, math.MaxInt64)
		if !ok || len(w) > 18 {
			return size, false
		}
		size[k] = v
	}
	return size, true
}

// matrix reads the lines as a matrix.
func (c *coordinateText) matrix() (*naiveMatrix, error) {
	size, ok := c.header()
	field, symmetry := "real", "general"
	if c.banner != nil {
		field, symmetry = c.banner[3], c.banner[4]
	}
	switch {
	case !ok, size[0] > math.MaxInt32, size[1] > math.MaxInt32, symmetry != "general" && size[0] != size[1],
		size[0] > 1<<22 && size[0]/64 > size[2], size[2] != int64(len(c.lines)-1):
		return nil, refusedAt(0)
	}
	m := &naiveMatrix{size[0], size[1], map[place]float64{}}
	for _, l := range c.lines[1:] {
		i, j, v, ok := l.entry(size, field)
		_, twice := m.value[place{i, j}]
		switch {
		case !ok, twice, symmetry != "general" && i < j, symmetry == "skew-symmetric" && i == j:
			return nil, refusedAt(0)
		}
		m.value[place{i, j}] = v
	}
	entries := len(m.value)
	whole := make(map[place]float64, 2*entries)
	for at, v := range m.value {
		whole[at] = v
		if symmetry == "skew-symmetric" {
			v = -v
		}
		if symmetry != "general" && at[0] != at[1] {
			whole[place{at[1], at[0]}] = v
		}
	}
	m.value = whole
	return m, nil
}

// entry reads a line as one of a matrix of that size.
func (l coordinateLine) entry(size [3]int64, field string) (i, j int64, v float64, ok bool) {
	want := 3
	if field == "pattern" {
		want = 2
	}
	if len(l.words) != want || tooLong(l.words) {
		return 0, 0, 0, false
	}
	i, okI := whole(l.words[0], size[0])
	j, okJ := whole(l.words[1], size[1])
	v, okV := 1.0, true
	if want == 3 {
		v, okV = number(l.words[2])
	}
	return i, j, v, okI && okJ && okV && i > 0 && j > 0 && (field != "integer" || v == math.Trunc(v))
}

// adjacency reads a Matrix Market file as a graph over p features.
func (c *coordinateText) adjacency(p int) (list []graph.Edge, err error) {
	m, err := c.matrix()
	if err != nil {
		return nil, err
	}
	if m.rows != m.cols || m.rows != int64(p) {
		return nil, refusedAt(0)
	}
	for at, v := range m.value {
		if m.value[place{at[1], at[0]}] != v {
			return nil, refusedAt(0)
		}
		if at[0] < at[1] && v != 0 {
			list = append(list, graph.Edge{I: int32(at[0] - 1), J: int32(at[1] - 1), Weight: v})
		}
	}
	slices.SortFunc(list, func(a, b graph.Edge) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	return list, nil
}

// differs says where a matrix is not the naive one.
func (m *naiveMatrix) differs(got *sparse.CSR) string {
	rows, cols := got.Dims()
	if int64(rows) != m.rows || int64(cols) != m.cols || got.NNZ() != int64(len(m.value)) {
		return fmt.Sprintf("%d x %d with %d entries, want %d x %d with %d", rows, cols, got.NNZ(), m.rows, m.cols, len(m.value))
	}
	for at, want := range m.value {
		idx, val := got.Row(int(at[0]) - 1)
		k, found := slices.BinarySearch(idx, int32(at[1]-1))
		if !found || !same(val[k], want) {
			return fmt.Sprintf("entry %v is not %v", at, want)
		}
	}
	return ""
}

func differentEdges(got, want []graph.Edge) string {
	if !slices.EqualFunc(got, want, func(a, b graph.Edge) bool { return a.I == b.I && a.J == b.J && same(a.Weight, b.Weight) }) {
		return fmt.Sprintf("edges %v, want %v", got, want)
	}
	return ""
}

// edgeText is a valid file: edges, a matrix, or a Matrix Market file, of p features.
func edgeText(rng *rand.Rand, p int) string {
	banner, field, symmetry := "", "real", "general"
	form := rng.IntN(3)
	if form == 2 {
		field, symmetry = pick(rng, "real", "integer", "pattern"), pick(rng, "general", "symmetric", "skew-symmetric")
		banner = "%%MatrixMarket matrix coordinate " + field + " " + symmetry + "\n" + pick(rng, "", "% a comment\n")
	}
	var lines []string
	seen := map[[2]int]bool{}
	for range rng.IntN(10) {
		i, j := 1+rng.IntN(p), 1+rng.IntN(p)
		if symmetry != "general" {
			i, j = max(i, j), min(i, j)
		}
		value := numeral(rng)
		switch {
		case field == "integer":
			value = fmt.Sprint(rng.IntN(9) - 4)
		case field == "pattern", form == 0 && chance(rng, 2):
			value = ""
		}
		if i == j && form != 1 && symmetry != "symmetric" || seen[[2]int{min(i, j), max(i, j)}] {
			continue
		}
		seen[[2]int{min(i, j), max(i, j)}] = true
		lines = append(lines, fmt.Sprintf("%d %d %s\n", i, j, value))
	}
	if form > 0 {
		banner += fmt.Sprintf("%d %d %d\n", p, p, len(lines))
	} else if len(lines) == 0 {
		banner = "# no edges\n"
	}
	return banner + strings.Join(lines, "")
}

// tryEdges reads one file of edges or of a matrix, in all ways there are.
func tryEdges(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	p := 1 + rng.IntN(8)
	text := damaged(rng, edgeText(rng, p))
	if isCompressed(text) {
		return "refused", badArchive(text, func(r *bytes.Reader) error {
			_, err := graph.ReadConstraint(r, "f", graph.Any, p)
			return err
		})
	}
	file := packed(rng, text)
	c, unreadable := readCoordinateText(text)
	if unreadable != nil {
		c = &coordinateText{}
	}
	switch rng.IntN(3) {
	case 0:
		got, err := graph.ReadEdges(strings.NewReader(file), "f", p)
		want, _, wantErr := c.edges(p)
		wantErr = cmp.Or(unreadable, wantErr)
		if err != nil || wantErr != nil {
			return verdict(text, err, wantErr)
		}
		return accepted(text, differentEdges(got.Edges(), want))
	case 1:
		got, err := sparse.ReadMatrix(strings.NewReader(file), "f")
		want, wantErr := c.matrix()
		if wantErr = cmp.Or(unreadable, wantErr); err != nil || wantErr != nil {
			return verdict(text, err, wantErr)
		}
		return accepted(text, want.differs(got))
	}
	got, err := graph.ReadConstraint(strings.NewReader(file), "f", graph.Any, p)
	list, m, wantErr := c.either(p)
	if wantErr = cmp.Or(unreadable, wantErr); err != nil || wantErr != nil {
		return verdict(text, err, wantErr)
	}
	if m != nil {
		return accepted(text, m.differs(got.A))
	}
	if got.Graph == nil {
		return "", fmt.Errorf("a matrix, want edges %v, file %s", list, quoted(text))
	}
	return accepted(text, differentEdges(got.Graph.Edges(), list))
}

func accepted(text, diff string) (string, error) {
	if diff != "" {
		return "", fmt.Errorf("%s, file %s", diff, quoted(text))
	}
	return "accepted", nil
}

// either reads a file whose kind is not stated, as ReadConstraint documents.
func (c *coordinateText) either(p int) ([]graph.Edge, *naiveMatrix, error) {
	list, twice, noEdges := c.edges(p)
	m, noMatrix := c.matrix()
	size, headed := c.header()
	switch {
	case c.banner != nil && c.banner[4] == "symmetric":
		return list, nil, noEdges
	case noMatrix == nil && c.banner == nil && (noEdges == nil || twice):
		return nil, nil, refusedAt(0) // ambiguous
	case noMatrix == nil && m.cols != int64(p):
		return nil, nil, refusedAt(0)
	case noMatrix == nil:
		return nil, m, nil
	case c.banner != nil:
		return nil, nil, refusedAt(0)
	case noEdges == nil && headed && size[2] > int64(len(c.lines)-1) && size[1] == int64(p):
		return nil, nil, refusedAt(0) // a matrix that was cut
	case noEdges != nil:
		return nil, nil, refusedAt(0)
	}
	return list, nil, nil
}
