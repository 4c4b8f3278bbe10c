package torture

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// readNaiveDense reads a dense file of the Matrix Market: the numbers column after column,
// of a symmetric matrix those on and below the diagonal, of a skew-symmetric one below it.
func readNaiveDense(text string) (*naiveMatrix, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	head, body, _ := strings.Cut(text, "\n")
	banner := tokens(strings.ToLower(head))
	if len(banner) != 5 || banner[0] != "%%matrixmarket" || banner[1] != "matrix" || banner[2] != "array" ||
		!slices.Contains([]string{"real", "integer"}, banner[3]) || !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, banner[4]) {
		return nil, refusedAt(0)
	}
	var lines [][]string
	for line := range strings.SplitSeq(body, "\n") {
		if words := tokens(line); len(words) > 0 && words[0][0] != '%' {
			lines = append(lines, words)
		}
	}
	if len(lines) == 0 || len(lines[0]) != 2 || tooLong(lines[0]) {
		return nil, refusedAt(0)
	}
	n, okN := whole(lines[0][0], math.MaxInt32)
	p, okP := whole(lines[0][1], math.MaxInt32)
	if !okN || !okP || n > 1<<22 && n/64 > n*p || banner[4] != "general" && n != p {
		return nil, refusedAt(0)
	}
	m := &naiveMatrix{n, p, map[place]float64{}}
	rest := lines[1:]
	if n == 0 {
		p = 0 // nothing in any column
	}
	for j := range p {
		for i := range n {
			if banner[4] != "general" && i < j || banner[4] == "skew-symmetric" && i == j {
				continue
			}
			if len(rest) == 0 || len(rest[0]) != 1 {
				return nil, refusedAt(0)
			}
			v, ok := number(rest[0][0])
			if rest = rest[1:]; !ok || banner[3] == "integer" && v != float64(int64(v)) && v < 1e18 && v > -1e18 {
				return nil, refusedAt(0)
			}
			m.putDense(i+1, j+1, v, banner[4])
		}
	}
	if len(rest) > 0 {
		return nil, refusedAt(0)
	}
	return m, nil
}

// putDense puts a number where it stands and where the symmetry has it; zeros nowhere,
// but negative ones.
func (m *naiveMatrix) putDense(i, j int64, v float64, symmetry string) {
	if same(v, 0) {
		return
	}
	m.value[place{i, j}] = v
	if symmetry == "skew-symmetric" {
		v = -v
	}
	if symmetry != "general" && i != j {
		m.value[place{j, i}] = v
	}
}

// denseText is a valid dense file.
func denseText(rng *rand.Rand) string {
	symmetry, field := pick(rng, "general", "symmetric", "skew-symmetric"), pick(rng, "real", "real", "integer")
	n, p := rng.IntN(6), rng.IntN(6)
	count := n * p
	switch symmetry {
	case "symmetric":
		p, count = n, n*(n+1)/2
	case "skew-symmetric":
		p, count = n, n*(n-1)/2
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix array %s %s\n%s%d %d\n", field, symmetry, pick(rng, "", "% a comment\n"), n, p)
	for range count {
		value := numeral(rng)
		if field == "integer" {
			value = fmt.Sprint(rng.IntN(9) - 4)
		}
		b.WriteString(value + pick(rng, "\n", "\n", " \n", "\r\n", "\n\n"))
	}
	return b.String()
}

// tryDense reads one dense file, damaged or not, twice.
func tryDense(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	text := damaged(rng, denseText(rng))
	if !strings.Contains(strings.ToLower(text), "array") || isCompressed(text) {
		return "refused", badArchive(text, func(r *bytes.Reader) error {
			_, err := sparse.ReadMatrix(r, "f")
			return err
		})
	}
	want, wantErr := readNaiveDense(text)
	got, err := sparse.ReadMatrix(strings.NewReader(packed(rng, text)), "f")
	if err != nil || wantErr != nil {
		return verdict(text, err, wantErr)
	}
	return accepted(text, want.differs(got))
}
