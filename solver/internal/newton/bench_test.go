package newton

import (
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// BenchmarkFinish is a9a from x = 0 to 1e-11.
func BenchmarkFinish(b *testing.B) {
	x, y := load(b, "paper/a9a.zst", 123)
	for name, edges := range map[string]bool{"A=I": false, "A=[G;I]": true} {
		b.Run(name, func(b *testing.B) {
			p := newProblem(x, y, term.Logistic{}, nil, 1e-5, 0)
			if edges {
				p = newProblem(x, y, term.Logistic{}, readEdges(b, "graphs/a9a_glasso_0.1.edges", 123), 1e-5, 0)
			}
			f := mustNew(b, p)
			for b.Loop() {
				f.Finish(nil, &Settings{Tol: 1e-11})
			}
		})
	}
}
