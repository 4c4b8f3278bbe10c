// Package baseline provides the methods with which SCAS-ADMM is compared: the methods in the paper's
// experiments and some of their successors. Each method is a [solver.Method]. A file holds a family of
// related methods. The methods solve the paper's main problem: the penalty lambda|A x|₁, equal sample
// weights, and X = R^p. For this penalty, an update of y directly followed by an update of beta sets
// beta to beta + ρ A x, clipped to [−lambda, lambda]. Read common.go and STOC first.
//
// In the formulas f is the mean loss plus (mu/2)|x|², and ρ is the penalty parameter. ν_f is a Lipschitz
// constant of the gradient of one sample's loss plus (mu/2)|x|², and λ₁ is the largest eigenvalue of A'A
// (NuF and Lambda1 of theory.Constants). A stage is an outer iteration of a method with inner loops: a
// snapshot, if there is one, and the steps after it.
//
// # How to add a method
//
//   - Write a type that implements [solver.Method], in the file of its family or in a new file; OPG in
//     opg.go is an example. base (common.go) has the iterate under the paper's names and the steps that
//     methods share; visit.go draws the samples and has decreasing step sizes. The doc comment of the type
//     states the recursion and the source. OPG's function sweepStep does the same as step, faster, for the
//     usual constraint matrices (sweep.go); a first version does not need it.
//   - Add the zero value of the type to Methods, in doc.go. This also adds the method to the command line
//     and to the benchmarks.
//   - methods_test.go: add the gaps that the method reaches to maxGapsOf in TestMethodsConverge. If its
//     gradients stay noisy, so that only the average of the iterates converges, add it to noisyMethods too.
//   - Add the method to the lists of the tests whose comments hold for it: TestDualBounds (methods_test.go),
//     TestRates, TestFixedPoints, TestSweepsEqualWholeVectors.
//   - naive_test.go: write the recursion again in plain loops, if the method has a new recursion.
//   - data_test.go: add the gaps of the method on a9a, from an independent implementation if possible. This
//     test runs without -short, if SCAS_DATA names the directory of the data sets.
//   - bench/internal/paper/methods.go: add the method to the variable traitsTable, unless the defaults of
//     the function traitsOf are right for it. With them the experiments judge the last iterate, not the
//     average.
//
// To test it: go test -short ./solver/baseline, then go test -short -run Method ./solver/cmd/scas.
package baseline

import "github.com/scas-admm/scas/solver"

// Methods returns all methods: first the methods of package solver, beginning with the default,
// then the methods of this package.
func Methods() []solver.Method {
	return append(solver.Methods(),
		SVRG{}, SVRGRestart{}, STOC{}, SA{}, SAIU{}, SAG{}, SAGIU{}, OPG{}, RDA{}, OADM{}, OS1{}, OS2{},
		ASVRG{}, AccSADMM{}, PDFP{}, SVRPDHG{}, ASVRPDHG{}, SDCA{}, Batch{}, BatchCG{}, BatchLinear{},
		BatchUzawa{})
}

// ByName returns the method with the given name; ok is false if there is none.
func ByName(name string) (m solver.Method, ok bool) {
	for _, m := range Methods() {
		if m.Info().Name == name {
			return m, true
		}
	}
	return nil, false
}
