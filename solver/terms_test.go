package solver_test

import (
	"reflect"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
)

// TestTerms checks that each penalty and domain of this package becomes the type of package term with the
// same name and fields.
func TestTerms(t *testing.T) {
	w := []float64{1, 2}
	for _, c := range []struct {
		publicPenalty solver.Penalty
		want          term.Penalty
	}{
		{nil, term.L1{}},
		{solver.L1{Lambda: 3, Weights: w}, term.L1{Lambda: 3, Weights: w}},
		{solver.ElasticNet{L1: 3, L2: 4, Weights: w}, term.ElasticNet{L1: 3, L2: 4, Weights: w}},
		{solver.SquaredL2{Lambda: 3}, term.SquaredL2{Lambda: 3}},
		{solver.GroupL2{Lambda: 3, Weights: w}, term.GroupL2{Lambda: 3, Weights: w}},
		{solver.Within{Lower: 3, Upper: 4}, term.Within{Lower: 3, Upper: 4}},
		{&solver.L1{Lambda: 3}, term.L1{Lambda: 3}},
	} {
		if got := term.PenaltyOf(c.publicPenalty); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T is %#v, want %#v", c.publicPenalty, got, c.want)
		}
	}
	for _, c := range []struct {
		publicDomain solver.Domain
		want         term.Set
	}{
		{nil, nil},
		{solver.Box{Lower: w, Upper: w}, term.Box{Lower: w, Upper: w}},
		{solver.Ball{Radius: 3}, term.Ball{Radius: 3}},
		{solver.Nonnegative{}, term.Nonnegative{}},
		{solver.Simplex{Total: 3}, term.Simplex{Total: 3}},
		{&solver.Ball{Radius: 3}, term.Ball{Radius: 3}},
	} {
		if got := term.SetOf(c.publicDomain); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T is %#v, want %#v", c.publicDomain, got, c.want)
		}
	}
}

// Huber, L1 and Box are a caller's own types with the names of types of this package.
type (
	Huber struct{ solver.Huber }
	L1    struct{ solver.L1 }
	Box   struct{ solver.Box }
)

// TestEmbedded checks that package term treats types that embed types of package solver as unknown types,
// because they may replace methods.
func TestEmbedded(t *testing.T) {
	for _, l := range []solver.Loss{Huber{}, &Huber{}} {
		if l := term.LossOf(l); l.Traits().HasConjugate {
			t.Errorf("a loss that embeds Huber is %T", l)
		}
	}
	g := term.PenaltyOf(L1{})
	if _, ok := g.RowPenalty(1); ok {
		t.Errorf("a penalty that embeds L1 is %T", g)
	}
	if s := term.SetOf(Box{}); s.Region(1) != nil {
		t.Errorf("a domain that embeds Box is %T", s)
	}
}

// TestParseLoss checks that ParseLoss accepts the name of each loss, and returns a type of this package,
// which term.LossOf converts to the type of package term with the same name and fields.
func TestParseLoss(t *testing.T) {
	for _, want := range append(term.Losses(0), term.Losses(0.5)...) {
		l, err := solver.ParseLoss(want.String())
		switch {
		case err != nil:
			t.Error(err)
			continue
		case l == nil:
			t.Errorf("ParseLoss has no case for %T", want)
			continue
		case l.String() != want.String():
			t.Errorf("%s is %#v", want, l)
		}
		wantType, gotType := reflect.TypeOf(want), reflect.TypeOf(l)
		if gotType.PkgPath() != reflect.TypeFor[solver.Huber]().PkgPath() || gotType.Name() != wantType.Name() {
			t.Errorf("the loss %s is a %v, want solver.%s", want, gotType, wantType.Name())
		}
		if got := term.LossOf(l); got != want {
			t.Errorf("%#v becomes %#v, want %#v", l, got, want)
		}
	}
	if l := term.LossOf(&solver.Huber{Delta: 0.5}); l != (term.Huber{Delta: 0.5}) {
		t.Errorf("a pointer to a Huber becomes %#v", l)
	}
	if l, _ := solver.ParseLoss("huber:0.5"); l != (solver.Huber{Delta: 0.5}) {
		t.Errorf("huber:0.5 is %#v", l)
	}
	if l, err := solver.ParseLoss("hinge"); l != nil || err == nil {
		t.Errorf("hinge is %#v", l)
	}
}
