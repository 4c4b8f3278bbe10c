package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/fenchel"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/region"
	"github.com/scas-admm/scas/sparse"
)

// Separated are samples whose α is zero in every dual feasible point. Let nothing hold
// coefficient j in one direction, and let no sample's loss rise along it. Then the equality
// X_j'Cα = 0 is a sum of terms of one sign, so α is zero at every sample with an entry in
// column j. Without these samples more columns may have this property.
type Separated struct {
	Samples []bool
	Columns []bool // whose equality holds exactly once α is zero at Samples
}

// FindSeparated returns the separated samples, nil if there are none. open reports whether
// nothing holds coefficient j above, and below.
func FindSeparated(t *pass.Team, x *sparse.CSR, l fenchel.Loss, labels, coef []float64, open func(j int) (above, below bool)) *Separated {
	n, p := x.Dims()
	s := &Separated{Samples: make([]bool, n), Columns: make([]bool, p)}
	held := make([]float64, 2*p) // 1 if coefficient j is held above, and below from p on
	for j := range p {
		if above, below := open(j); !above || !below {
			held[j], held[p+j] = indicator(!above), indicator(!below)
		}
	}
	any := false
	for s.more(t, x, l, labels, coef, held) {
		any = true
	}
	if !any {
		return nil
	}
	return s
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// more adds the columns that separate the samples left, with their samples, and reports
// whether there were any.
func (s *Separated) more(t *pass.Team, x *sparse.CSR, l fenchel.Loss, labels, coef, held []float64) bool {
	p := len(s.Columns)
	rises := append([]float64(nil), held...) // and where a loss rises
	left := 0                                // directions
	for _, v := range rises {
		left += 1 - int(v)
	}
	if left == 0 {
		return false
	}
	for i := 0; i < len(s.Samples) && left > 0; i++ {
		if s.Samples[i] || coef[i] == 0 {
			continue
		}
		lo, hi := l.Domain(labels[i]) // of φ'
		idx, val := x.Row(i)
		for k, j := range idx {
			up, down := &rises[j], &rises[p+int(j)]
			if val[k] < 0 {
				up, down = down, up
			}
			if val[k] != 0 && hi > 0 && *up == 0 {
				*up = 1
				left--
			}
			if val[k] != 0 && lo < 0 && *down == 0 {
				*down = 1
				left--
			}
		}
	}
	t.Max(rises)
	any := false
	columns := make([]bool, p)
	for j := range columns {
		columns[j] = !s.Columns[j] && (rises[j] == 0 || rises[p+j] == 0)
		s.Columns[j] = s.Columns[j] || columns[j]
		any = any || columns[j]
	}
	for i := range s.Samples {
		idx, val := x.Row(i)
		for k, j := range idx {
			s.Samples[i] = s.Samples[i] || columns[j] && val[k] != 0
		}
	}
	return any
}

// findSeparated is FindSeparated for the coefficients that neither penalty nor domain holds.
func (f *Finisher) findSeparated() *Separated {
	box, ok := f.domain().(region.Box)
	if f.Ridge > 0 || f.rows.all || !ok {
		return nil
	}
	return FindSeparated(f.Team, f.Data, f.Loss, f.Labels, f.Coef, func(j int) (above, below bool) {
		free := !f.rows.touches(j)
		return free && math.IsInf(box.Upper[j], 1), free && math.IsInf(box.Lower[j], -1)
	})
}

// settles reports whether the equality of column j holds exactly.
func (s *Separated) settles(j int) bool { return s != nil && s.Columns[j] }
