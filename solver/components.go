package solver

import (
	"fmt"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A spectrum is A'A = V diag(σ) V' by connected components: V couples only the
// features of a component. Rotated coordinates are ordered by component, those
// of component c from offset[c] on.
type spectrum struct {
	sigma   []float64   // in the order of the rotated coordinates
	offset  []int       // of each component
	of      []int32     // component of each feature
	place   []int32     // its place there
	members [][]int32   // features of each component
	vectors [][]float64 // V of each component, row-major, a row per feature; nil if it is alone
}

// componentsOf returns the connected components of the nonzero pattern of a
// symmetric matrix, without vectors.
func componentsOf(gram *sparse.CSR) *spectrum {
	p, _ := gram.Dims()
	s := &spectrum{sigma: make([]float64, p), of: make([]int32, p), place: make([]int32, p)}
	for j := range s.of {
		s.of[j] = -1
	}
	for first := range p {
		if s.of[first] >= 0 {
			continue
		}
		id := int32(len(s.members))
		s.of[first] = id
		queue := []int32{int32(first)}
		for k := 0; k < len(queue); k++ {
			idx, _ := gram.Row(int(queue[k]))
			for _, j := range idx {
				if s.of[j] < 0 {
					s.of[j] = id
					queue = append(queue, j)
				}
			}
		}
		s.members = append(s.members, queue)
	}
	s.vectors = make([][]float64, len(s.members))
	s.offset = make([]int, len(s.members))
	for c, m := range s.members {
		if c > 0 {
			s.offset[c] = s.offset[c-1] + len(s.members[c-1])
		}
		for k, j := range m {
			s.place[j] = int32(k)
		}
	}
	return s
}

// largest returns the size of the largest component and the number of those of
// more than one feature.
func (s *spectrum) largest() (size, coupled int) {
	for _, m := range s.members {
		size = max(size, len(m))
		if len(m) > 1 {
			coupled++
		}
	}
	return size, coupled
}

// fill returns the nonzeros of X V.
func (s *spectrum) fill(x *sparse.CSR) int64 {
	n, _ := x.Dims()
	seen := make([]int, len(s.members))
	var total int64
	for i := range n {
		idx, _ := x.Row(i)
		for _, j := range idx {
			if c := s.of[j]; seen[c] != i+1 {
				seen[c] = i + 1
				total += int64(len(s.members[c]))
			}
		}
	}
	return total
}

// decompose computes σ and V.
func (s *spectrum) decompose(gram *sparse.CSR) {
	for c, m := range s.members {
		size := len(m)
		block := make([]float64, size*size)
		for k, j := range m {
			idx, val := gram.Row(int(j))
			for i, other := range idx {
				block[k*size+int(s.place[other])] = val[i]
			}
		}
		sigma := s.sigma[s.offset[c] : s.offset[c]+size]
		if size == 1 {
			sigma[0] = block[0]
			continue
		}
		values, vectors := eigenSymmetric(block, size)
		s.vectors[c] = make([]float64, size*size)
		copy(sigma, values)
		for k := range size {
			for i := range size {
				s.vectors[c][k*size+i] = vectors[i*size+k]
			}
		}
	}
}

// rotate sets dst = V'src; dst is in the order of the rotated coordinates, src
// in that of the features.
func (s *spectrum) rotate(dst, src []float64) {
	for c, m := range s.members {
		part := dst[s.offset[c] : s.offset[c]+len(m)]
		if len(m) == 1 {
			part[0] = src[m[0]]
			continue
		}
		clear(part)
		for k, j := range m {
			if v := src[j]; v != 0 {
				kernels.Axpy(v, s.row(c, k), part)
			}
		}
	}
}

// unrotate sets dst = V src.
func (s *spectrum) unrotate(dst, src []float64) {
	for c, m := range s.members {
		part := src[s.offset[c] : s.offset[c]+len(m)]
		if len(m) == 1 {
			dst[m[0]] = part[0]
			continue
		}
		for k, j := range m {
			dst[j] = kernels.Dot(s.row(c, k), part)
		}
	}
}

// row returns the row of V for the k-th feature of component c.
func (s *spectrum) row(c, k int) []float64 {
	size := len(s.members[c])
	return s.vectors[c][k*size : (k+1)*size]
}

// rotateRow adds row'V to dst, in the order of the rotated coordinates, and
// appends to touched the components with a mark other than stamp.
func (s *spectrum) rotateRow(dst []float64, idx []int32, val []float64, touched []int32, mark []int32, stamp int32) []int32 {
	for n, j := range idx {
		c := s.of[j]
		if mark[c] != stamp {
			mark[c] = stamp
			touched = append(touched, c)
		}
		at, size := s.offset[c], len(s.members[c])
		if size == 1 {
			dst[at] += val[n]
			continue
		}
		kernels.Axpy(val[n], s.row(int(c), int(s.place[j])), dst[at:at+size])
	}
	return touched
}

func (s *spectrum) describe() string {
	size, coupled := s.largest()
	if coupled == 1 {
		return fmt.Sprintf("one component of %d features", size)
	}
	return fmt.Sprintf("%d components of several features, largest %d", coupled, size)
}
