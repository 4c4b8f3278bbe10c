package graph

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// sharedFile returns the path of a file of the data directory, or skips.
func sharedFile(t testing.TB, parts ...string) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skipf("SCAS_DATA is not set: not reading %s", filepath.Join(parts...))
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// full returns a square matrix row by row.
func full(a *sparse.CSR) []float64 {
	n, _ := a.Dims()
	d := make([]float64, n*n)
	for i := range n {
		idx, val := a.Row(i)
		for k, j := range idx {
			d[i*n+int(j)] = val[k]
		}
	}
	return d
}

// R's glasso 1.11 with thr 1e-12 solved these.
func TestGlassoSachs(t *testing.T) {
	c, err := ReadCovarianceFile(sharedFile(t, "ref", "sachs_cor.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rho       float64
		edges     int
		objective float64
	}{{0.05, 30, 5.49003023206514}, {0.2, 22, 10.7836444158437}} {
		t.Run(fmt.Sprint(tt.rho), func(t *testing.T) {
			want := readTable(t, sharedFile(t, "ref", fmt.Sprintf("sachs_glasso_cor_rho%v_wi.txt", tt.rho)))
			res, err := Glasso(c, GlassoOptions{Penalty: tt.rho})
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for k, got := range full(res.Theta) {
				worst = max(worst, math.Abs(got-want[k]))
				if (got == 0) != (want[k] == 0) {
					t.Errorf("entry %d is %v, want %v: another zero pattern", k, got, want[k])
				}
			}
			t.Logf("largest difference %.2g, gap %.2g, objective off by %.2g, %d steps, %d sweeps", worst, res.Gap, res.Objective-tt.objective, res.Steps, res.Sweeps)
			if worst > 1e-6 || math.Abs(res.Objective-tt.objective) > 1e-9 || len(res.Graph(nil).Edges()) != tt.edges {
				t.Errorf("largest difference %v, objective %v (want %v), %d edges (want %d)", worst, res.Objective, tt.objective, len(res.Graph(nil).Edges()), tt.edges)
			}
		})
	}
}
