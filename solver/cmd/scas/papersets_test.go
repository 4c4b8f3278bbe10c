package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

// The sets of the paper, or their stand-ins, are read as what they are.
func TestInfoOnPaperSets(t *testing.T) {
	dir := dataDir(t)
	for _, c := range []struct {
		file           string
		rows, features int
		nnz            int64
		labels         string
	}{
		{"a9a.zst", 32561, 123, 451592, "[{-1 24720} {1 7841}]"},
		{"a9a.t.zst", 16281, 122, 225731, "[{-1 12435} {1 3846}]"},
		{"covtype.libsvm.binary.scale.zst", 581012, 54, 6940438, "[{1 297711} {2 283301}]"},
		{"rcv1v2_binary_train.libsvm.zst", 20242, 47236, 1517192, ""},
		{"hivfp_train.libsvm.zst", 12678, 4932, 5453485, "[{-1 12260} {1 418}]"},
	} {
		t.Run(c.file, func(t *testing.T) {
			var got struct{ Data dataFacts }
			out := scas(t, "scas", nil, "info", "--json", filepath.Join(dir, "paper", c.file))
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			d := got.Data
			if d.Rows != c.rows || d.Features != c.features || d.NNZ != c.nnz || d.IndexBase != 1 || d.Compression != "zstd" || d.Sorted != 0 {
				t.Errorf("got %+v", d)
			}
			if labels := fmt.Sprint(d.Labels); c.labels != "" && labels != c.labels || len(d.Labels) != 2 {
				t.Errorf("labels %s, want %s", labels, c.labels)
			}
		})
	}
}

// Labels 1 and 2 become negative and positive.
func TestCovtypeLabels(t *testing.T) {
	dir := dataDir(t)
	out := scas(t, "scas", nil, "train", "--json", "--passes", "2", "-o", filepath.Join(t.TempDir(), "m.json"),
		filepath.Join(dir, "paper", "covtype.libsvm.binary.scale.zst"))
	var r struct {
		Model string
		N     int
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	m, err := readModel(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	if r.N != 581012 || m.Labels.Negative != 1 || m.Labels.Positive != 2 {
		t.Errorf("%d rows, labels %v", r.N, m.Labels)
	}
}
