package report

import (
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// TestWhy: the columns are compared case by case, not by how many fail in each.
func TestWhy(t *testing.T) {
	cases := []string{"a", "b", "c"}
	for _, test := range []struct {
		samples, half, auto string // the cases that fail
		says                string
	}{
		{"", "", "", ""},
		{"", "", "a", "automatic parameters"},
		{"", "ab", "", "reverse"},
		{"ab", "", "", "or automatic ones, it holds"},
		{"ab", "", "c", "It is the 500 samples"},
		{"ab", "a", "", "after few passes"},
		{"ab", "ab", "abc", "what fails on them (2) fails too"},
		{"ab", "c", "c", "Of the 2 cases that fail on the samples 2 do not with parameters chosen on the training half, 2 not with automatic ones; 0 fail each way."},
		{"ab", "ab", "c", "0 do not with parameters chosen on the training half, 2 not with automatic ones; 0 fail each way"},
	} {
		var all []claim
		for k, failing := range []string{test.samples, test.half, test.auto} {
			for _, about := range cases {
				all = append(all, claim{ID: "5", Data: "d", Rule: paper.Rules()[k], About: about, Verdict: holds(!strings.Contains(failing, about))})
			}
		}
		for _, o := range outcomes(all, nil) {
			if o.ID != "5" {
				continue
			}
			if got := o.why(); test.says == "" && got != "" || !strings.Contains(got, test.says) {
				t.Errorf("%q, %q, %q fail: %q, want %q", test.samples, test.half, test.auto, got, test.says)
			}
		}
	}
}
