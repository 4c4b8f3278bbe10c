package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A basis is the eigenbasis V of a connected component of A'A, stored in tiles of side × side entries. One
// kernel call multiplies a tile by a vector.
type basis struct {
	size, tilesPerRow   int       // order of V; number of tiles in a row of tiles
	tilesVTrans, tilesV []float64 // tiles for products with V', and for products with V
	src, dst            []float64 // vectors, padded to whole tiles
}

const side = kernels.TileSide

// newBasis stores the size × size matrix V in tiles. v holds the rows of V one after the other.
func newBasis(size int, v []float64) *basis {
	t := (size + side - 1) / side
	b := &basis{size: size, tilesPerRow: t}
	b.tilesVTrans, b.tilesV = make([]float64, t*t*side*side), make([]float64, t*t*side*side)
	b.src, b.dst = make([]float64, t*side), make([]float64, t*side)
	for k := range size {
		for m := range size {
			b.tilesVTrans[b.position(k, m)] = v[k*size+m]
			b.tilesV[b.position(m, k)] = v[k*size+m]
		}
	}
	return b
}

// position returns the index of M_ji, the entry in row j and column i, in the tiles for a product M·v. Tiles
// of the same rows of M are adjacent.
func (b *basis) position(i, j int) int {
	return ((j/side)*b.tilesPerRow+i/side)*side*side + i%side*side + j%side
}

// multiply sets b.dst to V b.src or V' b.src. tiles is b.tilesV or b.tilesVTrans.
func (b *basis) multiply(tiles []float64) {
	clear(b.dst)
	for j := range b.tilesPerRow {
		for i := range b.tilesPerRow {
			offset := (j*b.tilesPerRow + i) * side * side
			kernels.AddRows(b.dst[j*side:(j+1)*side], b.src[i*side:min((i+1)*side, b.size)],
				tiles[offset:offset+side*side])
		}
	}
}

// solveComponent sets dst, at the features of component c, to the solution u of (shift I + ρ A'A) u = b. The
// component has several features.
func (s *Shifted) solveComponent(c int, dst, b []float64, shift float64) {
	members, offset := s.spec.Members[c], s.spec.Offset[c]
	sigma := s.spec.Sigma[offset : offset+len(members)]
	v := s.bases[c]
	if v == nil {
		s.solveSmallComponent(members, s.spec.vectors[c], sigma, dst, b, shift)
		return
	}
	for k, j := range members {
		v.src[k] = b[j]
	}
	v.multiply(v.tilesVTrans)
	for k, sigma := range sigma {
		v.src[k] = v.dst[k] / math.FMA(s.rho, sigma, shift)
	}
	v.multiply(v.tilesV)
	for k, j := range members {
		dst[j] = v.dst[k]
	}
}

// smallComponent is the largest number of features of a component for which plain loops are faster than
// tiles.
const smallComponent = 8

// solveSmallComponent does the same as solveComponent by plain loops. sigma has the eigenvalues of the
// component, and v its eigenvectors: a row for each feature, a column for each eigenvalue.
func (s *Shifted) solveSmallComponent(members []int32, v, sigma, dst, b []float64, shift float64) {
	size := len(members)
	eigenCoords := s.eigenCoords[:size]
	clear(eigenCoords)
	for k, j := range members {
		row, x := v[k*size:][:size], b[j]
		for m := range eigenCoords {
			eigenCoords[m] += float64(x * row[m])
		}
	}
	for m, sigma := range sigma {
		eigenCoords[m] /= math.FMA(s.rho, sigma, shift)
	}
	for k, j := range members {
		row := v[k*size:][:size]
		var sum float64
		for m, h := range eigenCoords {
			sum += float64(row[m] * h)
		}
		dst[j] = sum
	}
}
