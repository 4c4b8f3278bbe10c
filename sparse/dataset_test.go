package sparse

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestIndexBaseText(t *testing.T) {
	for _, base := range []IndexBase{AutoBase, ZeroBased, OneBased} {
		b, err := json.Marshal(base)
		sparsetest.Must(t, err)
		decoded := IndexBase(9)
		if err := json.Unmarshal(b, &decoded); err != nil || decoded != base {
			t.Errorf("%v is written as %s and read as %v, %v", base, b, decoded, err)
		}
	}
	var b IndexBase
	sparsetest.CheckError(t, b.UnmarshalText([]byte("2")), `"2"`, "auto, 0 or 1")
}

func TestOriginalLabels(t *testing.T) {
	d := &Dataset{Labels: []float64{1, -1}, Classes: Classes{Values: []float64{2, 1}}, Signs: true}
	if labels := d.OriginalLabels(); !slices.Equal(labels, []float64{1, 2}) {
		t.Errorf("labels %v", labels)
	}
	for label, want := range map[float64]int{1: 1, -1: 0} {
		if k, ok := d.ClassOf(label); k != want || !ok {
			t.Errorf("ClassOf(%v) = %v, %v, want %v", label, k, ok, want)
		}
	}
	for _, d := range []*Dataset{d, {Signs: true}, {}} {
		if k, ok := d.ClassOf(2); ok || d.Original(3.5) != 3.5 {
			t.Errorf("%+v: ClassOf(2) = %v, %v", d, k, ok)
		}
	}
	d.Signs = false
	if k, ok := d.ClassOf(2); k != 0 || !ok || d.Original(2) != 2 {
		t.Errorf("ClassOf(2) = %v, %v", k, ok)
	}
}
