package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/bench/internal/attack"
	"github.com/scas-admm/scas/bench/internal/program"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/sparse"
)

// TestMain makes the test binary act as the program bench if its argument is --help.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"--help"}) {
		main()
	}
	os.Exit(m.Run())
}

func runCommand(t *testing.T, args ...string) (stdout string, code int, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	code, err = run(&race.Env{Ctx: t.Context(), Args: args, Stdout: &out, Stderr: &errOut})
	return out.String(), code, err
}

func TestKernels(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	c := kernelsCmd{
		scale: suite.Tiny, Only: regexp.MustCompile("^(Dot|InnerRotated|Gradient)/"),
		Results: dir, Benchfmt: filepath.Join(dir, "samples"),
	}
	if err := c.Run(&race.Env{Ctx: t.Context(), Args: []string{"kernels"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cpu:", "gathers:", "peak:", "Gradient", "InnerRotated", "% L1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(out.String(), "MarginsGradient") {
		t.Errorf("--only %s reports\n%s", c.Only, out.String())
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "kernels-*.txt"))
	if len(tables) != 1 {
		t.Fatalf("files %v", tables)
	}
	if text, err := os.ReadFile(tables[0]); err != nil || string(text) != out.String() {
		t.Errorf("the file is not what was printed, %v:\n%s", err, text)
	}
	if text, err := os.ReadFile(c.Benchfmt); err != nil || !strings.HasPrefix(string(text), "goos: ") ||
		!strings.Contains(string(text), "\nBenchmarkDot/shape=n=123/level=generic\t") {
		t.Errorf("%v, samples\n%.200s", err, text)
	}
	c.Only = regexp.MustCompile("NoSuchKernel")
	if err := c.Run(&race.Env{Ctx: t.Context(), Stdout: &out}); err == nil || !strings.Contains(err.Error(), "--only") {
		t.Errorf("--only %s gives %v", c.Only, err)
	}
}

func TestEndToEnd(t *testing.T) {
	var out bytes.Buffer
	c := endToEndCmd{Quick: true, rows: 200, Results: t.TempDir()}
	if err := c.Run(&race.Env{Ctx: t.Context(), Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Outer-scas-k", "a9a-lasso", "a9a-graph", "rotated, dual updates: ", "synthetic"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if files, err := os.ReadDir(c.Results); err != nil || len(files) != 1 {
		t.Errorf("%d result files, %v", len(files), err)
	}
}

// dataFile writes a small classification problem and returns the path of the file.
func dataFile(t *testing.T) string {
	t.Helper()
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 150, Features: 12, Groups: 2, Noise: 1, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "data.svm")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: d.X, Labels: d.Labels}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConverge(t *testing.T) {
	dir := t.TempDir()
	csvFile, svgFile := filepath.Join(dir, "c.csv"), filepath.Join(dir, "c.svg")
	out, code, err := runCommand(t, "converge", dataFile(t), "--lambda=1e-2", "--graph=chain", "--passes=20",
		"--method=scas", "--method=scas-k", "--optimum=0.1", "--csv="+csvFile, "--svg="+svgFile)
	if err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	for _, want := range []string{"150 samples, 12 features", "graph chain", "scas-k", "the given optimum, 0.1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	f, err := os.Open(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) != 1+2*11 {
		t.Errorf("%d lines of CSV, %v; want a head and 11 points of 2 methods", len(records), err)
	}
	if svg, err := os.ReadFile(svgFile); err != nil || !bytes.Contains(svg, []byte("scas-k, average")) {
		t.Errorf("the chart lacks a curve: %v", err)
	}
}

// TestPeers checks the report and the result files of the command peers with scas as the only solver.
func TestPeers(t *testing.T) {
	t.Setenv("SCAS_DATA", "")
	dir := t.TempDir()
	out, code, err := runCommand(t, "peers", "--quick", "--only=^(synthetic|heart|wdbc raw)$",
		"--leave=.", "--note=a busy day", "--results="+dir)
	if err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	for _, want := range []string{
		"scas, proved", "300 x 20", "569 x 30", "heart: left out", "no peer", "processor time", "a busy day",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	for _, kind := range []string{"txt", "html"} {
		files, err := filepath.Glob(filepath.Join(dir, "peers-*."+kind))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %v", kind, files, err)
		}
	}
}

// TestPeersError checks that the results before an error are kept. The peer claims a wrong gap on the second
// problem.
func TestPeersError(t *testing.T) {
	t.Setenv("SCAS_DATA", "")
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "liar.sh")
	text := `p=$(sed -n 's/.*"p": \([0-9]*\).*/\1/p' "$1/problem.json")
echo ready 1 1
while read request; do
  yes 0 | head -n "$p" > "$1/x"
  if [ "$p" = 20 ]; then echo done 1 1; else echo done 1 1 1e-13; fi
done
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code, err := runCommand(t, "peers", "--quick", "--only=^(synthetic|wdbc raw)$",
		"--leave=.", "--peer=liar=sh "+script, "--results="+dir)
	if code != 1 || err == nil || !strings.Contains(err.Error(), "wdbc raw: liar") {
		t.Errorf("exit code %d, %v", code, err)
	}
	if !strings.Contains(out, "1 of 2 problems") || !strings.Contains(out, "\nscas / fastest peer") {
		t.Errorf("the report has no table of ratios:\n%s", out)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "peers-*")); len(files) != 2 {
		t.Errorf("files %v", files)
	}
}

func TestBadCommandLines(t *testing.T) {
	data, out := dataFile(t), t.TempDir()
	for _, c := range []struct {
		args    []string
		code    int
		message string
	}{
		{[]string{"converge"}, 2, "DATA"},
		{[]string{"nothing"}, 2, "nothing"},
		{[]string{"converge", data, "--method=sgd"}, 1, "scas-k"},
		{[]string{"converge", data, "--eta=-1"}, 1, "Eta"},
		{[]string{"converge", data + ".missing"}, 1, "no such file"},
		{[]string{"converge", data, "--graph=" + data + ".missing"}, 1, "no such file"},
		{[]string{"kernels", "--only=("}, 2, "--only"},
		{[]string{"peers", "--only=("}, 2, "--only"},
		{[]string{"peers", "--only=mnist"}, 1, "a9a"},
		{[]string{"peers", "--limit=0s"}, 1, "--limit"},
		{[]string{"peers", "--repeats=0"}, 1, "--repeats"},
		{[]string{"peers", "--leave=("}, 2, "--leave"},
		{[]string{"peers", "--clock=sun"}, 2, "cpu"},
		{[]string{"peers", "--leave=.", "--only=^heart$", "--peer=mine"}, 1, "name=command"},
		{[]string{"peers", "--leave=.", "--only=^heart$", "--data=" + out}, 1, "make data"},
		{[]string{"attack", "--for=0s"}, 1, "--for"},
		{[]string{"attack", "--only=luck"}, 1, "bombs"},
		{[]string{"paper"}, 2, "--out"},
		{[]string{"paper", "--out=" + out, "--only=mnist"}, 1, "a9a"},
		{[]string{"paper", "--out=" + out, "--method=sgd"}, 1, "scas-k"},
		{[]string{"paper", "--out=" + out, "--mu=-1"}, 1, "--mu"},
		{[]string{"paper", "--out=" + out, "--passes=1"}, 1, "6 are needed"},
		{[]string{"paper", "--out=" + out, "--passes=nan"}, 1, "6 are needed"},
		{[]string{"paper", "--out=" + out, "--splits=0"}, 1, "at least 1"},
		{[]string{"paper", "--out=" + out, "--mu=inf"}, 1, "--mu"},
		{[]string{"paper", "--out=" + out, "--timed=-1"}, 1, "--timed"},
		{[]string{"paper", "--out=" + filepath.Join(out, "nothing"), "--report-only"}, 1, "no results in"},
		{[]string{"paper", "--out=" + out, "--data=" + out}, 1, "make data"},
		{[]string{"paper", "--out=" + filepath.Join(out, "nothing"), "--retune=a9a:0"}, 1, "no results in"},
	} {
		_, code, err := runCommand(t, c.args...)
		if code != c.code || err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v: exit code %d, error %v; want %d and %q", c.args, code, err, c.code, c.message)
		}
	}
	if files, err := os.ReadDir(out); err != nil || len(files) > 0 {
		t.Errorf("a command that could not begin left %v, %v", files, err)
	}
}

func TestHelp(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(exe, "--help").Output()
	if err != nil || !strings.Contains(string(out), "end-to-end") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestProgram tests the commands that run the program scas.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	// Some attacks run scas as another user, who must be able to enter these directories.
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	scas, err := program.FindOrBuild(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("scaling", func(t *testing.T) { testScaling(t, scas) })
	t.Run("attack", func(t *testing.T) { testAttack(t, scas) })
}

func testScaling(t *testing.T, scas string) {
	dir, data := t.TempDir(), dataFile(t)
	args := []string{"scaling", "--scas", scas, "--repeat", "1", "--copies", "1,2", "--ranks", "2", "--results", dir}
	out, _, err := runCommand(t, append(args, data)...)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var rows [][]string
	for _, line := range lines[len(lines)-2:] {
		rows = append(rows, strings.Fields(line))
	}
	if first, second := rows[0], rows[1]; len(first) != 15 || len(second) != 15 || first[1] == second[1] {
		t.Errorf("rows %q:\n%s", rows, out)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "scaling-*.txt")); len(files) != 1 {
		t.Errorf("files %v", files)
	}
	if _, _, err := runCommand(t, "scaling", "--scas", scas, "--copies", "0", data); err == nil ||
		!strings.Contains(err.Error(), "--copies") {
		t.Errorf("--copies 0: %v", err)
	}
	for _, bad := range []string{data + ".none", data + ":x"} {
		if _, _, err := runCommand(t, append(args, bad)...); err == nil {
			t.Errorf("%s is measured", bad)
		}
	}
}

// testAttack makes some trials of every kind of attack. The program must survive all of them.
func testAttack(t *testing.T, scas string) {
	c := attackCmd{Options: attack.Options{Scas: scas, For: time.Hour, Tries: 4}, Results: t.TempDir()}
	if testing.Short() {
		c.Tries = 1
	}
	var stdout, stderr bytes.Buffer
	if err := c.Run(&race.Env{Ctx: t.Context(), Stdout: &stdout, Stderr: &stderr}); err != nil {
		t.Error(err)
	}
	t.Logf("\n%s", &stdout)
	for _, k := range attack.Kinds() {
		if !regexp.MustCompile(`(?m)^` + k.Name + ` +([1-9]\d* |- .*skipped: )`).MatchString(stdout.String()) {
			t.Errorf("no trial of %s, and no reason", k.Name)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(c.Results, "attack-*.txt")); len(files) != 1 {
		t.Errorf("files %v", files)
	}
	out, code, err := runCommand(t, "attack", "--scas="+scas, "--seed=2", "--only=bombs")
	if err != nil || code != 0 || strings.Contains(out, "signals") ||
		!regexp.MustCompile(`\nbombs +(1 +1 +0 |- .*skipped: )`).MatchString(out) {
		t.Errorf("one trial: exit code %d, %v:\n%s", code, err, out)
	}
}
