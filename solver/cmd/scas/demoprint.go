package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/graph"
)

// showScores compares the two models on the thirds held out.
func showScores(w *printer, fused, plain []*fit) {
	w.printf("On rows not trained on        fused lasso                 plain lasso\n")
	w.printf("                       lambda  accuracy   loss     lambda  accuracy   loss\n")
	var sumF, sumP score
	line := func(name string, lf, lp string, f, p score) {
		w.printf("  %-18s  %7s  %6.1f %%  %.4f    %7s  %6.1f %%  %.4f\n", name,
			lf, 100*f.accuracy(), f.mean(), lp, 100*p.accuracy(), p.mean())
	}
	for k := range fused {
		f, p := fused[k], plain[k]
		line(fmt.Sprintf("third %d (%d rows)", k+1, f.held.rows), fmt.Sprintf("%.2g", f.lambda), fmt.Sprintf("%.2g", p.lambda), f.held, p.held)
		sumF, sumP = sumF.plus(f.held), sumP.plus(p.held)
	}
	line(fmt.Sprintf("all (%d rows)", sumF.rows), "", "", sumF, sumP)
	w.printf("  %s\n\n", verdict(sumF, sumP))
}

// verdict says who wins, on what, by how much.
func verdict(f, p score) string {
	var loss, accuracy string
	switch d := p.mean() - f.mean(); {
	case d > 0:
		loss = fmt.Sprintf("The fused lasso has the smaller loss (by %.2g)", d)
	case d < 0:
		loss = fmt.Sprintf("The plain lasso has the smaller loss (by %.2g)", -d)
	default:
		loss = "The losses are equal"
	}
	switch d := f.correct - p.correct; {
	case d > 0:
		accuracy = fmt.Sprintf("fused gets %s more right", plural(d, "row"))
	case d < 0:
		accuracy = fmt.Sprintf("plain gets %s more right", plural(-d, "row"))
	default:
		accuracy = "both get as many rows right"
	}
	return loss + "; " + accuracy + "."
}

// A group is a set of features joined by edges with exactly equal coefficients.
type group struct {
	features []int
	value    float64
}

// groups collects the features that the graph fused, the largest group first.
func (s *study) groups(x []float64) ([]group, error) {
	var ties []graph.Edge
	for _, e := range s.graph.Edges() {
		if x[e.I] == x[e.J] {
			ties = append(ties, e)
		}
	}
	tied, err := graph.New(s.graph.Nodes(), ties)
	if err != nil {
		return nil, err
	}
	of, count := tied.Components()
	gs := make([]group, count)
	for j := range s.table.names {
		g := &gs[of[j]]
		g.features, g.value = append(g.features, j), x[j]
	}
	gs = slices.DeleteFunc(gs, func(g group) bool { return g.features == nil }) // the constant
	slices.SortStableFunc(gs, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.features), len(a.features)), cmp.Compare(math.Abs(b.value), math.Abs(a.value)))
	})
	return gs, nil
}

// showCoefficients prints the fused groups, the single features and the zeros.
func (s *study) showCoefficients(w *printer, fused, plain []float64) error {
	groups, err := s.groups(fused)
	if err != nil {
		return err
	}
	p := len(s.table.names)
	row := func(mark, name string, f, p float64) {
		line := fmt.Sprintf("  %s %-26s %12s  %12s", mark, name, coefficient(f), coefficient(p))
		w.printf("%s\n", strings.TrimRight(line, " "))
	}
	w.printf("Coefficients of standardised measurements, third 1 held out (positive speaks\nfor malignant)\n\n")
	w.printf("                                fused lasso   plain lasso\n")
	var zeros []int
	used := 0
	for _, g := range groups {
		if g.value == 0 {
			zeros = append(zeros, g.features...)
			continue
		}
		used++
		for k, j := range g.features {
			row(bracket(k, len(g.features)), s.table.names[j], fused[j], plain[j])
		}
	}
	slices.Sort(zeros)
	var none []string // zero in both models
	for _, j := range zeros {
		if plain[j] == 0 {
			none = append(none, s.table.names[j])
			continue
		}
		row(" ", s.table.names[j], 0, plain[j])
	}
	row(" ", "(intercept)", fused[p], plain[p])
	w.printf("\nBrackets join coefficients that are exactly equal. Fused: %d of %d measurements\nwith %d different coefficients. Plain: %d measurements.\n",
		p-len(zeros), p, used, nonZeros(plain[:p]))
	if len(none) > 0 {
		w.printf("Zero in both: %s.\n", wrap(strings.Join(none, ", "), 78, len("Zero in both: ")))
	}
	return nil
}

// bracket marks line k of n.
func bracket(k, n int) string {
	switch {
	case n == 1:
		return " "
	case k == 0:
		return "┌"
	case k == n-1:
		return "└"
	}
	return "│"
}

func coefficient(v float64) string {
	if v == 0 {
		return "0     "
	}
	return fmt.Sprintf("%.4f", v)
}

// wrap breaks text into lines of at most width, the first shorter by used.
func wrap(text string, width, used int) string {
	var b strings.Builder
	for k, word := range strings.Fields(text) {
		switch {
		case k == 0:
		case used+1+len(word) > width:
			b.WriteByte('\n')
			used = -1
			fallthrough
		default:
			if used >= 0 {
				b.WriteByte(' ')
			}
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String()
}
