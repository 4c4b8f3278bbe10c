package main

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// remedyLiteral matches a sparse.Remedy in the source of Go: its field, if it is not empty, and its value, if
// this is a literal.
var remedyLiteral = regexp.MustCompile(`\{\s*(?:Field:\s*"(.*?)",\s*)?To:\s*("(?:[^"\\]|\\.)*")?`)

// TestRemediesAreWorded checks that phrases has words for each remedy in the source of the libraries, and
// for no other remedy.
func TestRemediesAreWorded(t *testing.T) {
	used := map[sparse.Remedy]bool{}
	check := func(path string) {
		for _, match := range remedyLiteral.FindAllStringSubmatch(textOf(t, path), -1) {
			r := sparse.Remedy{Field: match[1], To: "?"}
			if match[2] != "" {
				r.To, _ = strconv.Unquote(match[2])
			}
			text, ok := phrase(r)
			switch {
			case !ok:
				t.Errorf("%s: phrases has no words for %+v", path, r)
			case text == r.To && strings.ContainsAny(r.To, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
				t.Errorf("%s: %q may name something of Go: give it words in phrases", path, r.To)
			}
			used[r], used[sparse.Remedy{Field: r.Field, To: "*"}] = true, true
		}
	}
	for _, dir := range []string{"../../../sparse", "../../../solver"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "cmd":
				return fs.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				check(path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for field, byTo := range phrases {
		for value := range byTo {
			if !used[sparse.Remedy{Field: field, To: value}] {
				t.Errorf("phrases words the remedy to set %q to %q, which the libraries do not have", field, value)
			}
		}
	}
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
		{
			&sparse.RemedyError{
				Err:      pkgerr.Errorf("solver", "coupled"),
				Remedies: []sparse.Remedy{{Field: "Problem.Coupling", To: "nil"}},
			},
			"coupled",
		},
		{(&graphCmd{Method: "recipe"}).withComponentAdvice(&graph.ComponentError{
			Penalty: 0.005, Size: 5002, Limit: 5000, Fits: 0.2,
		}, false),
			"--method recipe: penalty 0.005: 5002 features or more would have to be solved together, more than 5000; use another --method"},
		{parseErr, "a.svm:2: too large; give --features a larger number"},
		{pkgerr.Errorf("sparse", "%w", parseErr), "a.svm:2: too large; give --features a larger number"},
		{pkgerr.Errorf("model", "class 3: %w", pkgerr.Errorf("solver", "no step")), "class 3: no step"},
		{&sparse.ParseError{File: "model", Msg: "empty"}, "model: empty"}, // a file with the name of a package
		{fmt.Errorf("at 0.1: %w", &solver.DivergenceError{Start: math.Inf(1)}), "at 0.1: the objective is +Inf at the start already: " +
			"numbers of the data, labels, weights or penalty are too large; scale them"},
		{&graph.ComponentError{Penalty: 0.1, Size: 30, Limit: 30, Fits: 0.2}, "penalty 0.1: more than 5000000 pairs of features would be joined; " +
			"give --penalty 0.2 or more"},
		{fmt.Errorf("reading: %w", remedyErr), "reading: no class: a.svm:2: too large; give --features a larger number; " +
			"give --loss squared if the labels are numbers, correct the label, or leave the row out"},
	} {
		if got := describe(tt.err); got != tt.want {
			t.Errorf("%v:\n%s, want\n%s", tt.err, got, tt.want)
		}
	}
}
