package model

import (
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// A pythonProcess is a Python interpreter that runs scripts, one after the other. All tests share one
// process, because the import of scikit-learn takes a second.
type pythonProcess struct {
	input  *json.Encoder
	output *json.Decoder
}

// pythonLoop runs the scripts that it reads, each with its input as the variable d, and prints the variable
// out of each script.
const pythonLoop = `
import json, sys
for line in sys.stdin:
    script, d = json.loads(line)
    names = {"d": d}
    exec(script, names)
    print(json.dumps(names["out"]), flush=True)
`

// startPython starts a Python interpreter that has scikit-learn. It returns nil if there is none. The process
// ends when the end of the tests closes its standard input.
var startPython = sync.OnceValue(func() *pythonProcess {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c",
			"import importlib.util, sys; sys.exit(importlib.util.find_spec('sklearn') is None)").Run() != nil {
			continue
		}
		cmd := exec.Command(name, "-W", "ignore", "-c", pythonLoop)
		cmd.Stderr = os.Stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			panic(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			panic(err)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		return &pythonProcess{json.NewEncoder(stdin), json.NewDecoder(stdout)}
	}
	return nil
})

// runPython runs a script with input, encoded as JSON, as its variable d. The variable out that the script
// sets is decoded into result. runPython skips the test if scikit-learn is not installed.
func runPython(t testing.TB, script string, input, result any) {
	t.Helper()
	python := startPython()
	if python == nil {
		t.Skip("skipped: scikit-learn is not installed")
	}
	if err := python.input.Encode([]any{script, input}); err != nil {
		t.Fatal(err)
	}
	if err := python.output.Decode(result); err != nil {
		t.Fatalf("%v; Python printed the reason to the standard error", err)
	}
}
