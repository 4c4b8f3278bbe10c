package solver

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// TestCopyBlocks compares the rows, labels and weights of a batch with those of the file.
func TestCopyBlocks(t *testing.T) {
	synthetic, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: 50, Features: 30, NonzerosPerRow: 3, Seed: 1, Regression: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, synthetic.Dataset); err != nil {
		t.Fatal(err)
	}
	d, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true, Memory: 1 << 20, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if !d.X.Mapped() {
		t.Skip("this system maps no files")
	}
	p := &Problem{Data: d.X, Labels: d.Labels, SampleWeights: make([]float64, 50)}
	for i := range p.SampleWeights {
		p.SampleWeights[i] = float64(i)
	}
	s := &fileSCAS{Run: &Run{Problem: p}, blocks: rows.NewWindows(d.X, 400)}
	if s.blocks.Count() < 4 {
		t.Fatalf("%d blocks", s.blocks.Count())
	}
	var b batch
	for _, blocks := range [][]int{{3, 0, 2}, {1}} { // the second batch uses the memory of the first
		b.copyBlocks(s, blocks)
		k := 0 // index of a row in the batch
		for _, block := range blocks {
			for lo, hi := s.blocks.Range(block); lo < hi; lo++ {
				idx, val := d.X.Row(lo)
				first, end := b.ptr[k], b.ptr[k+1]
				if !slices.Equal(b.idx[first:end], idx) || !slices.Equal(b.val[first:end], val) ||
					b.labels[k] != p.Labels[lo] || b.weights[k] != p.SampleWeights[lo] {
					t.Errorf("row %d of the batch is not row %d of the file", k, lo)
				}
				k++
			}
		}
		if len(b.ptr) != k+1 || len(b.labels) != k || len(b.weights) != k {
			t.Errorf("%d rows, %d labels and %d weights; want %d", len(b.ptr)-1, len(b.labels), len(b.weights), k)
		}
	}
}
