// Package baseline provides the methods with which SCAS-ADMM is compared: those in the paper's
// experiments and some of their successors. Each is a [solver.Method]; a file holds a family of
// related methods. They solve the paper's main problem: the penalty lambda|A x|₁, equal sample
// weights, and X = R^p. For this penalty, clipping to [−lambda, lambda] updates y and beta. Read
// STOC and common.go first.
//
// # How to add a method
//
//   - a type that implements [solver.Method], in the file of its family or in a new file,
//     as opg.go; its doc comment gives the recursion and the source, Info its name, rate,
//     memory and the meaning of Eta
//   - Methods, in doc.go: its zero value; this also adds it to the command line and to
//     the benchmarks
//   - data_test.go: its gaps on a9a, from an independent implementation if possible;
//     methods_test.go and the other tests run over all methods
package baseline

import "github.com/scas-admm/scas/solver"

// Methods returns all methods: first the methods of package solver, beginning with the default,
// then those of this package.
func Methods() []solver.Method {
	return append(solver.Methods(),
		SVRG{}, SVRGRestart{}, STOC{}, SA{}, SAIU{}, SAG{}, SAGIU{}, OPG{}, RDA{}, OADM{}, OS1{}, OS2{},
		ASVRG{}, AccSADMM{}, PDFP{}, SVRPDHG{}, ASVRPDHG{}, SDCA{}, Batch{}, BatchCG{}, BatchLinear{}, BatchUzawa{})
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
