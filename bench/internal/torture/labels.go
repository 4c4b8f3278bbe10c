package torture

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// readNaiveLabels reads one number a line.
func readNaiveLabels(text string) ([]float64, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	var labels []float64
	for k, line := range strings.Split(text, "\n") {
		words := tokens(line)
		if len(words) == 0 {
			continue
		}
		v, ok := number(words[0])
		if !ok || len(words) > 1 {
			return nil, refusedAt(k + 1)
		}
		labels = append(labels, v)
	}
	if labels == nil {
		return nil, refusedAt(0)
	}
	return labels, nil
}

// tryLabels reads one file of labels, damaged or not, twice: text, or an array of NumPy.
func tryLabels(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	n := 1 + rng.IntN(9)
	name, text := "f:text", ""
	var want []float64
	var wantErr error
	if chance(rng, 2) {
		a := drawArray(rng, "fffiu", pick(rng, []int{n}, []int{n}, []int{n, 1}, []int{1, n}, []int{2, n})...)
		for range a.count() {
			a.put(drawNumber(rng))
		}
		if chance(rng, 2) {
			a.spoil(rng)
		}
		name, text = "f:y.npy", a.file(rng)
		if want, wantErr = a.values(); wantErr == nil && len(a.shape) == 2 && !slices.Contains(a.shape, 1) {
			wantErr = refusedAt(0)
		}
	} else {
		for range n {
			text += numeral(rng) + pick(rng, "\n", "\n", " # of a row\n", "\n\n", "\r\n")
		}
		if text = damaged(rng, text); isCompressed(text) {
			return "refused", badArchive(text, func(r *bytes.Reader) error {
				_, err := sparse.ReadLabels(r, "f", 0)
				return err
			})
		}
		want, wantErr = readNaiveLabels(text)
	}
	got, err := sparse.ReadLabels(strings.NewReader(packed(rng, text)), name, 0)
	if err != nil || wantErr != nil {
		return verdict(text, err, wantErr)
	}
	if !slices.EqualFunc(got, want, same) {
		return accepted(text, fmt.Sprintf("labels %v, want %v", got, want))
	}
	return "accepted", nil
}
