package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTile compares AddTile and AddRows at every level with plain loops, also in the elements that they
// must not change.
func TestTile(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for i, rows := range []int{0, 1, 2, 31, 63, 64} {
			rng := rand.New(rand.NewPCG(301, uint64(i)))
			s := sources[i%len(sources)]
			stride := TileSide + i
			h, factors := s.vector(rng, rows*stride+TileSide), s.vector(rng, rows*TileSide)
			panel := s.vector(rng, TileSide*TileSide)
			want, got := slices.Clone(h), slices.Clone(h)
			for r := range rows {
				addRowsPlain(want[r*stride:], factors[r*TileSide:][:TileSide], panel)
			}
			AddTile(got, stride, rows, factors, panel)
			sameVector(t, "AddTile", got, want)
			if rows == TileSide {
				continue
			}
			// AddRows in place: the destination is the row of the panel that follows the added rows.
			rowFactors := s.vector(rng, rows)
			want, got = slices.Clone(panel), slices.Clone(panel)
			addRowsPlain(want[rows*TileSide:], rowFactors, panel)
			AddRows(got[rows*TileSide:], rowFactors, got)
			sameVector(t, "AddRows", got, want)
		}
	})
}

func addRowsPlain(h, t, panel []float64) {
	for q := range TileSide {
		for k, v := range t {
			h[q] = math.FMA(v, panel[k*TileSide+q], h[q])
		}
	}
}
