package newton

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Problem is what the package works with. Its slices are only read.
type Problem struct {
	Data    *sparse.CSR  // X, n × p
	Rows    kernels.Rows // Data as the kernels hold it
	Labels  []float64    // bᵢ
	Weights []float64    // ωᵢ ≥ 0, one of them positive; nil for equal ones
	Loss    term.Loss
	Ridge   float64       // mu ≥ 0
	Joined  float64       // what of it is the penalty's, see Penalise
	A       *quad.Algebra // a matrix or the identity
	Limit   []float64     // lambda times the weight of each row of A, not negative
	Square  []float64     // coefficient of v²/2 of each row v of A x; nil for none
	Groups  [][]int       // disjoint sets of rows whose norm is penalised, by their rows' Limit, in the place of |v|; nil for none
	Domain  term.Region   // nil for R^p
	Threads int           // 0 for GOMAXPROCS; results do not depend on it
	Team    *pass.Team    // others with other samples of the problem; nil for none
	// MaxFeatures is the number of features up to which dense matrices of that
	// order are formed, a few of them; 0 for 2048, and for 4096 in a Wide.
	MaxFeatures int
}

// Pose sets the loss, the penalty and the set of p, the rest of which is there; a nil set is
// R^p. It reports whether the package takes them.
func (p *Problem) Pose(l term.Loss, g term.Penalty, x term.Set) bool {
	p.Loss = l
	if x != nil {
		_, features := p.Data.Dims()
		if p.Domain = x.Region(features); p.Domain == nil {
			return false
		}
	}
	return l.Traits().Conjugate && p.Penalise(g)
}

// Penalise makes g the penalty of A x, and reports whether the package takes it. With A = I
// the squares join those of x.
func (p *Problem) Penalise(g term.Penalty) bool {
	l, _ := p.A.Dims()
	rows, ok := g.Rows(l)
	if !ok {
		return false
	}
	p.Limit, p.Groups = rows.Limit, rows.Groups
	switch {
	case rows.Square == 0:
	case p.A.Identity():
		p.Joined = rows.Square
		p.Ridge += rows.Square
	default:
		p.Square = slices.Repeat([]float64{rows.Square}, l)
	}
	if b := rows.Within; b != nil {
		if !p.A.Identity() || p.Domain != nil {
			return false
		}
		p.Domain = term.NewBox(l, b.Lower, b.Upper)
	}
	return true
}

// band returns the width of the band that Hessians have, that of X'X + A'A, if it saves
// most of the work and fits where dense matrices would; else that of a full matrix, as
// where the barrier of a ball adds x x' and, whatever their rows, where groups add such
// products.
func (p *Problem) band() int {
	_, features := p.Data.Dims()
	if p.Domain != nil && p.Domain.Outer() || p.Groups != nil {
		return features - 1
	}
	w := int(p.Team.Most(float64(width(p.Data, p.A.Matrix()))))
	if w <= features/bandPart && features*(w+1) <= DenseFeatures*DenseFeatures {
		return w
	}
	return features - 1
}

// bandPart is the part of the features that a band has at most to be worth it: dense
// matrices are factored faster per operation.
const bandPart = 8

// mostDense is the number of features up to which New forms dense matrices.
func (p *Problem) mostDense() int { return cmp.Or(p.MaxFeatures, DenseFeatures) }

// mostWide is the number of columns of a working set.
func (p *Problem) mostWide() int { return cmp.Or(p.MaxFeatures, MostFeatures) }

// Absolute reports whether there is nothing but absolute values and a quadratic.
func (p *Problem) Absolute() bool { return p.Square == nil && p.Groups == nil && p.Domain == nil }

const (
	DenseFeatures = 2048
	// What forming a Hessian may take: so many effective passes, or so many
	// multiplications if those are fewer in seconds.
	maxAssembly, maxProducts = 64, 2e9
)

// What a visit takes at a time.
const blockRows, blockNonzeros = 1 << 10, 1 << 13

// ErrNotApplicable is wrapped by the errors of New.
var ErrNotApplicable = errors.New("newton: not applicable")

// A Finisher is a problem prepared. It is not for concurrent use.
type Finisher struct {
	*Problem
	*pass.Sums
	n, p    int
	block   int // rows that a cache holds
	rows    *penalty
	held    bool // every feature has a row of its own
	columns gap.Columns
	bounds  *gap.Memory
	head    []float64 // X'Cα of the last bound
	apart   *Separated
	tri     triangle // where Hessians are kept
	system  *system
	squares *squares
}

// New prepares a problem; an error that wraps ErrNotApplicable says why it is none
// for this package.
func New(p *Problem) (*Finisher, error) {
	_, features := p.Data.Dims()
	most := p.mostDense()
	switch {
	case features > most && p.band() == features-1:
		return nil, fmt.Errorf("%w: %d features; dense factors are formed up to %d", ErrNotApplicable, features, most)
	case !p.A.Identity() && p.A.Matrix() == nil:
		return nil, fmt.Errorf("%w: A is no matrix", ErrNotApplicable)
	case !p.Loss.Traits().Conjugate:
		return nil, fmt.Errorf("%w: the conjugate of the loss is not known", ErrNotApplicable)
	}
	if passes := p.Assembly(); passes > maxAssembly && passes*p.Team.Total(float64(p.Data.NNZ())) > maxProducts*float64(p.Team.Size()) {
		return nil, fmt.Errorf("%w: forming a Hessian takes as much as %.0f passes over the data", ErrNotApplicable, passes)
	}
	f := prepare(p)
	f.tri = newTriangle(features, p.band())
	f.rows.stride = f.tri.stride
	f.system = newSystem(f.tri, f.threads())
	if !f.tri.banded() {
		f.squares = newSquares(p.Rows, features, f.threads())
	}
	return f, nil
}

// prepare makes all of a Finisher but what is dense in the features.
func prepare(p *Problem) *Finisher {
	n, features := p.Data.Dims()
	f := &Finisher{Problem: p, Sums: pass.NewSums(p.Team, cut(p, features), p.Weights, n, features), n: n, p: features}
	f.block = max(8, min(blockRows, blockNonzeros*n/max(1, int(p.Data.NNZ()))))
	f.rows = &penalty{Rows: gap.NewRows(p.A, p.Limit, p.Square, p.Groups)}
	f.held = f.rows.AllOwn()
	f.columns = gap.ColumnsOf(p.Data, f.Sums, p.Team)
	f.apart = f.findSeparated()
	f.head = make([]float64, features)
	f.pose()
	return f
}

// domain returns that of the problem.
func (f *Finisher) domain() term.Region {
	if f.Domain == nil {
		return term.NewBox(f.p, math.Inf(-1), math.Inf(1))
	}
	return f.Domain
}

// threads returns the number of goroutines.
func (p *Problem) threads() int { return pass.Threads(p.Threads) }

// maxChunks bounds the runs of samples that are added up apart, each of leastChunk
// nonzeros or more.
const maxChunks, leastChunk = 16, 1 << 15

// cut makes runs of samples, more than package pass, so that threads have equal shares.
func cut(p *Problem, features int) pass.Chunks {
	ptr := p.Rows.Ptr
	nnz := ptr[len(ptr)-1]
	return pass.Cut(ptr, int(max(1, min(maxChunks, nnz/max(leastChunk, 16*int64(features))))), p.Threads)
}

// Assembly returns what forming the Hessian of the loss takes, in effective passes:
// its multiplications over those of a gradient.
func (p *Problem) Assembly() float64 {
	n, _ := p.Data.Dims()
	var products float64
	for i := range n {
		idx, _ := p.Data.Row(i)
		k := float64(len(idx))
		products += float64(k * (k + 1) / 2)
	}
	all := []float64{products, float64(p.Data.NNZ())}
	p.Team.Sum(all)
	return all[0] / max(1, all[1])
}
