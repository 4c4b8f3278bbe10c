package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A basis is the eigenbasis V of a component, in tiles of which one call of a kernel
// takes the product with a vector: calls for every row of some dozens of features take
// longer than what they compute.
type basis struct {
	size, side  int       // of V, and in tiles
	into, outOf []float64 // tiles of V' times a vector, and of V times one
	src, dst    []float64 // whole tiles of vectors
}

const side = kernels.TileSide

// newBasis takes V row by row, a row for each feature.
func newBasis(size int, v []float64) *basis {
	t := (size + side - 1) / side
	b := &basis{size: size, side: t, into: make([]float64, t*t*side*side), outOf: make([]float64, t*t*side*side)}
	b.src, b.dst = make([]float64, t*side), make([]float64, t*side)
	for k := range size {
		for m := range size {
			b.into[b.at(k, m)] = v[k*size+m]
			b.outOf[b.at(m, k)] = v[k*size+m]
		}
	}
	return b
}

// at is where tiles have what the i-th entry of a vector adds to the j-th of its image:
// those of an image's tile follow each other.
func (b *basis) at(i, j int) int {
	return ((j/side)*b.side+i/side)*side*side + i%side*side + j%side
}

// times sets dst to the product of src with tiles.
func (b *basis) times(tiles []float64) {
	clear(b.dst)
	for j := range b.side {
		for i := range b.side {
			at := (j*b.side + i) * side * side
			kernels.AddRows(b.dst[j*side:(j+1)*side], b.src[i*side:min((i+1)*side, b.size)], tiles[at:at+side*side])
		}
	}
}

// component solves for the features of component c, of several.
func (s *Shifted) component(c int, dst, b []float64, shift float64) {
	members, at := s.spec.Members[c], s.spec.Offset[c]
	sigma := s.spec.Sigma[at : at+len(members)]
	v := s.bases[c]
	if v == nil {
		s.fewSolve(members, s.spec.vectors[c], sigma, dst, b, shift)
		return
	}
	for k, j := range members {
		v.src[k] = b[j]
	}
	v.times(v.into)
	for k, sigma := range sigma {
		v.src[k] = v.dst[k] / math.FMA(s.rho, sigma, shift)
	}
	v.times(v.outOf)
	for k, j := range members {
		dst[j] = v.dst[k]
	}
}

// few is the size up to which a component's products are loops here: a kernel, whose
// tiles have 64 columns, would take longer.
const few = 8

// fewSolve is component for one of few features.
func (s *Shifted) fewSolve(members []int32, v, sigma, dst, b []float64, shift float64) {
	size := len(members)
	hat := s.hat[:size]
	clear(hat)
	for k, j := range members {
		row, x := v[k*size:][:size], b[j]
		for m := range hat {
			hat[m] += float64(x * row[m])
		}
	}
	for m, sigma := range sigma {
		hat[m] /= math.FMA(s.rho, sigma, shift)
	}
	for k, j := range members {
		row := v[k*size:][:size]
		var sum float64
		for m, h := range hat {
			sum += float64(row[m] * h)
		}
		dst[j] = sum
	}
}
