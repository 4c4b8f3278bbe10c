package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestFind checks that Load reads the file of the paper's data set if it exists, else the stand-in.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	s := Spec{
		Name: "x", Files: []File{{"x.binary", "x", true}, {"stand-in", "stand-in for x", false}}, Features: 2,
		MakeGraph: func(x *sparse.CSR) (*graph.Graph, error) { return graph.Chain(2), nil },
	}
	if _, err := s.Find(dir); err == nil || !strings.Contains(err.Error(), "x.binary") ||
		!strings.Contains(err.Error(), "stand-in") {
		t.Errorf("nothing there: %v", err)
	}
	for _, c := range []struct {
		file     string
		original bool
	}{{"stand-in", false}, {"x.binary", true}} {
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte("+1 1:1\n-1 2:1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := s.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d.summary.Original != c.original || strings.HasPrefix(d.summary.Origin, "stand-in") == c.original {
			t.Errorf("with %s: original %v, %q", c.file, d.summary.Original, d.summary.Origin)
		}
	}
}
