package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// fuzzAttack runs the fuzz targets in turn. What one finds Go puts beside it, in
// testdata/fuzz, from where every test run repeats it.
type fuzzAttack struct {
	targets []fuzzTarget
	each    time.Duration
}

type fuzzTarget struct{ pkg, name string }

// worthFuzzing is the least time for all attacks in which building the targets, which
// takes a minute or two, pays.
const worthFuzzing = 15 * time.Minute

func beginFuzz(ctx context.Context, g *ground) (attack, error) {
	if g.opt.For < worthFuzzing && g.opt.Only == "" {
		return nil, skip("with --for %v or more", worthFuzzing)
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{range .TestGoFiles}}{{.}} {{end}}{{range .XTestGoFiles}}{{.}} {{end}}", module+"/...").Output()
	if err != nil {
		return nil, skip("no source here: go list: %v", err)
	}
	f := &fuzzAttack{}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		for _, file := range strings.Fields(parts[len(parts)-1]) {
			if len(parts) < 3 {
				continue
			}
			text, err := os.ReadFile(filepath.Join(parts[1], file))
			if err != nil {
				return nil, err
			}
			for _, m := range fuzzName.FindAllSubmatch(text, -1) {
				f.targets = append(f.targets, fuzzTarget{parts[0], string(m[1])})
			}
		}
	}
	if len(f.targets) == 0 {
		return nil, skip("no fuzz targets")
	}
	f.each = max(3*time.Second, g.limit/time.Duration(len(f.targets)))
	return f, nil
}

var (
	fuzzName  = regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9_]*)\(`)
	fuzzExecs = regexp.MustCompile(`execs: ([0-9]+)`)
)

// try runs one target.
func (f *fuzzAttack) try(ctx context.Context, seed uint64) (string, int, error) {
	t := f.targets[seed%uint64(len(f.targets))]
	out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", f.each.String(), "-fuzzminimizetime", "10x", t.pkg).CombinedOutput()
	execs := 1
	for _, m := range fuzzExecs.FindAllSubmatch(out, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil {
			execs = max(execs, n)
		}
	}
	if err != nil {
		return "", execs, fmt.Errorf("%s %s: %w\n%s", t.pkg, t.name, err, head(string(out)))
	}
	return "executions", execs, nil
}
