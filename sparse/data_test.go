package sparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestRealData(t *testing.T) {
	cases := []struct {
		dir, file          string
		rows, cols         int
		nnz                int64 // 0 if not known
		negative, positive int   // 0 if not known
		classes            Classes
		opt                *ReadOptions
	}{
		{"paper", "a9a.zst", 32561, 123, 451592, 24720, 7841, Classes{Values: []float64{-1, 1}}, nil},
		{
			"paper", "a9a.t.zst", 16281, 123, 225731, 12435, 3846, Classes{Values: []float64{-1, 1}},
			&ReadOptions{Features: 123},
		},
		{"paper", "a9a.t.zst", 16281, 122, 225731, 12435, 3846, Classes{Values: []float64{-1, 1}}, nil},
		{
			"paper", "covtype.libsvm.binary.scale.zst", 581012, 54, 6940438, 297711, 283301,
			Classes{Values: []float64{1, 2}}, nil,
		},
		{
			"paper", "rcv1v2_binary_train.libsvm.zst", 20242, 47236, 1517192, 0, 0,
			Classes{Values: []float64{-1, 1}}, &ReadOptions{Features: 47236},
		},
		{
			"paper", "rcv1v2_binary_test.libsvm.zst", 3507, 47236, 266582, 0, 0,
			Classes{Values: []float64{-1, 1}}, &ReadOptions{Features: 47236},
		},
		{
			"paper", "hivfp_train.libsvm.zst", 12678, 4932, 5453485, 12260, 418,
			Classes{Values: []float64{-1, 1}}, &ReadOptions{Features: 4932},
		},
		{
			"paper", "hivfp_test.libsvm.zst", 10000, 4932, 4293008, 9639, 361,
			Classes{Values: []float64{-1, 1}}, &ReadOptions{Features: 4932},
		},
		{"small", "a1a", 1605, 119, 0, 1210, 395, Classes{Values: []float64{-1, 1}}, nil},
		{"small", "heart_scale", 270, 13, 0, 150, 120, Classes{Values: []float64{-1, 1}}, nil},
		{"small", "breast-cancer_scale", 683, 10, 0, 239, 444, Classes{Values: []float64{-1, 1}}, nil},
		{"small", "german.numer_scale", 1000, 24, 0, 700, 300, Classes{Values: []float64{-1, 1}}, nil},
		{"small", "abalone", 4177, 8, 0, 0, 0, Classes{}, &ReadOptions{Regression: true}},
		{"small", "housing_scale", 506, 13, 0, 0, 0, Classes{}, &ReadOptions{Regression: true}},
	}
	for _, tt := range cases {
		t.Run(tt.file, func(t *testing.T) {
			if tt.nnz > 2e6 {
				sparsetest.Long(t)
			}
			d, err := ReadFile(sparsetest.DataFile(t, tt.dir, tt.file), tt.opt)
			sparsetest.Must(t, err)
			rows, cols := d.X.Dims()
			if rows != tt.rows || cols != tt.cols || d.X.NNZ() != tt.nnz && tt.nnz != 0 {
				t.Errorf("%d x %d with %d entries, want %d x %d with %d", rows, cols, d.X.NNZ(), tt.rows, tt.cols, tt.nnz)
			}
			if !cmp.Equal(d.Classes, tt.classes) || d.Signs == tt.classes.IsZero() || d.Stats.IndexBase != OneBased || d.Stats.SortedRows != 0 {
				t.Errorf("classes %v, stats %+v", d.Classes, d.Stats)
			}
			negativeCount, positiveCount := 0, 0
			for _, y := range d.Labels {
				switch y {
				case -1:
					negativeCount++
				case 1:
					positiveCount++
				}
			}
			if tt.negative > 0 && (negativeCount != tt.negative || positiveCount != tt.positive) {
				t.Errorf("%d labels -1 and %d labels +1, want %d and %d", negativeCount, positiveCount, tt.negative, tt.positive)
			}
		})
	}
}

func TestRegressionReadAsClasses(t *testing.T) {
	_, err := ReadFile(sparsetest.DataFile(t, "small", "abalone"), nil)
	wantParseError(t, err, 3, 1, "abalone:3:1", `"9"`, "15 (line 1)", "7 (line 2)", "ReadOptions.Regression")
}
