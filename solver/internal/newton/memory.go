package newton

// Memory estimates what New and Finish, or where there are too many features working
// sets, take beside the problem, in bytes, for data cut into so many runs.
func (p *Problem) Memory(runs int) int64 {
	n, features := p.Data.Dims()
	l, _ := p.A.Dims()
	switch t := newTriangle(features, p.band()); {
	case !p.A.Identity() && p.A.Matrix() == nil:
		return 0
	case t.banded() || features <= DenseFeatures:
		total := finisherMemory(t, n, l)
		if n/sampleShare >= leastSample*features { // see Sampled: parts of the data, one of the other
			total += 12 * p.Data.NNZ() / (sampleShare - 1)
		}
		return total
	case p.Absolute():
		return wideMemory(n, features, l, runs, p.Data.NNZ())
	case features <= MostFeatures:
		return finisherMemory(t, n, l)
	}
	return 0
}

// finisherMemory is that of a Finisher for n samples and l rows of A, with a call of
// Finish: three matrices (the Hessian of the loss, that of the whole objective and its
// factor) and vectors.
func finisherMemory(t triangle, n, l int) int64 {
	const (
		ofSamples, ofFeatures, ofRows = 15, 30, 40
		scratch                       = 2 << 20 // of the Hessian's kernel
	)
	return scratch + 8*(3*int64(t.size())+ofSamples*int64(n)+ofFeatures*int64(t.n)+ofRows*int64(l))
}

// wideMemory is that of a Wide whose working sets are full, for data of so many entries:
// a copy of the columns of a set, twice while it is made, and a Finisher of it.
func wideMemory(n, p, l, runs int, entries int64) int64 {
	k := min(p, DenseFeatures)
	ofSet := min(entries, int64(n)*int64(k))
	return finisherMemory(newTriangle(k, k-1), n, min(l, 2*k)) + 2*12*ofSet + 8*(5*int64(n)+int64(4+runs)*int64(p))
}
