package newton

// Memory estimates what a Finisher takes with a call of Finish, in bytes, for n samples,
// p features and l rows of A: three matrices of order p (the Hessian of the loss, that of
// the whole objective and its factor) and vectors.
func Memory(n, p, l int) int64 {
	const (
		ofSamples, ofFeatures, ofRows = 15, 30, 40
		scratch                       = 2 << 20 // of the Hessian's kernel
	)
	dense := 3 * int64(p) * int64(p)
	return scratch + 8*(dense+ofSamples*int64(n)+ofFeatures*int64(p)+ofRows*int64(l))
}

// WideMemory estimates that of a Wide whose working sets are full, for data of so many
// entries that are cut into so many runs: a copy of the columns of a set, twice while
// it is made, and what Memory says of it.
func WideMemory(n, p, runs int, entries int64) int64 {
	k := min(p, defaultFeatures)
	ofSet := min(entries, int64(n)*int64(k))
	return Memory(n, k, k) + 2*12*ofSet + 8*(5*int64(n)+int64(4+runs)*int64(p))
}

// Admits reports whether so many features are for a Finisher rather than a Wide.
func Admits(p int) bool { return p <= defaultFeatures }
