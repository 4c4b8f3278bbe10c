package main

import (
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestProgressLine checks that on a terminal one line shows progress and is removed at the end. If stderr is
// no terminal, a short command must write nothing to it.
func TestProgressLine(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	for _, interval := range []time.Duration{everyReport, 0} {
		onTerminal := interval == everyReport
		r := runWith(t, env{onTerminal: onTerminal, interval: interval}, "train", "--method", "scas-k", "--passes", "20", data)
		if r.code != exitOK || !onTerminal && r.stderr != "" {
			t.Errorf("terminal %v: exit code %d, stderr %q", onTerminal, r.code, r.stderr)
		}
		if onTerminal &&
			(!strings.Contains(r.stderr, "\rpass 20 of 20   objective 0.") ||
				!strings.HasSuffix(r.stderr, " \r") || strings.Contains(r.stderr, "\n")) {
			t.Errorf("terminal: stderr %q", r.stderr)
		}
	}
}

// TestProgressTimes checks the times in a report: the time since the command began, and the time left in the
// stage.
func TestProgressTimes(t *testing.T) {
	for _, onTerminal := range []bool{true, false} {
		var stderr lockedBuffer
		e := &env{stderr: &stderr, onTerminal: onTerminal, interval: time.Hour}
		p := e.beginProgress("reading")
		p.showBytes("reading", 90<<20, 100<<20)
		p.tick()
		p.showClasses(0, 105)
		moveBack := func(start, began time.Duration) {
			p.start, p.stageStart, p.lastDrawn = p.start.Add(-start), p.stageStart.Add(-began), time.Time{}
		}
		moveBack(3*time.Minute, 80*time.Second)
		p.showClasses(16, 105)
		p.tick()
		e.warn("of the command")
		p.show("%s", strings.Repeat("w", 90))
		moveBack(2*time.Hour, 0)
		p.tick()
		p.end()
		p.show("nothing")
		got := stderr.b.String()
		want := `(?s)^\rreading: 90 % of 100 MiB   .*\rclass 17 of 105   3 min \d s, about 7 min 2\d s left   .*\r +\rscas: warning: of the command\n.*\rw{63}…   2 h 3 min   +\r +\r$`
		if !onTerminal {
			want = `^scas: 0 s: reading: 90 % of 100 MiB\nscas: 18\d s: class 17 of 105, about 7 min 2\d s left\nscas: warning: of the command\nscas: 73\d\d s: w{90}\n$`
		}
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("terminal %v: want %s, got %q", onTerminal, want, got)
		}
	}
}

// TestProgressTowardGap checks that the reported share of the work is one half if the logarithm of the gap is
// halfway between its first value and its goal.
func TestProgressTowardGap(t *testing.T) {
	p := (&env{stderr: io.Discard, interval: time.Hour}).beginProgress("fitting")
	defer p.end()
	s := &fitSpec{data: &sparse.Dataset{}}
	p.setReports(s, fitCount{})
	for _, gap := range []float64{math.Inf(1), 1, 1e-3} {
		s.spec.Report(solver.Report{Gap: gap, Goal: 1e-6})
	}
	if p.share != 0.5 || !strings.HasSuffix(p.timeLeft(), " left") {
		t.Errorf("share %v of the way from a gap of 1 to 1e-6, %q; want 0.5 and a time left", p.share, p.timeLeft())
	}
	p.share, p.stageStart = 1e-15, time.Now().Add(-time.Minute)
	if left := p.timeLeft(); left != "" {
		t.Errorf("after a tiny share of the work: %q", left)
	}
}

// TestProgressOfCommands checks that each command with slow steps reports its progress: on one line of a
// terminal, or as lines of text or of JSON.
func TestProgressOfCommands(t *testing.T) {
	dir := t.TempDir()
	data, model := writeWDBC(t, dir), filepath.Join(dir, "m.json")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`^\rpass \d+ of 20 `, []string{"train", "--method", "scas", "--passes", "20", data}},
		{`^\r(pass [.\d]+, )?\d+ Newton steps?   objective 0\.\d+, gap `, []string{"train", data}},
		{`^\rlambda \d+ of 4 `, []string{"path", "--lambdas", "4", data}},
		{`^\rmodel \d+ of 12 `, []string{"cv", "--lambdas", "4", "--folds", "3", "-o", model, data}},
		{`^\rreading wdbc.svm`, []string{"predict", "-m", model, data}},
		{`^\rreading wdbc.svm`, []string{"graph", "--method", "knn", "--neighbours", "3", data}},
		{`^\rmaking the graph: 30 features together, \d+ Newton steps?, gap `, []string{"graph", "--penalty", "0.05", data}},
		{`^\r(reading|writing) wdbc.s`, []string{"convert", data, filepath.Join(dir, "wdbc.scas")}},
		{`^\rreading wdbc.svm`, []string{"convert", data, filepath.Join(dir, "wdbc.npz")}},
		{
			`scas: \d+ s: pass \d+ of 300   objective 0\.\d+(, gap [-0-9.e+]+)?(, about .* left)?\n`,
			[]string{"train", "--method", "scas-k", "--passes", "300", data},
		},
		{
			`scas: \d+ s: lambda \d+ of 30   [-0-9.e]+   \d+ coefficients(, about .* left)?\n`,
			[]string{"path", "--lambdas", "30", data},
		},
		{`scas: \d+ s: model \d+ of 60(, about .* left)?\n`, []string{"cv", "--folds", "3", "--lambdas", "20", data}},
		{
			`{"level":"info","msg":"\d+ s: model \d+ of 60(, about .* left)?"}\n`,
			[]string{"--log-format", "json", "cv", "--folds", "3", "--lambdas", "20", data},
		},
	} {
		want, onTerminal := strings.CutPrefix(c.want, "^")
		r := runWith(t, env{onTerminal: onTerminal, interval: everyReport}, c.args...)
		if r.code != exitOK || !regexp.MustCompile(want).MatchString(r.stderr) || strings.Contains(r.stderr, "\r") != onTerminal {
			t.Errorf("%v: exit code %d: want %s, stderr is %.500q", c.args, r.code, want, r.stderr)
		}
	}
}
