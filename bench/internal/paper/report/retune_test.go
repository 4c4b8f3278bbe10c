package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// TestRetuneFailedRun checks that Retune names a run that failed, and still tunes the methods of the other
// claims.
func TestRetuneFailedRun(t *testing.T) {
	dir, data := t.TempDir(), tinyData(t)
	pr := paper.QuickProtocol()
	pr.Data, pr.TuneSamples = []string{data.Name}, 60
	if err := openRecords(t, dir, pr).Save(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, paper.PointsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	encoder := json.NewEncoder(f)
	if err := encoder.Encode(map[string]any{"data": paper.DataSummary{Name: data.Name}}); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Encode(map[string]any{"optimum": paper.Optimum{Data: data.Name, Objective: 0.1}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method paper.Method
		output paper.Output
		end    float64 // the last objective; 0 if the run failed
	}{{scas, paper.Last, 0}, {scas, paper.Average, 0.6}, {sa, paper.Last, 0.2}, {sa, paper.Average, 0.2}, {stoc, paper.Average, 0.2}} {
		u := paper.TunedRun{
			Key:   paper.Key{Data: data.Name, Method: c.method, Rule: paper.Sampled, Output: c.output},
			Tuned: paper.Tuned{Step: 1, Penalty: 1}, Failed: "it diverged",
		}
		if c.end > 0 {
			u.Failed, u.Points = "", []paper.Point{{Objective: 0.7}, {Passes: 5, Objective: c.end}}
		}
		if err := encoder.Encode(map[string]any{"unit": u}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := Retune(t.Context(), openRecords(t, dir, pr), data, 0)
	if err != nil {
		t.Fatal(err)
	}
	const failed, tuned = "scas, last: the run failed: it diverged", "of 24 more the best"
	wants := map[string]string{"3a": failed, "3b": tuned, "2a": failed, "2b": tuned}
	for line := range strings.Lines(text) {
		for id, want := range wants {
			if strings.Contains(line, " "+id+" ") && strings.Contains(line, want) {
				delete(wants, id)
			}
		}
	}
	if len(wants) > 0 {
		t.Errorf("the text lacks %v:\n%s", wants, text)
	}
}
