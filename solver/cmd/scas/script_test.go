package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scas-admm/scas/kernels"
)

// TestMain lets scripts and tests run the test binary as the commands scas and scas-peak.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"scas": main, "scas-peak": peakMain})
}

// TestScripts runs the scripts in testdata. They have these commands beside the commands of testscript:
//
//	exits CODE ARGS...   calls run. The exit code must be CODE, and errors must not name packages.
//	starts CODE ARGS...  is exits in a new process, with the environment and the stdin of the script
//	terminated SIGNAL ARGS...  runs scas on a pipe that never ends, and sends SIGINT, SIGTERM or
//	                     SIGHUP while it reads. The exit code must be 130, and stdout empty.
//	sameobjective FILE FILE TOL  compares the objectives in two reports of train --json
//	fields FILE SPEC...  checks fields of a JSON object. SPEC is the name of a field that must be
//	                     there, or NAME=VALUE, with the value as JSON. run.eta is the field eta of
//	                     the field run. FILE may be stdout.
func TestScripts(t *testing.T) {
	inputs := makeInputs(t)
	deadline, _ := t.Deadline() // testscript.Run does this; RunT does not
	testscript.RunT(serialT{t}, testscript.Params{
		Deadline:           deadline,
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.T().(serialT).Chdir(e.WorkDir)
			for name, content := range inputs {
				if err := os.WriteFile(name, content, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  func(ts *testscript.TestScript, neg bool, args []string) { checkExit(t, ts, neg, args) },
			"starts": checkProcess, "terminated": checkTerminated,
			"fields": checkFields, "sameobjective": checkSameObjective,
		},
		Condition: func(name string) (bool, error) {
			l, err := kernels.ParseLevel(name)
			if err != nil {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			for _, have := range kernels.Available() {
				if l == have {
					return true, nil
				}
			}
			return false, nil
		},
	})
}

// A serialT runs scripts one after the other, because exits needs the working directory of its script.
type serialT struct{ *testing.T }

func (serialT) Parallel()     {}
func (serialT) Verbose() bool { return testing.Verbose() }

func (t serialT) Run(name string, script func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { script(serialT{t}) })
}

// packageName matches the name of a package in an error.
var packageName = regexp.MustCompile(`: (sparse|atomicfile|graph|draw|glasso|solver|model|rows|exact|dist|kernels): `)

func checkExit(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	r := runHere(t, args[1:]...)
	_, _ = io.WriteString(ts.Stdout(), r.out)
	_, _ = io.WriteString(ts.Stderr(), r.stderr)
	checkOutcome(ts, args, r)
}

func checkProcess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: starts CODE ARGS...")
	}
	var r outcome
	err := ts.Exec("scas", args[1:]...)
	if exitErr, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exitErr.ExitCode()
	} else if err != nil {
		ts.Fatalf("running scas: %v", err)
	}
	r.stderr = ts.ReadFile("stderr")
	checkOutcome(ts, args, r)
}

// checkOutcome checks the exit code and the errors of scas. args are the wanted exit code and the arguments
// of scas.
func checkOutcome(ts *testscript.TestScript, args []string, r outcome) {
	command := strings.Join(args[1:], " ")
	if pkgName := packageName.FindString(r.stderr); pkgName != "" {
		ts.Fatalf("scas %s: the error has the name of a package: %q", command, pkgName)
	}
	if got := strconv.Itoa(r.code); got != args[0] {
		ts.Fatalf("scas %s: exit code %s, want %s", command, got, args[0])
	}
}

func checkTerminated(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: terminated SIGNAL ARGS...")
	}
	sentSignal, known := map[string]os.Signal{
		"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP,
	}[args[0]]
	switch {
	case !known:
		ts.Fatalf("unknown signal %s", args[0])
	case sentSignal == syscall.SIGHUP && signal.Ignored(sentSignal): // under nohup, scas ignores it
		return
	}
	cmd := exec.Command("scas", args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer stdin.Close()
	// more than a pipe holds: after this write the process has begun to read
	_, err = stdin.Write(bytes.Repeat([]byte("1 1:1 2:3\n-1 1:2 3:1\n"), 1<<15))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(sentSignal))
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitInterrupted || stdout.Len() > 0 ||
		!strings.Contains(stderr.String(), "scas: interrupted: nothing written") {
		ts.Fatalf("scas %s: %v, stdout %q, stderr %q", strings.Join(args, " "), cmd.ProcessState, &stdout, &stderr)
	}
}

// checkFields checks fields of a JSON object. If the object has a list "models" with one element, the fields
// of this element count as fields of the object.
func checkFields(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fields FILE NAME[=JSON]...")
	}
	var object map[string]json.RawMessage
	text := []byte(ts.ReadFile(args[0]))
	ts.Check(json.Unmarshal(text, &object))
	ts.Check(addOnlyModel(text, &object))
	for _, spec := range args[1:] {
		name, want, hasValue := strings.Cut(spec, "=")
		key, container := name, object
		if parentName, childName, nested := strings.Cut(name, "."); nested {
			key, container = childName, nil
			ts.Check(json.Unmarshal(object[parentName], &container))
		}
		got, found := container[key]
		if !found || string(got) == "null" && want != "null" {
			ts.Fatalf("%s has no %s", args[0], name)
		}
		var compact bytes.Buffer
		ts.Check(json.Compact(&compact, got))
		if hasValue && compact.String() != want {
			ts.Fatalf("%s: %s is %s, want %s", args[0], name, &compact, want)
		}
	}
}

// addOnlyModel parses JSON text. If it has a list "models" with one element, addOnlyModel stores the fields
// of this element in object.
func addOnlyModel(text []byte, object any) error {
	var file struct{ Models []json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Models) != 1 {
		return nil
	}
	return json.Unmarshal(file.Models[0], object)
}

func checkSameObjective(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sameobjective FILE FILE TOL")
	}
	tol, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	var v [2]struct{ Objective *float64 }
	for k := range v {
		text := []byte(ts.ReadFile(args[k]))
		ts.Check(json.Unmarshal(text, &v[k]))
		ts.Check(addOnlyModel(text, &v[k]))
		if v[k].Objective == nil {
			ts.Fatalf("%s has no objective", args[k])
		}
	}
	if a, b := *v[0].Objective, *v[1].Objective; !(math.Abs(a-b) <= tol) {
		ts.Fatalf("objectives %v and %v", a, b)
	}
}

// makeInputs returns the input files that a script cannot contain.
func makeInputs(t *testing.T) map[string][]byte {
	svmText := []byte(textOf(t, writeWDBC(t, t.TempDir())))
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	compressed := enc.EncodeAll(svmText, nil)
	noise := make([]byte, 5000)
	for i, state := 0, uint32(1); i < len(noise); i++ {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	return map[string][]byte{
		"wdbc.svm":      svmText,
		"wdbc.zst":      compressed,
		"truncated.zst": compressed[:len(compressed)/2],
		"noise.svm":     noise,
		"empty.svm":     nil,
		"linear.zst":    enc.EncodeAll([]byte("solver_type L1R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1\n0\n"), nil),
	}
}
