package stream

import "github.com/scas-admm/scas/kernels"

// A freeTally adds up X_F'CΦX_F of the free columns F, without a penalty or a ridge, which
// bounds what closes their equalities (newton.Free).
type freeTally struct {
	columns []int32
	place   []int32   // of each column of the data among them, from 1; nil if none is there
	ones    int       // place of the column of ones, from 0; −1 if it is not free
	phi     []float64 // cᵢΦᵢ of a block
	at      []int32   // of a row: places
	value   []float64 // and entries
}

func (s *run) newFreeTally() *freeTally {
	_, p := s.q.Data.Dims()
	f := &freeTally{columns: s.bounder.Free(), ones: -1, phi: make([]float64, s.block)}
	for k, j := range f.columns {
		if int(j) == p {
			f.ones = k
			continue
		}
		if f.place == nil {
			f.place = make([]int32, p)
		}
		f.place[j] = int32(k) + 1
	}
	return f
}

// add adds rows, of which phi is given, to the upper triangle h.
func (f *freeTally) add(h []float64, rows kernels.Rows, phi []float64) {
	k := len(f.columns)
	for i, c := range phi {
		f.at, f.value = f.at[:0], f.value[:0]
		if f.place != nil {
			f.collect(rows, i)
		}
		if f.ones >= 0 {
			f.at, f.value = append(f.at, int32(f.ones)), append(f.value, 1)
		}
		for a, row := range f.at {
			u, out := float64(c*f.value[a]), h[int(row)*k:]
			for b := a; b < len(f.at); b++ {
				out[f.at[b]] += float64(u * f.value[b])
			}
		}
	}
}

// collect takes the free entries of a row, whose columns increase.
func (f *freeTally) collect(rows kernels.Rows, i int) {
	lo, hi := rows.Ptr[i], rows.Ptr[i+1]
	for e, j := range rows.Idx[lo:hi] {
		if k := f.place[j]; k > 0 {
			f.at, f.value = append(f.at, k-1), append(f.value, rows.Val[lo+int64(e)])
		}
	}
}
