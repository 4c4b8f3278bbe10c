package sparse

import (
	"encoding/json"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestIndexBaseText(t *testing.T) {
	for _, base := range []IndexBase{AutoBase, ZeroBased, OneBased} {
		b, err := json.Marshal(base)
		if err != nil {
			t.Fatal(err)
		}
		decoded := IndexBase(9)
		if err := json.Unmarshal(b, &decoded); err != nil || decoded != base {
			t.Errorf("%v is written as %s and read as %v, %v", base, b, decoded, err)
		}
	}
	var b IndexBase
	sparsetest.CheckError(t, b.UnmarshalText([]byte("2")), `"2"`, "auto, 0 or 1")
}

func TestLabelMapping(t *testing.T) {
	m := LabelMapping{Negative: 2, Positive: 1}
	for _, tt := range []struct {
		label, sign float64
		ok          bool
	}{{1, 1, true}, {2, -1, true}, {0, 0, false}} {
		sign, ok := m.Sign(tt.label)
		if sign != tt.sign || ok != tt.ok {
			t.Errorf("Sign(%v) = %v, %v, want %v, %v", tt.label, sign, ok, tt.sign, tt.ok)
		}
		if ok && m.Original(sign) != tt.label {
			t.Errorf("Original(%v) = %v, want %v", sign, m.Original(sign), tt.label)
		}
	}
	var none LabelMapping
	if _, ok := none.Sign(0); ok || none.Original(3.5) != 3.5 {
		t.Error("the zero mapping maps labels")
	}
	if m.String() != "2 is -1, 1 is +1" || none.String() != "labels as they are" {
		t.Errorf("%v, %v", m, none)
	}
}
