package linalg

import (
	"fmt"

	"github.com/scas-admm/scas/sparse"
)

// MaxComponent is the largest number of features of a component whose eigenbasis is computed.
const MaxComponent = 512

// Components has the connected components of the nonzero pattern of A'A.
type Components struct {
	Members   [][]int32 // features of each component
	Offset    []int     // index in Spectrum.Sigma of the first eigenvalue of each component
	Component []int32   // number of the component of each feature
	place     []int32   // position of each feature in its component
}

func newComponents(gram *sparse.CSR) *Components {
	p, _ := gram.Dims()
	s := &Components{Component: make([]int32, p), place: make([]int32, p)}
	for j := range s.Component {
		s.Component[j] = -1
	}
	for feature := range s.Component {
		if s.Component[feature] < 0 {
			s.Members = append(s.Members, s.addComponent(gram, int32(feature)))
		}
	}
	offset := 0
	for _, m := range s.Members {
		s.Offset = append(s.Offset, offset)
		offset += len(m)
		for k, j := range m {
			s.place[j] = int32(k)
		}
	}
	return s
}

// addComponent makes a new component of a feature and all features that are connected with it. It returns
// these features in breadth-first order.
func (s *Components) addComponent(gram *sparse.CSR, feature int32) []int32 {
	id := int32(len(s.Members))
	s.Component[feature] = id
	queue := []int32{feature}
	for k := 0; k < len(queue); k++ {
		idx, _ := gram.Row(int(queue[k]))
		for _, j := range idx {
			if s.Component[j] < 0 {
				s.Component[j] = id
				queue = append(queue, j)
			}
		}
	}
	return queue
}

// LargestSize returns the size of the largest component. coupledCount is the number of components with
// several features.
func (s *Components) LargestSize() (size, coupledCount int) {
	for _, m := range s.Members {
		size = max(size, len(m))
		if len(m) > 1 {
			coupledCount++
		}
	}
	return size, coupledCount
}

// Fill returns the number of nonzeros of X V, where the columns of V are the eigenvectors of A'A. It
// counts the part of V that belongs to a component as dense.
func (s *Components) Fill(x *sparse.CSR) int64 {
	n, _ := x.Dims()
	mark := make([]int, len(s.Members)) // for each component, 1 plus the last row with an entry in it
	var total int64
	for i := range n {
		idx, _ := x.Row(i)
		for _, j := range idx {
			if c := s.Component[j]; mark[c] != i+1 {
				mark[c] = i + 1
				total += int64(len(s.Members[c]))
			}
		}
	}
	return total
}

// String describes the components with several features.
func (s *Components) String() string {
	size, coupledCount := s.LargestSize()
	if coupledCount == 1 {
		return fmt.Sprintf("one component of %d features", size)
	}
	return fmt.Sprintf("%d components of several features, largest %d", coupledCount, size)
}
