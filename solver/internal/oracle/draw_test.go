package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	terms "github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A problem is a random problem in two forms: for the solvers and for the reference.
type problem struct {
	*solver.Problem             // for package solver
	spec            *model.Spec // for package model, to fit Data and Labels; nil to test package solver
	task            task        // for the reference
	relTol          float64     // the requested gap, relative to the objective at x = 0
	notes           []string    // a description of the problem
	scaled          bool        // the columns were multiplied by random factors
	badlyScaled     bool        // the factors of the columns are from 1e-8 to 1e8, not only from 1e-2 to 1e2
	conic           bool        // there is a domain, a group penalty, or a squared penalty with a matrix A
	excuse          string      // why an unproved or inexact answer is accepted; "" for no reason
}

func (p *problem) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *problem) String() string { return strings.Join(p.notes, ", ") }

// A generator draws random problems with n rows and p columns.
type generator struct {
	*rand.Rand
	n, p int
}

func (d generator) chance(p float64) bool { return d.Float64() < p }

// powerOfTen returns 10^u, where u is uniform in [lo, hi].
func (d generator) powerOfTen(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*d.Float64()) }

func draw(t *testing.T, rng *rand.Rand) *problem {
	t.Helper()
	d := generator{rng, 5 + rng.IntN(56), 1 + rng.IntN(12)}
	p := &problem{Problem: &solver.Problem{}, relTol: 1e-6}
	if d.chance(0.5) {
		p.relTol = 1e-9
	}
	p.note("%d x %d, tolerance %g", d.n, d.p, p.relTol)
	d.loss(p)
	d.data(p)
	d.labels(p)
	if d.chance(0.3) {
		p.note("weights")
		p.task.weights = make([]float64, d.n)
		for i := range p.task.weights {
			p.task.weights[i] = []float64{0, 1, 2, d.powerOfTen(-2, 2)}[d.IntN(4)]
		}
		p.task.weights[d.IntN(d.n)] = 1
	}
	forModel := d.chance(0.25)
	if !forModel {
		if d.chance(0.25) {
			p.task.mu = d.powerOfTen(-6, 0)
			p.note("mu %.1e", p.task.mu)
		}
		d.domain(p)
	}
	lambda := d.lambda(p)
	if forModel {
		d.model(t, p, lambda)
	} else {
		d.penalty(t, p, lambda)
	}
	x, err := sparse.FromDense(d.n, len(p.task.rows[0]), flatten(p.task.rows))
	if err != nil {
		t.Fatal(err)
	}
	p.Data, p.Labels, p.SampleWeights, p.L2 = x, p.task.labels, p.task.weights, p.task.mu
	if p.spec != nil { // package model adds an intercept; the task needs a column of ones without a penalty
		for i := range p.task.rows {
			p.task.rows[i] = append(p.task.rows[i], 1)
		}
		for k := range p.task.terms {
			for m := range p.task.terms[k].forms {
				p.task.terms[k].forms[m] = append(p.task.terms[k].forms[m], 0)
			}
		}
	}
	p.task.prepare()
	_, hasGroups := p.Penalty.(solver.GroupL2)
	net, isElasticNet := p.Penalty.(solver.ElasticNet)
	_, isSquaredL2 := p.Penalty.(solver.SquaredL2)
	p.conic = p.Domain != nil || hasGroups || p.Constraint != nil && (isSquaredL2 || isElasticNet && net.L2 > 0)
	return p
}

func flatten(rows [][]float64) (entries []float64) {
	for _, row := range rows {
		entries = append(entries, row...)
	}
	return entries
}

func (d generator) loss(p *problem) {
	losses := solvertest.Losses(d.powerOfTen(-1, 1))
	p.Loss = losses[d.IntN(len(losses))]
	traits := p.lossTraits()
	p.task.loss, p.task.delta = traits.Name, traits.Argument.Value
	p.note("%s", p.task.loss)
}

func (p *problem) lossTraits() terms.Traits { return terms.LossOf(p.Loss).Traits() }

// data draws rows of one of four kinds. It then may make some columns difficult: a multiple of another
// column, empty, constant, or badly scaled.
func (d generator) data(p *problem) {
	kind := d.IntN(4)
	p.note("%s", []string{"dense", "sparse", "integers", "one-hot"}[kind])
	for range d.n {
		row := make([]float64, d.p)
		for j := range row {
			switch kind {
			case 0:
				row[j] = d.NormFloat64()
			case 1:
				if d.chance(0.25) {
					row[j] = d.NormFloat64()
				}
			case 2:
				row[j] = float64(d.IntN(5) - 2)
			}
		}
		if kind == 3 { // a 1 in each group of three columns
			for j := 0; j < d.p; j += 3 {
				row[min(d.p-1, j+d.IntN(3))] = 1
			}
		}
		p.task.rows = append(p.task.rows, row)
	}
	eachRow := func(do func(row []float64)) {
		for _, row := range p.task.rows {
			do(row)
		}
	}
	if d.chance(0.15) && d.p > 1 {
		source := d.IntN(d.p)
		target := (source + 1 + d.IntN(d.p-1)) % d.p
		sign := float64(2*d.IntN(2) - 1)
		p.note("column %d is %+g times %d", target, sign, source)
		eachRow(func(row []float64) { row[target] = sign * row[source] })
	}
	if d.chance(0.1) {
		j := d.IntN(d.p)
		p.note("column %d is empty", j)
		eachRow(func(row []float64) { row[j] = 0 })
	}
	if d.chance(0.2) {
		j := d.IntN(d.p)
		p.note("column %d is constant", j)
		eachRow(func(row []float64) { row[j] = 1 })
	}
	if d.chance(0.25) {
		exponent := []float64{2, 8}[d.IntN(2)]
		p.scaled, p.badlyScaled = true, exponent > 2
		p.note("scales 1e%+g", exponent)
		for j := range d.p {
			scale := d.powerOfTen(-exponent, exponent)
			eachRow(func(row []float64) { row[j] *= scale })
		}
	}
}

func (d generator) labels(p *problem) {
	noise, labelScale := []float64{0, 0.3, 2}[d.IntN(3)], 1.0
	labelKind := p.lossTraits().Labels
	isClassification := labelKind == terms.Classes
	if !isClassification && d.chance(0.2) {
		labelScale = d.powerOfTen(-3, 4)
		p.note("labels times %.1e", labelScale)
	}
	p.note("noise %g", noise)
	x := make([]float64, d.p)
	for j := range x {
		maxAbs := 0.0
		for _, row := range p.task.rows {
			maxAbs = math.Max(maxAbs, math.Abs(row[j]))
		}
		if maxAbs > 0 && d.chance(0.6) {
			x[j] = d.NormFloat64() / maxAbs
		}
	}
	for _, row := range p.task.rows {
		m := noise * d.NormFloat64()
		for j, v := range row {
			m += v * x[j]
		}
		m *= labelScale
		switch {
		case isClassification:
			m = math.Copysign(1, m)
		case labelKind == terms.Counts:
			m = d.poisson(labelScale * math.Exp(m/labelScale))
		}
		p.task.labels = append(p.task.labels, m)
	}
	if isClassification { // both classes must have samples
		p.task.labels[0], p.task.labels[1] = 1, -1
	}
}

// poisson draws a Poisson number with the given mean, by Knuth's method. If the mean is above 100, it
// returns the rounded mean.
func (d generator) poisson(mean float64) (n float64) {
	if mean > 100 {
		return math.Round(mean)
	}
	for product := d.Float64(); product > math.Exp(-mean); product *= d.Float64() {
		n++
	}
	return n
}

func (d generator) domain(p *problem) {
	size := d.powerOfTen(-2, 1)
	switch d.IntN(10) {
	case 0:
		box := solver.NewBox(d.p, math.Inf(-1), math.Inf(1))
		for j := range d.p {
			if d.chance(0.5) {
				box.Lower[j] = -size * float64(d.IntN(3))
			}
			if d.chance(0.5) {
				box.Upper[j] = size * float64(1+d.IntN(2))
			}
		}
		p.Domain, p.task.lower, p.task.upper = box, box.Lower, box.Upper
		p.note("box of %.1e", size)
	case 1:
		p.Domain, p.task.lower = solver.Nonnegative{}, make([]float64, d.p)
		p.note("nonnegative")
	case 2:
		p.Domain, p.task.radius = solver.Ball{Radius: size}, size
		p.note("ball of %.1e", size)
	case 3:
		if d.p > 1 {
			p.Domain, p.task.total = solver.Simplex{Total: size}, size
			p.note("simplex of %.1e", size)
		}
	}
}

// lambda draws the factor of the penalty: 0, or a random multiple of the largest absolute partial derivative
// of the unweighted mean loss at x = 0.
func (d generator) lambda(p *problem) float64 {
	maxGradient, maxRounding := 0.0, 0.0
	slopes := make([]float64, d.n)
	for i, b := range p.task.labels {
		_, slope, _ := p.task.phi(double{}, b)
		slopes[i] = slope.hi
	}
	for j := range d.p {
		sum, absSum := 0.0, 0.0
		for i, row := range p.task.rows {
			sum += row[j] * slopes[i] / float64(d.n)
			absSum += math.Abs(row[j]*slopes[i]) / float64(d.n)
		}
		maxGradient, maxRounding = math.Max(maxGradient, math.Abs(sum)), math.Max(maxRounding, 1e-14*absSum)
	}
	if d.chance(0.04) || maxGradient <= maxRounding {
		p.note("lambda 0")
		return 0
	}
	ratio := d.powerOfTen(-4, 0.2)
	p.note("lambda %.1e of the largest", ratio)
	return ratio * maxGradient
}

// matrix draws A and returns its rows; nil means the identity.
func (d generator) matrix(p *problem) (rows [][]float64) {
	addEdge := func(i, j int) {
		row := make([]float64, d.p)
		row[i], row[j] = 1, []float64{-1, -1, -1, 1}[d.IntN(4)]
		rows = append(rows, row)
	}
	kind := d.IntN(6)
	p.note("A: %s", []string{"identity", "identity", "identity", "chain", "graph", "general"}[kind])
	switch {
	case kind < 3:
		return nil
	case kind == 3:
		for j := range d.p - 1 {
			addEdge(j, j+1)
		}
	case kind == 4 && d.p > 1:
		for range d.IntN(2*d.p) + 1 {
			i, j := d.IntN(d.p), d.IntN(d.p)
			if i != j {
				addEdge(i, j)
			}
		}
	default:
		for range 1 + d.IntN(2*d.p) {
			row := make([]float64, d.p)
			for j := range row {
				if d.chance(0.4) {
					row[j] = d.NormFloat64()
				}
			}
			rows = append(rows, row)
		}
	}
	if d.chance(0.8) || len(rows) == 0 {
		p.note("and I")
		rows = append(rows, identity(d.p)...)
	}
	return rows
}

func identity(p int) (rows [][]float64) {
	for j := range p {
		row := make([]float64, p)
		row[j] = 1
		rows = append(rows, row)
	}
	return rows
}

// factors draws a slice of weights for a penalty. Weights may be 0. The slice may be nil, which means ones.
func (d generator) factors(p *problem, count int) []float64 {
	if !d.chance(0.4) {
		return nil
	}
	w := make([]float64, count)
	for k := range w {
		w[k] = []float64{0, 1, 1, 0.5 + d.Float64()}[d.IntN(4)]
	}
	p.note("factors %.2g", w)
	return w
}

func factor(w []float64, k int) float64 {
	if w == nil {
		return 1
	}
	return w[k]
}

// penalty draws a penalty of package solver and its matrix A.
func (d generator) penalty(t *testing.T, p *problem, lambda float64) {
	rows := d.matrix(p)
	forms := rows
	if rows == nil {
		forms = identity(d.p)
	} else {
		a, err := sparse.FromDense(len(rows), d.p, flatten(rows))
		if err != nil {
			t.Fatal(err)
		}
		p.Constraint = a
	}
	addTerms := func(w []float64, squareFactor float64) {
		for k, form := range forms {
			p.task.terms = append(p.task.terms, term{[][]float64{form}, lambda * factor(w, k), squareFactor})
		}
	}
	switch d.IntN(6) {
	case 0:
		squareFactor := d.powerOfTen(-3, 1) * lambda
		w := d.factors(p, len(forms))
		p.Penalty = solver.ElasticNet{L1: lambda, Weights: w, L2: squareFactor}
		addTerms(w, squareFactor)
		p.note("elastic net")
	case 1:
		p.Penalty = solver.SquaredL2{Lambda: lambda}
		squareFactor := lambda
		lambda = 0
		addTerms(nil, squareFactor)
		p.note("squares")
	case 2:
		var g solver.GroupL2
		g.Lambda = lambda
		order := d.Perm(len(forms))
		for len(order) > 0 {
			k := min(len(order), 1+d.IntN(4))
			if d.chance(0.85) {
				g.Groups = append(g.Groups, order[:k])
			}
			order = order[k:]
		}
		if len(g.Groups) == 0 {
			g.Groups = [][]int{{0}}
		}
		for _, members := range g.Groups {
			group := term{limit: lambda * math.Sqrt(float64(len(members)))}
			for _, m := range members {
				group.forms = append(group.forms, forms[m])
			}
			p.task.terms = append(p.task.terms, group)
		}
		p.Penalty = g
		p.note("groups %v", g.Groups)
	default:
		w := d.factors(p, len(forms))
		p.Penalty = solver.L1{Lambda: lambda, Weights: w}
		addTerms(w, 0)
	}
}

// model draws a model.Spec with an intercept, and perhaps with a graph or offsets.
func (d generator) model(t *testing.T, p *problem, lambda float64) {
	p.note("model with an intercept")
	s := &model.Spec{Loss: p.Loss, Lambda: lambda, Standardize: model.StandardizeOff, SampleWeights: p.task.weights}
	s.RelTol = p.relTol
	ratio, withGraph := 1.0, d.p > 1 && d.chance(0.3)
	if !withGraph {
		s.PenaltyFactors = d.factors(p, d.p)
		if d.chance(0.3) {
			ratio = d.Float64()
			s.Penalty = model.ElasticNet{L1Ratio: ratio}
			p.note("L1 ratio %.2g", ratio)
		}
	} else {
		var pairs [][2]int32
		for j := 1; j < d.p; j++ {
			pairs = append(pairs, [2]int32{int32(d.IntN(j)), int32(j)})
		}
		g, err := graph.FromPairs(d.p, pairs)
		if err != nil {
			t.Fatal(err)
		}
		s.Graph = g
		p.note("a tree")
		for _, e := range pairs {
			row := make([]float64, d.p)
			row[e[0]], row[e[1]] = 1, -1
			p.task.terms = append(p.task.terms, term{forms: [][]float64{row}, limit: lambda})
		}
	}
	for j, form := range identity(d.p) {
		l := lambda * factor(s.PenaltyFactors, j)
		p.task.terms = append(p.task.terms, term{[][]float64{form}, l * ratio, l * (1 - ratio)})
	}
	if d.chance(0.3) && (p.lossTraits().DependsOnResidual || !withGraph) {
		far := []float64{1, 1, 5}[d.IntN(3)]
		p.note("offsets of %g", far)
		p.task.offsets = make([]float64, d.n)
		for i := range p.task.offsets {
			p.task.offsets[i] = far * d.NormFloat64()
		}
		s.Offsets = p.task.offsets
	}
	p.spec = s
}
