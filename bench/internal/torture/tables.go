package torture

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/scas-admm/scas/sparse/graph"
)

// readNaiveTable reads a table of covariances as ReadCovariance documents it.
func readNaiveTable(text string) ([][]float64, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	var rows [][]float64
	for k, line := range strings.Split(text, "\n") {
		words := tokens(strings.NewReplacer(",", " ", ";", " ").Replace(line))
		if len(words) == 0 {
			continue
		}
		var row []float64
		for _, w := range words {
			v, ok := number(w)
			if !ok {
				return nil, refusedAt(0)
			}
			row = append(row, v)
		}
		if len(rows) > 0 && (len(row) != len(rows[0]) || len(rows) == len(rows[0])) {
			return nil, refusedAt(k + 1)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows) != len(rows[0]) {
		return nil, refusedAt(0)
	}
	return rows, checkNaiveTable(rows)
}

// checkNaiveTable refuses what is no covariance.
func checkNaiveTable(rows [][]float64) error {
	const tolerance = 1e-9
	for i := range rows {
		if rows[i][i] < 0 {
			return refusedAt(0)
		}
	}
	for i, row := range rows {
		for j, v := range row {
			size := math.Sqrt(row[i]) * math.Sqrt(rows[j][j])
			if math.Abs(v-rows[j][i]) > tolerance*size || math.Abs(v) > size*(1+tolerance) {
				return refusedAt(0)
			}
		}
	}
	return nil
}

// tableText is a valid table.
func tableText(rng *rand.Rand) string {
	n := 1 + rng.IntN(6)
	entries := make([]string, n*n)
	for i := range n {
		entries[i*n+i] = pick(rng, "1", "1.0", "1e0", "2", "1.5")
		for j := range i {
			entries[i*n+j] = fmt.Sprintf("%.*g", 1+rng.IntN(17), 2*rng.Float64()-1)
			entries[j*n+i] = entries[i*n+j]
		}
	}
	var b strings.Builder
	between := pick(rng, " ", "\t", ",", ";", ", ", "  ")
	for i := range n {
		b.WriteString(strings.Join(entries[i*n:(i+1)*n], between) + pick(rng, "\n", "\n", " \n", "# a comment\n"))
	}
	return b.String()
}

// tryTable reads one table, damaged or not, twice.
func tryTable(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	text := damaged(rng, tableText(rng))
	if isCompressed(text) {
		return "refused", badArchive(text, func(r *bytes.Reader) error {
			_, err := graph.ReadCovariance(r, "f")
			return err
		})
	}
	want, wantErr := readNaiveTable(text)
	got, err := graph.ReadCovariance(strings.NewReader(packed(rng, text)), "f")
	if err != nil || wantErr != nil {
		return verdict(text, err, wantErr)
	}
	if got.Features() != len(want) {
		return accepted(text, fmt.Sprintf("%d features, want %d", got.Features(), len(want)))
	}
	for i, row := range want {
		for j, v := range row {
			if at := got.At(i, j); math.Abs(at-v) > 1e-9*math.Sqrt(want[i][i])*math.Sqrt(want[j][j]) {
				return accepted(text, fmt.Sprintf("entry (%d, %d) is %v, want %v", i, j, at, v))
			}
		}
	}
	return "accepted", nil
}
