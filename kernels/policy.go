package kernels

import (
	"slices"

	"github.com/klauspost/cpuid/v2"
)

// A cpu is what the policy looks at.
type cpu struct {
	vendor string
	family int
}

func processor() cpu { return cpu{cpuid.CPU.VendorString, cpuid.CPU.Family} }

// A rule gives processors the kernels that were measured to be best at another
// level than the highest one.
type rule struct {
	cpu
	choices []choice
}

// policy is the table of rules; the first that matches is taken, and kernels it
// does not name run at the highest level. Every level gives the same bits, so a
// wrong entry costs time and nothing else. What is not in the table has not been
// measured: Calibrate does that in a second, and its result goes into
// SCAS_KERNELS.
//
// There is no choice between hardware gathers and single loads: single loads
// were faster or as fast on every shape in which rows fit the caches (see
// insertBlock of package gen for the figures), and they do not suffer from the
// microcode against gather data sampling, whatever its state.
var policy = []rule{
	// Zen 5 has 512-bit data paths, and the highest level won everywhere, in least
	// ns per unit of Calibrate (EPYC, family 26, model 2):
	//
	//	kernel, shape                 avx2   avx512
	//	margins, 14 of 123            0.25   0.24   per nonzero
	//	margins, 75 of 47236          0.42   0.30
	//	gradient, 14 of 123           0.35   0.35
	//	gradient, 75 of 47236         0.46   0.43
	//	dot, 1000                     0.076  0.051  per element
	//	axpy, 1000                    0.080  0.046
	//	slopes, 1000                  2.28   1.13
	//	update, 1000                  0.151  0.092
	//	prox, 1000                    0.334  0.146
	//	innerdense, 14 of 123         39     37     per step
	//	innerbox, 14 of 123           78     69
	//	innerlazy, 14 of 123          27.2   26.4
	//	innerlazy, 75 of 47236        108    97
	//	innerrotated, 128             45     39
	{cpu{"AuthenticAMD", 26}, nil},
}

// defaults applies the policy to the highest set.
func defaults(highest *set, c cpu) *set {
	i := slices.IndexFunc(policy, func(r rule) bool { return r.cpu == c })
	if i < 0 {
		return highest
	}
	mixed, err := highest.with(policy[i].choices)
	if err != nil {
		return highest // a level of the rule is not offered here, as under a purego build
	}
	return mixed
}
