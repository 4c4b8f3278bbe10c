package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A survey holds the results of File.Survey.
type survey struct {
	dataSummary // norms of columns are not known if Data has more than DenseFeatures columns
	// Standard deviations of the columns of Data; nil if there are more than DenseFeatures columns.
	deviation []float64
	copies    *sampleCopy // the copied samples; nil when they are no longer needed
}

// Survey reads all rows for the first time. It checks the data, computes statistics of the columns, and
// copies at most the given number of samples, spread evenly over the rows, for SampleProblem and for
// the start of Solve.
func (f *File) Survey(maxSamples int) error {
	n, _ := f.Data.Dims()
	indices := drawIndices(n, f.share(maxSamples))
	copies := f.newSampleCopy(len(indices))
	pieceMoments := make([]*moments, len(f.pieces))
	for k := range pieceMoments {
		pieceMoments[k] = f.newMoments()
	}
	sumsAtZero := make([][3]float64, len(f.pieces)) // for each piece: Σ cᵢφ, Σ cᵢbᵢ and Σ cᵢφ' at x = 0
	largestOffset := make([]float64, len(f.pieces)) // for each piece: the largest |oᵢ|
	hasCounts := f.Loss.Traits().Labels == term.Counts
	errs := make([]error, len(f.pieces))
	f.err = f.teamError(f.eachWindow(func(lo, hi int) error {
		rows.EachPiece(len(f.pieces), f.Threads, lo, hi, func(k, lo, hi int) {
			errs[k] = f.Data.Check(lo, hi)
			if errs[k] != nil {
				return
			}
			pieceMoments[k].add(f, lo, hi)
			for i := lo; i < hi; i++ {
				c, o, b := f.meanWeight(i), f.offsetOf(i), f.label(i)
				if c == 0 {
					continue
				}
				largestOffset[k] = max(largestOffset[k], o, -o)
				sumsAtZero[k][0] += float64(c * f.Loss.Value(o, b))
				if hasCounts {
					sumsAtZero[k][1] += float64(c * b)
					sumsAtZero[k][2] += float64(c * f.Loss.Slope(o, b))
				}
			}
		})
		if bad := slices.IndexFunc(errs, func(err error) bool { return err != nil }); bad >= 0 {
			return errs[bad]
		}
		for ; len(indices) > 0 && indices[0] < hi; indices = indices[1:] {
			copies.add(f, indices[0])
		}
		return f.callStop()
	}))
	f.visits++
	if f.err != nil {
		return f.err
	}
	var totalsAtZero [3]float64
	for k, moments := range pieceMoments {
		for m, v := range sumsAtZero[k] {
			totalsAtZero[m] += v
		}
		if k > 0 {
			pieceMoments[0].merge(moments)
		}
	}
	copies.gather(f.Team)
	// stats is nil if there are more than DenseFeatures columns. This happens only with one rank, and
	// Columns then does not read stats.
	f.Team.CombineColumns(pieceMoments[0].stats)
	f.Team.Sum(totalsAtZero[:])
	f.survey = survey{copies: copies}
	f.survey.sampleCount, f.survey.zeroLoss = int(f.n), totalsAtZero[0]
	f.survey.scale = f.Loss.Traits().Labels.ToleranceUnit(totalsAtZero[0], totalsAtZero[1], totalsAtZero[2])
	f.survey.columns, f.survey.deviation = f.columnsOf(pieceMoments[0])
	f.survey.columns.LargestOffset = f.Team.MaxNumber(slices.Max(largestOffset))
	return nil
}

// Deviations returns the standard deviations √(Σ cᵢ(x_ij − mⱼ)²) of the columns of Data, where mⱼ is the mean
// Σ cᵢx_ij. For a constant column the number is 1. The result is nil if there are more than DenseFeatures
// columns.
func (f *File) Deviations() []float64 { return f.survey.deviation }

// MaxSamples returns how many samples may be copied, so that there is memory for the copies and for solving
// the problem with them. The number is at least 1, and at most half of all samples if there are several.
func (f *File) MaxSamples() int {
	// 28 vectors have an element for each sample. An entry of X takes 12 bytes in Problem.Data, and at
	// most 12 in Problem.Rows.
	const vectorBytes, entryBytes = 28 * 8, 24
	sampleBytes := vectorBytes + float64(entryBytes*(math.Floor(f.nnz/f.n)+1))
	return int(f.Team.MinNumber(max(1,
		min(math.Floor(f.n/2), math.Floor(memoryShare*float64(f.settings.Memory)/sampleBytes)))))
}

// moments are statistics of the columns over some of the rows.
type moments struct {
	stats   *sparse.ColumnStats // nil if there are more than DenseFeatures columns
	largest []float64           // if stats is nil: the largest absolute value of each column
}

func (f *File) newMoments() *moments {
	_, p := f.Data.Dims()
	if p > DenseFeatures {
		return &moments{largest: make([]float64, p)}
	}
	return &moments{stats: sparse.NewColumnStats(p)}
}

// add adds the statistics of rows lo to hi−1.
func (m *moments) add(f *File, lo, hi int) {
	if m.stats != nil {
		m.stats.Add(f.Data, lo, hi, f.omega)
		return
	}
	for i := lo; i < hi; i++ {
		if f.omega(i) == 0 {
			continue
		}
		idx, val := f.Data.Row(i)
		for k, j := range idx {
			m.largest[j] = max(m.largest[j], val[k], -val[k])
		}
	}
}

func (m *moments) merge(addend *moments) {
	for j, v := range addend.largest {
		m.largest[j] = max(m.largest[j], v)
	}
	if m.stats != nil {
		m.stats.Merge(addend.stats)
	}
}

// columnsOf returns gap.Columns, without its field Offset, and the standard deviations of the columns, given
// the moments of all rows.
func (f *File) columnsOf(m *moments) (c gap.Columns, deviation []float64) {
	if m.stats == nil {
		return gap.Columns{LargestEntry: m.largest}, nil
	}
	norm := make([]float64, len(m.stats.StoredMean), f.p)
	for j, mean := range m.stats.StoredMean {
		meanSquare := (m.stats.Square[j] + float64(m.stats.Stored[j]*float64(mean*mean))) / f.totalWeight
		norm[j] = gap.NormOf(meanSquare, m.stats.Largest[j]) * (1 + 1e-9)
	}
	c, deviation = gap.Columns{LargestEntry: m.stats.Largest, Norm: norm}, m.stats.Scale()
	if f.HasOnes {
		c.LargestEntry, c.Norm = append(c.LargestEntry, 1), append(c.Norm, 1+1e-9)
	}
	return c, deviation
}

// A sampleCopy holds samples that were copied into memory.
type sampleCopy struct {
	ptr                     []int64
	idx                     []int32
	val                     []float64
	label, weights, offsets []float64
}

func (f *File) newSampleCopy(m int) *sampleCopy {
	n, _ := f.Data.Dims()
	room := int((float64(f.Data.NNZ())/float64(n)+1)*float64(m)*1.02) + f.p
	return &sampleCopy{
		ptr: make([]int64, 1, m+1), idx: make([]int32, 0, room), val: make([]float64, 0, room),
		label: make([]float64, 0, m),
	}
}

func (t *sampleCopy) add(f *File, i int) {
	if f.leavesOut(i) {
		return
	}
	cols, v := f.Data.Row(i)
	t.idx, t.val = append(t.idx, cols...), append(t.val, v...)
	if f.HasOnes {
		t.idx, t.val = append(t.idx, int32(f.p-1)), append(t.val, 1)
	}
	t.ptr = append(t.ptr, int64(len(t.idx)))
	t.label = append(t.label, f.label(i))
	if f.Weights != nil {
		t.weights = append(t.weights, f.Weights[i])
	}
	if f.Offset != nil {
		t.offsets = append(t.offsets, f.Offset[i])
	}
}

// SampleProblem returns a problem without a penalty for the samples that Survey copied. It returns nil if
// there are none, or if they are no longer needed.
func (f *File) SampleProblem() *Problem {
	p := &Problem{Loss: f.Loss, Threads: f.Threads}
	if !f.subsample(p) {
		return nil
	}
	return p
}

// subsample implements samples.subsample: p gets the samples that Survey copied.
func (f *File) subsample(p *Problem) bool {
	t := f.survey.copies
	if t == nil || len(t.label) == 0 {
		return false
	}
	p.File, p.Team, p.HasOnes, p.Labels, p.Weights, p.Offset = nil, nil, false, t.label, t.weights, t.offsets
	p.setData(must(sparse.New(len(t.label), f.p, t.ptr, t.idx, t.val)))
	return true
}
