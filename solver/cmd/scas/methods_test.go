package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
)

// Every method of the solver can be asked for by name, gets below the start and
// is listed, one line each.
func TestEveryMethod(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	var list bytes.Buffer
	if code := run(&env{ctx: context.Background(), stdout: &list}, []string{"train", "--method", "list"}); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	lines := strings.Split(list.String(), "\n")
	for k, m := range solver.Methods() {
		t.Run(string(m.Name), func(t *testing.T) {
			if !strings.HasPrefix(lines[k+1], string(m.Name)+" ") || !strings.Contains(lines[k+1], m.Summary) {
				t.Errorf("line %d of the list is %q", k+1, lines[k+1])
			}
			var stdout, stderr bytes.Buffer
			e := &env{ctx: context.Background(), stdout: &stdout, stderr: &stderr}
			code := run(e, []string{"train", "--method", string(m.Name), "--mu", "0.1", "--passes", "30", "--verbose", "--json", data})
			if code != exitOK {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			var r struct {
				Method    solver.Method
				Objective float64
			}
			if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Method != m.Name || !(r.Objective < math.Ln2) {
				t.Errorf("method %s, objective %g after %g at the start", r.Method, r.Objective, math.Ln2)
			}
		})
	}
}
