package main

import (
	"encoding"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver/baseline"
)

// TestEveryMethod checks that --method accepts every method of the solver, that every method reduces the
// objective, and that the list of methods explains every method.
func TestEveryMethod(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	list, _ := succeed(t, "train", "--method", "list", "--verbose")
	for line := range strings.Lines(list) {
		if len(line) > 101 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	shortList, _ := succeed(t, "train", "--method", "list")
	flatList := strings.Join(strings.Fields(list), " ")
	for _, method := range baseline.Methods() {
		m := method.Info()
		t.Run(m.Name, func(t *testing.T) {
			if line := regexp.MustCompile(`(?m)^` + m.Name + ` .*$`).FindString(shortList); !strings.Contains(line, m.Rate) || !strings.Contains(line, m.Memory) || !strings.Contains(line, m.Summary) {
				t.Errorf("the short list has %q", line)
			}
			_, entry, _ := strings.Cut(flatList, m.Name+" "+m.Summary)
			etaText := " --eta: " + m.Eta
			if !m.TakesEta {
				etaText = " takes no --eta"
			}
			want := " (" + m.Reference + ") rate: " + m.Rate + ". Memory: " + m.Memory + etaText
			if m.TakesBatchSize {
				want += ". Takes --batch-size"
			}
			if m.TakesInnerSteps {
				want += ", --inner-steps"
			}
			if m.NeedsL2 {
				want += ". Needs --mu above 0"
			}
			if !strings.HasPrefix(entry, want) {
				t.Errorf("the list has no %q", want)
			}
			r := jsonOf[struct {
				Objective float64
				Run       struct{ Method string }
			}](t, "train", "--method", m.Name, "--mu", "0.1", "--no-intercept", "--no-standardize",
				"--passes", "30", "--tol", "none", "--verbose", "--json", data)
			if r.Run.Method != m.Name || !(r.Objective < math.Ln2) {
				t.Errorf("method %s, objective %g after %g at the start", r.Run.Method, r.Objective, math.Ln2)
			}
		})
	}
}

// TestGapBounds checks that the gap in a report is at least the objective minus the optimum, for the last
// iterate and for the average. Reports on the last iterate must have residuals, and reports on the average
// none.
func TestGapBounds(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	type report struct {
		Objective      float64
		Gap            *float64 `json:"duality_gap"`
		PrimalResidual *float64 `json:"primal_residual"`
		DualResidual   *float64 `json:"dual_residual"`
	}
	train := func(args ...string) report {
		return jsonOf[report](t,
			append([]string{
				"train", "--json", "--graph", "chain", "--lambda", "1e-3", "--mu", "0.05", "--no-intercept",
				data,
			}, args...)...)
	}
	bestReport := train("--method", "scas-k", "--passes", "2000")
	if bestReport.Gap == nil || !(*bestReport.Gap < 1e-12) {
		t.Fatalf("the optimum is not known: %+v", bestReport)
	}
	optimum := bestReport.Objective
	for _, method := range []string{"scas-k", "scas-strong", "svrg", "svrg-pdfp", "stoc"} {
		for _, passes := range []string{"10", "400"} {
			for _, output := range []string{"last", "average"} {
				r := train("--method", method, "--passes", passes, "--output", output)
				if r.Gap == nil {
					t.Fatalf("%s: no gap", method)
				}
				if *r.Gap < r.Objective-optimum-1e-12 {
					t.Errorf("%s, %s passes, %s: gap %g, objective %g above the optimum",
						method, passes, output, *r.Gap, r.Objective-optimum)
				}
				hasResiduals := output == "last"
				if (r.PrimalResidual != nil) != hasResiduals || (r.DualResidual != nil) != hasResiduals {
					t.Errorf("%s, %s: residuals %v, %v", method, output, r.PrimalResidual, r.DualResidual)
				}
			}
		}
	}
}

func TestFormatPasses(t *testing.T) {
	for v, want := range map[float64]string{
		1: "1 pass", 0.25: "0.25 passes", 48.74814814814815: "48.75 passes", 60: "60 passes",
		12345.6: "12,346 passes",
	} {
		if got := formatPasses(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// TestCompletionValues checks that each value that completion offers for a flag is a valid value of this
// flag.
func TestCompletionValues(t *testing.T) {
	type flag interface {
		encoding.TextUnmarshaler
		completions() []string
	}
	for _, f := range []flag{&lossFlag{}, &methodFlag{}, &domainFlag{}} {
		for _, value := range f.completions() {
			if err := f.UnmarshalText([]byte(value)); err != nil {
				t.Errorf("%T: %v", f, err)
			}
		}
	}
}
