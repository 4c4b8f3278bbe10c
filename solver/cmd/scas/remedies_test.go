package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestRemediesAreWorded checks that phrases has words for each remedy in the source of the libraries, and
// for no other remedy.
func TestRemediesAreWorded(t *testing.T) {
	used := map[sparse.Remedy]bool{}
	for _, found := range remediesIn(t, "../../../sparse", "../../../solver") {
		r := found.Remedy
		text, ok := phrase(r)
		switch {
		case !ok:
			t.Errorf("%s: phrases has no words for %+v", found.position, r)
		case text == r.To && strings.ContainsAny(r.To, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
			t.Errorf("%s: %q may name something of Go: give it words in phrases", found.position, r.To)
		}
		used[r], used[sparse.Remedy{Field: r.Field, To: "*"}] = true, true
	}
	for field, byTo := range phrases {
		for value := range byTo {
			if !used[sparse.Remedy{Field: field, To: value}] {
				t.Errorf("phrases words the remedy to set %q to %q, which the libraries do not have", field, value)
			}
		}
	}
}

// A foundRemedy is a remedy in the source of the libraries. Field or To is "?" if its value in
// the source is not a literal.
type foundRemedy struct {
	sparse.Remedy
	position token.Position
}

// remediesIn returns the literals of type sparse.Remedy in the directories dirs and below, without commands
// and tests.
func remediesIn(t *testing.T, dirs ...string) (remedies []foundRemedy) {
	t.Helper()
	files := token.NewFileSet()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "cmd":
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if arrayType, ok := literal.Type.(*ast.ArrayType); ok && isRemedy(arrayType.Elt) {
					for _, element := range literal.Elts {
						if entry, ok := element.(*ast.CompositeLit); ok && entry.Type == nil {
							remedies = append(remedies, foundRemedy{remedyOf(entry), files.Position(entry.Pos())})
						}
					}
				}
				if isRemedy(literal.Type) {
					remedies = append(remedies, foundRemedy{remedyOf(literal), files.Position(literal.Pos())})
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(remedies) < len(phrases) {
		t.Fatalf("%d remedies in %v, fewer than the %d phrases", len(remedies), dirs, len(phrases))
	}
	return remedies
}

func isRemedy(e ast.Expr) bool {
	if selector, ok := e.(*ast.SelectorExpr); ok {
		e = selector.Sel
	}
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "Remedy"
}

func remedyOf(literal *ast.CompositeLit) (r sparse.Remedy) {
	for _, element := range literal.Elts {
		field := element.(*ast.KeyValueExpr)
		value := "?"
		if constant, ok := field.Value.(*ast.BasicLit); ok {
			value, _ = strconv.Unquote(constant.Value)
		}
		switch field.Key.(*ast.Ident).Name {
		case "Field":
			r.Field = value
		case "To":
			r.To = value
		}
	}
	return r
}

// TestReworded checks that errors for the user have no names of packages, and that their remedies name
// flags.
func TestReworded(t *testing.T) {
	parseErr := &sparse.ParseError{File: "a.svm", Line: 2, Msg: "too large", Remedies: []sparse.Remedy{
		{Field: "ReadOptions.Features", To: "a larger number"},
		{Field: "ReadOptions.IgnoreBeyond", To: "true"},
	}}
	noClassErr := pkgerr.Errorf("sparse", "no class: %w", parseErr)
	remedyErr := &sparse.RemedyError{Err: noClassErr, Remedies: []sparse.Remedy{
		{Field: "ReadOptions.Regression", To: "true", If: "the labels are numbers"},
		{To: "correct the label"},
		{To: "leave the row out"},
	}}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&sparse.RemedyError{Err: pkgerr.Errorf("solver", "coupled"), Remedies: []sparse.Remedy{{Field: "Problem.Coupling", To: "nil"}}}, "coupled"},
		{refuseRecipe(&graph.ComponentError{Penalty: 0.005, Size: 5002, Limit: 5000, Fits: 0.2}),
			"--method recipe: 5,002 features or more would have to be solved together, more than 5,000; use another --method"},
		{parseErr, "a.svm:2: too large; give --features a larger number"},
		{pkgerr.Errorf("sparse", "%w", parseErr), "a.svm:2: too large; give --features a larger number"},
		{pkgerr.Errorf("model", "class 3: %w", pkgerr.Errorf("solver", "no step")), "class 3: no step"},
		{&sparse.ParseError{File: "model", Msg: "empty"}, "model: empty"}, // a file with the name of a package
		{fmt.Errorf("at 0.1: %w", &solver.DivergenceError{Start: math.Inf(1)}), "at 0.1: the objective is +Inf at the start already: " +
			"numbers of the data, labels, weights or penalty are too large; scale them"},
		{&graph.ComponentError{Penalty: 0.1, Size: 30, Limit: 30, Fits: 0.2}, "penalty 0.1: more than 5,000,000 pairs of features would be joined; " +
			"try --penalty 0.2, which joins no more"},
		{fmt.Errorf("reading: %w", remedyErr), "reading: no class: a.svm:2: too large; give --features a larger number; " +
			"give --loss squared if the labels are numbers, correct the label, or leave the row out"},
	} {
		if got := describe(tt.err); got != tt.want {
			t.Errorf("%v:\n%s, want\n%s", tt.err, got, tt.want)
		}
	}
}
