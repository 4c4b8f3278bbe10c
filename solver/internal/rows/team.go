package rows

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// A Team combines the results of processes, each for its own rows, into results for all rows. Every process
// must call the methods that combine in the same order; a combined result has the same bits in all processes.
// Vectors that are combined element by element must have the same length in all processes. A nil Team is a
// team of one process. If the connection fails, the methods panic with a *Broken.
type Team struct {
	comm    dist.Comm
	hash    uint64    // see addToHash
	message []float64 // buffer for a message of several numbers
}

// Broken is the value with which a Team panics. Rescue turns it into an error.
type Broken struct{ Err error }

func (b *Broken) Error() string { return "the connection of the processes failed: " + b.Err.Error() }

func (b *Broken) Unwrap() error { return b.Err }

// NewTeam returns nil if comm is nil or connects only one process.
func NewTeam(comm dist.Comm) *Team {
	if comm == nil || comm.Size() == 1 {
		return nil
	}
	return &Team{comm: comm, hash: 1}
}

// Alone reports whether there is only one process.
func (t *Team) Alone() bool { return t == nil }

// IfAlone returns ask if there is only one process. With several processes it returns nil: an error of ask
// would end the run of one process only.
func (t *Team) IfAlone(ask func() error) func() error {
	if t == nil {
		return ask
	}
	return nil
}

// Size returns the number of processes.
func (t *Team) Size() int {
	if t == nil {
		return 1
	}
	return t.comm.Size()
}

// Rank returns the number of this process, from 0.
func (t *Team) Rank() int {
	if t == nil {
		return 0
	}
	return t.comm.Rank()
}

// Sum replaces v by the sum of the vectors v of all processes, added in the order of the processes.
func (t *Team) Sum(v []float64) {
	if t == nil || len(v) == 0 {
		return
	}
	t.check(t.comm.AllReduceSum(v))
	t.addToHash(v)
}

// SumWith replaces v as Sum does, and returns the sum of x over all processes. It sends v and x in one
// message.
func (t *Team) SumWith(v []float64, x float64) float64 {
	if t == nil {
		return x
	}
	t.message = append(append(t.message[:0], v...), x)
	t.Sum(t.message)
	copy(v, t.message)
	return t.message[len(v)]
}

// Max replaces each entry of v by its maximum over all processes. With several processes a NaN counts as
// +Inf.
func (t *Team) Max(v []float64) {
	if t == nil || len(v) == 0 {
		return
	}
	for j, x := range v {
		if math.IsNaN(x) {
			v[j] = math.Inf(1)
		}
	}
	t.check(t.comm.AllReduceMax(v))
	t.addToHash(v)
}

func (t *Team) check(err error) {
	if err != nil {
		panic(&Broken{err})
	}
}

// addToHash adds v to t.hash, which Agree compares. Of a long vector it adds at most 4096 entries, to save
// time.
func (t *Team) addToHash(v []float64) {
	const maxEntries, prime = 1 << 12, 0x100000001b3
	h := t.hash ^ uint64(len(v))
	for k := 0; k < len(v); k += 1 + len(v)/maxEntries {
		h = (h ^ math.Float64bits(v[k])) * prime
	}
	t.hash = h
}

// Total returns the sum of v over all processes.
func (t *Team) Total(v float64) float64 {
	sum := [1]float64{v}
	t.Sum(sum[:])
	return sum[0]
}

// Mean returns the total of sum over all processes, divided by the total of count.
func (t *Team) Mean(sum, count float64) float64 {
	totals := [2]float64{sum, count}
	t.Sum(totals[:])
	return totals[0] / totals[1]
}

// MaxNumber returns the maximum of v over all processes.
func (t *Team) MaxNumber(v float64) float64 {
	maximum := [1]float64{v}
	t.Max(maximum[:])
	return maximum[0]
}

// MeanCount returns the mean of a count over all processes, rounded up.
func (t *Team) MeanCount(count int) int {
	return int(math.Ceil(t.Total(float64(count)) / float64(t.Size())))
}

// Join returns the result of NewTeam(comm). data is the shard of this process. Join returns an error if err
// is not nil in some process, or if the shards do not all have the same number of columns.
func Join(comm dist.Comm, data *sparse.CSR, err error) (*Team, error) {
	t, columns := NewTeam(comm), 0
	err = t.CommonError(err)
	if err == nil {
		_, columns = data.Dims()
	}
	if err == nil && t.MinNumber(float64(columns)) != t.MaxNumber(float64(columns)) {
		err = fmt.Errorf("the data have %d columns, and those of other processes another number of them",
			columns)
	}
	return t, err
}

// MinNumber returns the minimum of v over all processes.
func (t *Team) MinNumber(v float64) float64 { return -t.MaxNumber(-v) }

// Gather returns the vectors v of all processes, one after the other in the order of the processes. If there
// is only one process, it returns v itself.
func (t *Team) Gather(v []float64) []float64 {
	if t == nil {
		return v
	}
	offset, total := t.PrefixSums([]float64{float64(len(v))})
	joined := make([]float64, int(total[0]))
	copy(joined[int(offset[0]):], v)
	t.Sum(joined)
	return joined
}

// PrefixSums returns two sums of the vectors v: prefix is the sum over the processes with a smaller rank than
// this one, and total is the sum over all processes.
func (t *Team) PrefixSums(v []float64) (prefix, total []float64) {
	allVectors := make([]float64, t.Size()*len(v))
	start := t.Rank() * len(v)
	copy(allVectors[start:], v)
	t.Sum(allVectors)
	prefix, total = make([]float64, len(v)), make([]float64, len(v))
	for k, x := range allVectors {
		total[k%len(v)] += x
		if k < start {
			prefix[k%len(v)] += x
		}
	}
	return prefix, total
}

// Broadcast returns in all processes the vector v of the process with the given number.
func (t *Team) Broadcast(v []float64, process int) []float64 {
	if t == nil {
		return v
	}
	length := 0
	if t.Rank() == process {
		length = len(v)
	}
	length = int(t.MaxNumber(float64(length)))
	if t.Rank() != process {
		v = make([]float64, length)
	}
	if length > 0 {
		t.check(t.comm.Bcast(v, process))
	}
	return v
}

// Any reports whether holds is true in some process.
func (t *Team) Any(holds bool) bool {
	flag := 0.0
	if holds {
		flag = 1
	}
	return t.MaxNumber(flag) > 0
}

// Agree returns the largest code of all processes. It compares hashes of state, and of all earlier sums and
// maxima, and panics with a *Broken if they differ between processes. A hash of a long vector leaves out some
// of its entries.
func (t *Team) Agree(code float64, state []float64) float64 {
	if t == nil {
		return code
	}
	t.addToHash(state)
	low, high := float64(t.hash&(1<<32-1)), float64(t.hash>>32)
	v := [5]float64{code, low, -low, high, -high}
	t.check(t.comm.AllReduceMax(v[:]))
	if v[1] != -v[2] || v[3] != -v[4] {
		t.check(fmt.Errorf("rows: processes have different numbers for the same sums: they run different programs, or their connection is faulty"))
	}
	return v[0]
}

// SumPairs replaces each number head + tail by its sum over all processes, computed with about twice the
// working precision. It rounds the heads so coarsely that their sum is exact, and adds the remainders to the
// tails (Rump, Ogita, Oishi 2008).
func (t *Team) SumPairs(head, tail []float64) {
	if t == nil {
		return
	}
	largestHead := make([]float64, len(head))
	for j, v := range head {
		largestHead[j] = math.Abs(v)
	}
	t.Max(largestHead)
	for j, size := range largestHead {
		bound := size * float64(2*t.Size())
		_, exp := math.Frexp(bound)
		if sigma := math.Ldexp(1, exp); max(sigma, bound) < math.Inf(1) {
			cut := (head[j] + sigma) - sigma
			tail[j] += head[j] - cut
			head[j] = cut
		}
	}
	t.Sum(head)
	t.Sum(tail)
	for j, h := range head { // makes the tail small compared with the head
		if sum := h + tail[j]; !math.IsInf(sum, 0) {
			tail[j] -= sum - h
			head[j] = sum
		}
	}
}

// upperBuffer is the largest number of matrix entries in a message of SumUpper, unless a single row has more.
const upperBuffer = 1 << 20

// SumUpper replaces the upper triangle of an n × n matrix by its sum over all processes. row returns the
// slice that stores row i from the diagonal on.
func (t *Team) SumUpper(n int, row func(i int) []float64) {
	if t == nil {
		return
	}
	for i := 0; i < n; {
		message := t.message[:0]
		end := i
		for ; end < n && (len(message) == 0 || len(message)+len(row(end)) <= upperBuffer); end++ {
			message = append(message, row(end)...)
		}
		t.Sum(message)
		t.message = message
		for offset := 0; i < end; i++ {
			offset += copy(row(i), message[offset:])
		}
	}
}

// Average replaces each vector by its weighted mean over all processes. weight is the weight of this
// process, which must be positive.
func (t *Team) Average(weight float64, vectors ...[]float64) {
	if t == nil {
		return
	}
	t.message = append(t.message[:0], weight)
	for _, v := range vectors {
		for _, x := range v {
			t.message = append(t.message, x*weight)
		}
	}
	t.Sum(t.message)
	total, offset := t.message[0], 1
	for _, v := range vectors {
		offset += copy(v, t.message[offset:])
		for j := range v {
			v[j] /= total
		}
	}
}

// CombineColumns replaces s, the column statistics of the rows of this process, by the column statistics of
// the rows of all processes (Chan, Golub, LeVeque 1979).
func (t *Team) CombineColumns(s *sparse.ColumnStats) {
	if t == nil {
		return
	}
	t.Max(s.Largest)
	p := len(s.Stored)
	sums := make([]float64, 2*p)
	for j, w := range s.Stored {
		sums[j], sums[p+j] = w, float64(w*s.StoredMean[j])
	}
	s.Rows = t.SumWith(sums, s.Rows)
	for j, w := range s.Stored {
		if total := sums[j]; total > 0 {
			mean := sums[p+j] / total
			d := s.StoredMean[j] - mean
			s.Square[j] += float64(w * float64(d*d))
			s.StoredMean[j] = mean
		}
		s.Stored[j] = sums[j]
	}
	t.Sum(s.Square)
}

// RMSOrOne returns the root mean square of the numbers in v of all processes. It returns 1 if this is 0.
func (t *Team) RMSOrOne(v []float64) float64 {
	if rms := t.rms(v); rms > 0 {
		return rms
	}
	return 1
}

// rms returns the root mean square of the numbers in v of all processes.
func (t *Team) rms(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(t.Mean(sum, float64(len(v))))
}

// Norms returns the largest entry of squares over all processes, and the square root of the mean entry. No
// entry may be negative.
func (t *Team) Norms(squares []float64) (maximum, rms float64) {
	var sum float64
	for _, v := range squares {
		maximum = math.Max(maximum, v)
		sum += v
	}
	return t.MaxNumber(maximum), math.Sqrt(t.Mean(sum, float64(len(squares))))
}

// ErrElsewhere is the error that a process returns if another process has an error.
var ErrElsewhere = errors.New("another process of the team ended with an error, which says why")

// CommonError returns err, or ErrElsewhere if err is nil but another process has an error.
func (t *Team) CommonError(err error) error {
	if t.Any(err != nil) && err == nil {
		return ErrElsewhere
	}
	return err
}

// Rescue must be deferred. If a method of a Team panics with a *Broken, Rescue stores this error in err.
// It does not recover other panics.
func Rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Broken:
		*err = r
	default:
		panic(r)
	}
}
