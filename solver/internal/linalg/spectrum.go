package linalg

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A Spectrum is the eigendecomposition A'A = V diag(Sigma) V'. V has an orthonormal block for each connected
// component of the features (see Components), and is zero elsewhere.
type Spectrum struct {
	*Components
	Sigma []float64 // eigenvalues; the eigenvalues of component c begin at Offset[c]
	// The block of V for each component, with a row for each feature; nil for a single feature.
	vectors [][]float64
}

func newSpectrum(gram *sparse.CSR, components *Components, interrupt func() error) (*Spectrum, error) {
	p, _ := gram.Dims()
	s := &Spectrum{
		Components: components, Sigma: make([]float64, p),
		vectors: make([][]float64, len(components.Members)),
	}
	for c, m := range s.Members {
		size := len(m)
		block := s.block(gram, m)
		sigma := s.Sigma[s.Offset[c] : s.Offset[c]+size]
		if size == 1 {
			sigma[0] = block[0]
			continue
		}
		values, vectors, err := eigenSymmetric(block, size, interrupt)
		if err != nil {
			return nil, err
		}
		s.vectors[c] = make([]float64, size*size)
		copy(sigma, values)
		for k := range size {
			for i := range size {
				s.vectors[c][k*size+i] = vectors[i*size+k]
			}
		}
	}
	return s, nil
}

// block returns the dense submatrix of A'A for the features in members.
func (s *Spectrum) block(gram *sparse.CSR, members []int32) []float64 {
	size := len(members)
	block := make([]float64, size*size)
	for k, j := range members {
		idx, val := gram.Row(int(j))
		for i, other := range idx {
			block[k*size+int(s.place[other])] = val[i]
		}
	}
	return block
}

// Rotate sets dst = V'src, with V of Spectrum. src has an entry for each feature, and dst an entry for each
// eigenvalue, in the order of Sigma.
func (s *Spectrum) Rotate(dst, src []float64) {
	for c, m := range s.Members {
		entries := dst[s.Offset[c] : s.Offset[c]+len(m)]
		if len(m) == 1 {
			entries[0] = src[m[0]]
			continue
		}
		clear(entries)
		for k, j := range m {
			if v := src[j]; v != 0 {
				kernels.Axpy(v, s.row(c, k), entries)
			}
		}
	}
}

// Unrotate sets dst = V src, with V of Spectrum.
func (s *Spectrum) Unrotate(dst, src []float64) {
	for c, m := range s.Members {
		entries := src[s.Offset[c] : s.Offset[c]+len(m)]
		if len(m) == 1 {
			dst[m[0]] = entries[0]
			continue
		}
		for k, j := range m {
			dst[j] = kernels.Dot(s.row(c, k), entries)
		}
	}
}

// row returns row k of the block that component c has in V of Spectrum.
func (s *Spectrum) row(c, k int) []float64 {
	size := len(s.Members[c])
	return s.vectors[c][k*size : (k+1)*size]
}

// RotateRow adds V'r to dst, with V of Spectrum. r has the entries val at the features idx. If r has an entry
// in component c and mark[c] is not stamp, RotateRow sets mark[c] to stamp and appends c to
// touchedComponents. It returns touchedComponents.
func (s *Spectrum) RotateRow(
	dst []float64, idx []int32, val []float64, touchedComponents []int32, mark []int32, stamp int32,
) []int32 {
	for n, j := range idx {
		c := s.Component[j]
		if mark[c] != stamp {
			mark[c] = stamp
			touchedComponents = append(touchedComponents, c)
		}
		offset, size := s.Offset[c], len(s.Members[c])
		if size == 1 {
			dst[offset] += val[n]
			continue
		}
		kernels.Axpy(val[n], s.row(int(c), int(s.place[j])), dst[offset:offset+size])
	}
	return touchedComponents
}
