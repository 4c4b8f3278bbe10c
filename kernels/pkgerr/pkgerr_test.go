package pkgerr_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels/pkgerr"
)

func TestError(t *testing.T) {
	cause := errors.New("no rows")
	err := pkgerr.Errorf("model", "fold %d: %w", 2, cause)
	if got := err.Error(); got != "model: fold 2: no rows" {
		t.Errorf("Error: %q", got)
	}
	if got := pkgerr.Text(err); got != "fold 2: no rows" {
		t.Errorf("Text: %q", got)
	}
	if outer := fmt.Errorf("a.svm: %w", err); pkgerr.Text(outer) != outer.Error() {
		t.Errorf("Text of an error that wraps an Error: %q", pkgerr.Text(outer))
	}
	if !errors.Is(err, cause) {
		t.Error("the error does not wrap its cause")
	}
}

// TestUsed checks that formats of errors do not begin with the name of a package that calls pkgerr, because
// Text cannot leave out a name that is a part of the format.
func TestUsed(t *testing.T) {
	packagePrefix := regexp.MustCompile(`^"(kernels|sparse|atomicfile|graph|draw|glasso|solver|model): `)
	for _, dir := range []string{"../../kernels", "../../sparse", "../../solver"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				callee, _ := call.Fun.(*ast.SelectorExpr)
				text, _ := call.Args[0].(*ast.BasicLit)
				if callee != nil && text != nil &&
					(callee.Sel.Name == "Errorf" || callee.Sel.Name == "New") &&
					packagePrefix.MatchString(text.Value) {
					t.Errorf("%v: %s: call errorf or pkgerr.Errorf, and leave the name of the package out of the text",
						fset.Position(call.Pos()), text.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
