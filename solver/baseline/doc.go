// Package baseline has the methods that SCAS-ADMM is compared with, each a
// [solver.Method], in a file with its next of kin: those of the paper's experiments
// and some of their successors. They are for the paper's main instance,
// g = lambda|y|₁ with y = A x, equal sample weights and X = R^p, where one clip
// updates y and beta.
package baseline

import "github.com/scas-admm/scas/solver"

// Methods lists all methods, those of package solver first, the default at the head.
func Methods() []solver.Method {
	return append(solver.Methods(),
		SVRG{}, SVRGRestart{}, STOC{}, SA{}, SAIU{}, SAG{}, SAGIU{}, OPG{}, RDA{}, OADM{}, OS1{}, OS2{},
		ASVRG{}, AccSADMM{}, PDFP{}, SVRPDHG{}, ASVRPDHG{}, SDCA{}, Batch{}, BatchCG{}, BatchLinear{}, BatchUzawa{})
}

// ByName returns the method of that name, and whether there is one.
func ByName(name string) (m solver.Method, ok bool) {
	for _, m := range Methods() {
		if m.Info().Name == name {
			return m, true
		}
	}
	return nil, false
}
