package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestMain makes the test binary act as a peer if its first argument is fake. The second argument then says
// how the peer behaves, and the last argument is the problem's directory.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "fake" {
		fake(os.Args[2], os.Args[len(os.Args)-1])
		return
	}
	os.Exit(m.Run())
}

// fakePeer returns a peer that runs this test binary with the given behaviour; see fake.
func fakePeer(t *testing.T, behaviour string) Peer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command(behaviour, []string{exe, "fake", behaviour}, 0)
}

// fake is the main function of a fake peer. With the behaviour ista it solves problems with A = I by proximal
// gradient steps. With zeros, all solutions are zero.
func fake(behaviour, dir string) {
	switch behaviour {
	case "unable":
		fmt.Println("unable no such problems")
		return
	case "crash":
		fmt.Fprintln(os.Stderr, "first words\nout of order")
		os.Exit(3)
	}
	if behaviour == "zeros" {
		answerZeros(dir)
		return
	}
	solution := func(float64) []float64 { return make([]float64, 20) }
	if behaviour == "ista" || behaviour == "liar" || behaviour == "late" || behaviour == "mortal" {
		solution = istaSolver(dir)
	}
	fmt.Println("noise before\nready 1e-1 1e-12 of the test")
	for requests := bufio.NewScanner(os.Stdin); requests.Scan(); {
		var tol float64
		if _, err := fmt.Sscanf(requests.Text(), "fit %g", &tol); err != nil {
			fmt.Println("failed", err)
			continue
		}
		if behaviour == "late" && tol < 1e-3 {
			time.Sleep(time.Minute)
		}
		if behaviour == "mortal" && tol < 1e-4 {
			os.Exit(3)
		}
		var text bytes.Buffer
		x := solution(tol)
		if behaviour == "short" {
			x = x[1:]
		}
		for _, v := range x {
			fmt.Fprintln(&text, v)
		}
		if err := os.WriteFile(filepath.Join(dir, "x"), text.Bytes(), 0o600); err != nil {
			panic(err)
		}
		switch behaviour {
		case "liar":
			fmt.Println("done 0.5 0.5 1e-13")
		case "refuses":
			fmt.Println("failed  did not like it")
		case "idle":
			fmt.Println(strings.Repeat("a long line ", 1<<14))
			fmt.Println("done 0.01 0.01")
		case "busy":
			for t := tol; t < 1e-3; t = -t { // never ends if tol < 1e-3
			}
			fmt.Println("done 0.1 0.1")
		case "times":
			fmt.Println("done soon")
		default:
			fmt.Println("noise between\ndone 0.12 0.06")
		}
	}
}

// answerZeros answers each request with solutions that are zero, and for the task CV also with a curve.
func answerZeros(dir string) {
	desc := describe(dir)
	width := desc.P
	if desc.Intercept {
		width++
	}
	fmt.Println("ready 1 1 0.1")
	for requests := bufio.NewScanner(os.Stdin); requests.Scan(); {
		err := os.WriteFile(filepath.Join(dir, "x.f64"), make([]byte, 8*width*desc.Lambdas), 0o600)
		if err == nil && desc.Task == CV {
			err = os.WriteFile(filepath.Join(dir, "curve"), []byte(strings.Repeat("0.6\n", desc.Lambdas)), 0o600)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println("done 0.5 0.5")
	}
}

func describe(dir string) (desc description) {
	text, err := os.ReadFile(filepath.Join(dir, "problem.json"))
	if err == nil {
		err = json.Unmarshal(text, &desc)
	}
	if err != nil {
		panic(err)
	}
	return desc
}

// istaSolver reads the problem in dir and returns a function that solves it by proximal gradient steps, until
// no coefficient changes by more than the tolerance.
func istaSolver(dir string) func(tol float64) []float64 {
	desc := describe(dir)
	d, err := sparse.ReadFile(filepath.Join(dir, "data.svm"), &sparse.ReadOptions{Features: 20})
	if err != nil {
		panic(err)
	}
	n, p := d.X.Dims()
	var bound float64 // upper bound on the curvature of the mean loss: the trace of (1/4n) X'X
	for i := range n {
		_, val := d.X.Row(i)
		for _, v := range val {
			bound += v * v / (4 * float64(n))
		}
	}
	step := 1 / (bound + desc.L2)
	return func(tol float64) []float64 {
		x := make([]float64, p)
		for change := math.Inf(1); change > tol; {
			g := make([]float64, p)
			for i := range n {
				s := -d.Labels[i] / (1 + math.Exp(d.Labels[i]*rowProduct(d.X, i, x))) / float64(n)
				idx, val := d.X.Row(i)
				for k, j := range idx {
					g[j] += s * val[k]
				}
			}
			change = 0
			for j := range x {
				v := x[j] - step*(g[j]+desc.L2*x[j])
				v = math.Copysign(max(0, math.Abs(v)-step*desc.L1), v)
				change = max(change, math.Abs(v-x[j]))
				x[j] = v
			}
		}
		return x
	}
}

// problemNamed loads the named problem of a quick comparison. The problem must not need a data directory.
func problemNamed(t *testing.T, name string) *Problem {
	t.Helper()
	k := slices.IndexFunc(Specs(true), func(s Spec) bool { return s.Name == name })
	p, err := Specs(true)[k].Load("")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func quietOptions(peers ...Peer) *Options {
	return &Options{Peers: peers, Limit: 20 * time.Second, Repeats: 2, WriteText: true, Say: func(string) {}}
}

func TestObjective(t *testing.T) {
	p := problemNamed(t, "synthetic")
	p.L2 = 0.3
	x := make([]float64, 20)
	for j := range x {
		x[j] = math.Sin(float64(j))
	}
	for _, a := range []*sparse.CSR{nil, graph.Chain(20).FusedLasso()} {
		p.A = a
		q := &solver.Problem{Data: p.X, Labels: p.Labels, L2: p.L2, Penalty: solver.L1{Lambda: p.Lambdas[0]}}
		if a != nil {
			q.Constraint = a
		}
		for name, loss := range losses {
			p.Loss, q.Loss = name, loss.solver
			if got, want := p.Objective(0, x), q.Evaluate(x).Objective; math.Abs(got-want) > 1e-14*want {
				t.Errorf("%s: objective %.17g, the solver's %.17g", name, got, want)
			}
		}
	}
	if got := logistic(-800); got != 800 {
		t.Errorf("loss %v at margin -800", got)
	}
}

func TestRace(t *testing.T) {
	opt := quietOptions(fakePeer(t, "ista"), fakePeer(t, "unable"))
	opt.Repeats = 1
	o, err := Race(t.Context(), problemNamed(t, "synthetic"), opt)
	if err != nil {
		t.Fatal(err)
	}
	scas, ista := o.Lanes[0], o.Lanes[1]
	for _, target := range Targets {
		if p := ista.Fastest(target); p == nil || p.Seconds != 0.12 || scas.Fastest(target) == nil {
			t.Errorf("gap %g: scas %+v, ista %+v", target, scas.Fastest(target), p)
		}
	}
	lastPoint := ista.Points[len(ista.Points)-1]
	if lastPoint.Seconds != 0.12 || !math.IsNaN(lastPoint.ProvedGap) || ista.Version != "of the test" || ista.Note != "" {
		t.Errorf("ista's last point %+v, version %q, note %q", lastPoint, ista.Version, ista.Note)
	}
	for k, p := range ista.Points[1:] {
		if p.Tol >= ista.Points[k].Tol || p.Gap > ista.Points[k].Gap {
			t.Errorf("point %d of the tolerances: %+v after %+v", k+1, p, ista.Points[k])
		}
	}
	for _, p := range scas.Points {
		if !(p.ProvedGap <= p.Tol) || p.Gap > p.ProvedGap+1e-15 {
			t.Errorf("scas at %g: gap %g, proved %g", p.Tol, p.Gap, p.ProvedGap)
		}
	}
	if len(o.Lanes) != 2 {
		t.Error("the peer that is unable to solve the problem has a lane")
	}
	if text := o.Text(); !strings.Contains(text, "scas, proved") || !strings.Contains(text, "300 x 20") ||
		strings.Contains(text, "no such") {
		t.Errorf("table:\n%s", text)
	}
	if text := RatioTable([]*Outcome{o}); !strings.Contains(text, "ista") {
		t.Errorf("ratios:\n%s", text)
	}
}

// TestPaths races scas and a peer that answers zeros on the problems of smallPathSpecs. Race itself
// checks the gaps that scas proves. The gap of the peer must be the gap of x = 0 at the last lambda, where
// this gap is largest.
func TestPaths(t *testing.T) {
	for _, s := range smallPathSpecs() {
		p := problemNamed(t, s.Name)
		o, err := Race(t.Context(), p,
			&Options{Peers: []Peer{fakePeer(t, "zeros")}, Limit: 20 * time.Second, Repeats: 1, Say: func(string) {}})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		scas, zeros := o.Lanes[0], o.Lanes[1]
		if point := scas.DefaultPoint(); point == nil || point.ProvedGap > 1e-6 ||
			len(point.CVLosses) != len(p.Folds)/max(1, len(p.Labels))*s.LambdaCount {
			t.Errorf("%s: scas at its default: %+v", s.Name, point)
		}
		if len(zeros.Points) != 1 || zeros.Note != "its tolerances end at 1" {
			t.Errorf("%s: zeros: %d points, %s", s.Name, len(zeros.Points), zeros.Note)
			continue
		}
		last := len(p.Lambdas) - 1
		want := 1 - o.Optima[last].Lower/o.ObjectiveAtZero
		if got := zeros.Points[0].Gap; math.Abs(got-want) > 1e-9 || want < 1e-3 {
			t.Errorf("%s: zeros have a gap of %g, want %g", s.Name, got, want)
		}
		if text := o.Text(); !strings.Contains(text, "BEHIND") && !strings.Contains(text, "no peer") {
			t.Errorf("%s:\n%s", s.Name, text)
		}
	}
}

// TestFailures races peers that each have a fault. It checks the note about each of them, which says what is
// wrong, and the number of its points. If a peer claims a wrong gap, Race must return an error.
func TestFailures(t *testing.T) {
	cases := []struct {
		behaviour, note string
		points          int
	}{
		{"crash", "it ended: out of order", 0},
		{"late", "no answer in 500ms at tolerance 0.0001", 3},
		{"short", "19 numbers in its answer; want 20", 0},
		{"refuses", "did not like it", 0},
		{"times", "soon", 0},
		{"busy", "no answer in 500ms at tolerance 0.0001", 3},
		{"idle", "its tolerances end at 1e-12", 23},
	}
	var peers []Peer
	for _, c := range cases {
		peers = append(peers, fakePeer(t, c.behaviour))
	}
	p, opt := problemNamed(t, "synthetic"), quietOptions(peers...)
	opt.Limit, opt.Repeats = time.Second/2, 1 // the peer called late is stopped after patience times this limit
	o, err := Race(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range cases {
		if l := o.Lanes[1+k]; !strings.Contains(l.Note, c.note) || len(l.Points) != c.points {
			t.Errorf("%s: %d points, note %q", c.behaviour, len(l.Points), l.Note)
		}
	}
	if _, err := Race(t.Context(), p, quietOptions(fakePeer(t, "liar"))); err == nil || !strings.Contains(err.Error(), "liar") {
		t.Errorf("a wrong proof gives %v", err)
	}
}

// TestScript checks that the limit counts the processor time of a process that the peer starts, and that this
// process ends with the peer.
func TestScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no shell, or no processor time of process groups")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandover(problemNamed(t, "synthetic"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Remove()
	session, err := Command("script", []string{sh, "-c", `"$@"; exit`, "sh", exe, "fake", "busy"}, 0).Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	const limit = time.Second
	start := time.Now()
	_, err = session.Solve(t.Context(), 1e-4, limit)
	session.Close()
	if d := time.Since(start); d > patience*limit || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v after %v", err, d)
	}
}

// TestRestart checks that a peer whose process ends in the first round is started again for the next round.
func TestRestart(t *testing.T) {
	peer, starts := fakePeer(t, "mortal"), 0
	open := peer.Open
	peer.Open = func(ctx context.Context, h *Handover) (*Session, error) {
		starts++
		return open(ctx, h)
	}
	o, err := Race(t.Context(), problemNamed(t, "synthetic"), quietOptions(peer))
	if err != nil {
		t.Fatal(err)
	}
	if l := o.Lanes[1]; starts != 2 || len(l.Points) == 0 || !strings.Contains(l.Note, "it ended") {
		t.Errorf("%d starts, %d points, note %q", starts, len(l.Points), l.Note)
	}
}

// TestLimits checks that the limit of processor time also ends scas, and that the limit of its peers is then
// not lower.
func TestLimits(t *testing.T) {
	s := denseSpec(200, 1000).path(100)
	p, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.solveByScas(t.Context(), 1e-9, time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("scas beyond its limit: %v", err)
	}
	for note, want := range map[string]time.Duration{"": 5 * time.Second, "no answer in 60s": time.Minute} {
		l := &Lane{Points: []*Point{{Seconds: 0.5}}, Note: note}
		r := &race{outcome: &Outcome{Lanes: []*Lane{l}}, limit: time.Minute}
		r.lowerLimit()
		if r.limit != want {
			t.Errorf("note %q: a limit of %v, want %v", note, r.limit, want)
		}
	}
}

// TestJudge checks that an objective of a peer below the optimum is an error.
func TestJudge(t *testing.T) {
	r := &race{outcome: &Outcome{ObjectiveAtZero: 1, Optima: []Bounds{{0.5, 0.5}}}}
	if err := r.judge(&Lane{Peer: Peer{Name: "low"}}, &Point{ProvedGap: math.NaN()}, 0, 0.5-1e-9); err == nil {
		t.Error("an objective below the reference passes")
	}
}

// TestCanceled interrupts a race while a peer takes a minute for an answer.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt := quietOptions(fakePeer(t, "late"))
	opt.Say = func(line string) {
		if strings.HasPrefix(line, "late") && strings.Contains(line, "tolerance    0.001 ") {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}
	start := time.Now()
	if _, err := Race(ctx, problemNamed(t, "synthetic"), opt); !errors.Is(err, context.Canceled) {
		t.Errorf("a race that is interrupted gives %v", err)
	}
	if d := time.Since(start); d > 15*time.Second {
		t.Errorf("it took %v to stop", d)
	}
}

func TestParseCommand(t *testing.T) {
	h, err := newHandover(problemNamed(t, "synthetic"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Remove()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseCommand(" mine = " + exe + " fake unable")
	if err != nil || p.Name != "mine" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Open(t.Context(), h); err != Unable("no such problems") {
		t.Errorf("the command says %v", err)
	}
	for _, bad := range []string{"", "mine", "=go", "mine=", "mine=no-such-command-here"} {
		if _, err := ParseCommand(bad); err == nil || !strings.Contains(err.Error(), "--peer") {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

func TestNewHandover(t *testing.T) {
	p := problemNamed(t, "synthetic")
	p.A = graph.Chain(20).FusedLasso()
	h, err := newHandover(p, true)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := p.A.Dims()
	for name, bytes := range map[string]int64{
		"labels.f64": 8 * 300, "X.lengths.i32": 4 * 300, "X.columns.i32": 4 * p.X.NNZ(), "X.values.f64": 8 * p.X.NNZ(),
		"A.lengths.i32": 4 * int64(rows), "A.columns.i32": 4 * p.A.NNZ(), "A.values.f64": 8 * p.A.NNZ(),
	} {
		if f, err := os.Stat(filepath.Join(h.Dir, name)); err != nil || f.Size() != bytes {
			t.Errorf("%s: %v, want %d bytes", name, err, bytes)
		}
	}
	if a, err := sparse.ReadFile(filepath.Join(h.Dir, "A.mtx"),
		&sparse.ReadOptions{LabelsOptional: true}); err != nil || a.X.NNZ() != p.A.NNZ() {
		t.Errorf("A.mtx: %v", err)
	}
	h.Remove()
	if _, err := os.Stat(h.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
}

// TestFindInstalled runs the installed peers on small problems. A peer must come within 1e-6 of the optimum
// on the kinds of problems that it solves, and say that it is unable to solve other kinds.
func TestFindInstalled(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: other programs take long to start; make test-full runs it")
	}
	installedPeers, missing, err := FindInstalled(t.Context(), t.TempDir(), regexp.MustCompile("^$"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		t.Log(m)
	}
	if len(installedPeers) == 0 {
		t.Skip("no other solver is installed")
	}
	// For each kind of problem: peers that solve it, and peers that do not.
	for kind, names := range map[string]struct{ able, unable []string }{
		"lasso": {
			[]string{"liblinear", "sklearn liblinear", "sklearn saga", "glmnet", "cvxopt"},
			[]string{"sklearn lbfgs"},
		},
		"ridge": {
			[]string{"liblinear", "liblinear dual", "sklearn liblinear", "sklearn lbfgs", "sklearn newton", "glmnet"},
			nil,
		},
		"elastic net":              {[]string{"sklearn saga", "glmnet"}, []string{"liblinear"}},
		"graph":                    {[]string{"cvxopt"}, []string{"glmnet"}},
		"graph, mu":                {[]string{"cvxopt"}, nil},
		"table of 8 columns, path": {[]string{"glmnet", "sklearn lasso_path", "celer", "skglm"}, []string{"liblinear"}},
		"made text, path":          {[]string{"glmnet", "celer", "skglm"}, []string{"sklearn lasso_path"}},
		"made text, 10 folds":      {[]string{"glmnet", "celer", "skglm"}, nil},
		"made text, 10 folds, intercept, standardised": {[]string{"glmnet", "skglm"}, []string{"celer"}},
		"made text, squared hinge":                     {[]string{"liblinear", "liblinear dual"}, []string{"glmnet"}},
	} {
		p := problemNamed(t, "synthetic")
		switch kind {
		case "lasso", "graph":
		case "ridge":
			p.Lambdas[0], p.L2 = 0, 1e-3
		case "elastic net", "graph, mu":
			p.L2 = 1e-3
		default:
			p = problemNamed(t, kind)
		}
		p.Name = kind
		if strings.HasPrefix(kind, "graph") {
			p.A = graph.Chain(20).FusedLasso()
		}
		triedPeers := slices.Concat(names.able, names.unable)
		opt := quietOptions(slices.DeleteFunc(slices.Clone(installedPeers),
			func(q Peer) bool { return !slices.Contains(triedPeers, q.Name) })...)
		opt.Repeats = 1
		o, err := Race(t.Context(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, peer := range opt.Peers {
			k := slices.IndexFunc(o.Lanes, func(l *Lane) bool { return l.Name == peer.Name })
			switch canSolve := slices.Contains(names.able, peer.Name); {
			case canSolve != (k >= 0):
				t.Errorf("%s: solved by %s: %v", kind, peer.Name, k >= 0)
			case canSolve && o.Lanes[k].Fastest(1e-6) == nil:
				t.Errorf("%s: %s does not come to 1e-6 (%s)", kind, peer.Name, o.Lanes[k].Note)
			}
		}
	}
}

// TestDefaultIsAsked checks that a race asks a peer for its default tolerance, here 1e-3, whenever the peer
// accepts it. In the first case, the steps between tolerances become longer after a slow answer, and would
// leave 1e-3 out. In the second case, the peer's tolerances are not powers of 10.
func TestDefaultIsAsked(t *testing.T) {
	for _, c := range []struct {
		loosest, tightest, slowTol float64
		want                       []float64
	}{
		{1e-1, 1e-6, 3.16e-2, []float64{1e-1, 3.16e-2, 3.16e-3, 1e-3, 3.16e-4, 1e-4, 3.16e-5, 1e-5, 3.16e-6, 1e-6}},
		{3, 1e-5, 0, []float64{3, 0.949, 0.3, 0.0949, 0.03, 0.00949, 0.003, 0.001, 0.000949, 0.0003, 9.49e-5, 3e-5, 1e-5}},
		{1e-2, 1e-4, 0, []float64{1e-2, 3.16e-3, 1e-3, 3.16e-4, 1e-4}},
		{1e-4, 1e-5, 0, []float64{1e-4, 3.16e-5, 1e-5}}, // it does not accept its default
	} {
		// The peer takes the place of a process. All its coefficients are 0.
		open := func(_ context.Context, h *Handover) (*Session, error) {
			solve := func(_ context.Context, tol float64, _ time.Duration) (*Answer, error) {
				seconds := 0.02
				if tol == c.slowTol {
					seconds = 1.5 // more than a twentieth of the limit
				}
				return &Answer{
					X: [][]float64{make([]float64, h.solutionLen())}, CPU: seconds, Wall: seconds,
					ProvedGap: math.NaN(),
				}, nil
			}
			return &Session{Loosest: c.loosest, Tightest: c.tightest, Solve: solve, Close: func() {}}, nil
		}
		p := problemNamed(t, "synthetic")
		o, err := Race(t.Context(), p, quietOptions(Peer{Name: "stub", DefaultTol: 1e-3, Open: open}))
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, point := range o.Lanes[1].Points {
			got = append(got, point.Tol)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %g to %g: tolerances %v, want %v", c.loosest, c.tightest, got, c.want)
		}
		o.Lanes[0].Points = o.Lanes[0].Points[:2]
		if ratios := o.ratios(true); ratios[len(ratios)-1] != "not proved" {
			t.Errorf("scas has no point at its default: %+v", ratios)
		}
	}
}
