package attack

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"

	"github.com/scas-admm/scas/bench/internal/program"
)

// A job is a command line that writes files.
type job struct {
	args    []string          // a line of jobLines; outputs are names in the working directory
	outputs map[string][]byte // the outputs of an undisturbed run, by name
	seconds float64           // duration of an undisturbed run
}

// jobLines are the command lines of the jobs. IN stands for the directory of the inputs.
var jobLines = [][]string{
	{"train", "-o", "m.json", "IN/tiny.svm"},
	{"train", "--intercept", "--standardize", "-o", "m.json", "IN/mid.svm"},
	{"train", "--graph", "IN/edges", "--method", "scas-k", "--passes", "20", "-o", "m.json", "IN/mid.svm"},
	{"path", "--lambdas", "8", "-o", "p.csv", "--svg", "p.svg", "IN/mid.svm"},
	{"cv", "--lambdas", "8", "--folds", "3", "-o", "m.json", "--svg", "c.svg", "IN/mid.svm"},
	{
		"graph", "--penalty", "0.1", "-o", "g.edges", "--svg", "g.svg", "--dot", "g.dot", "--precision",
		"g.mat", "IN/mid.svm",
	},
	{"predict", "-m", "IN/mid.json", "--svg", "r.svg", "-o", "p.txt", "IN/mid.svm"},
	{"train", "--intercept", "-o", "m.json", "IN/classes.svm"},
	{"cv", "--lambdas", "4", "--folds", "2", "-o", "m.json", "IN/classes.svm"},
	{"model", "convert", "IN/mid.json", "m.txt"},
	{"convert", "IN/mid.svm", "c.csv"},
	{"convert", "IN/mid.svm", "c.npz"},
}

// makeJobs sets g.strace and g.jobs, unless g.jobs is set already. It runs each job without a disturbance. If
// a job does not always write the same bytes, trials will find that.
func (g *testbed) makeJobs(ctx context.Context) error {
	if g.jobs != nil {
		return nil
	}
	g.strace = g.straceWorks(ctx)
	if !g.strace {
		g.say("no strace that works: no signals at system calls, and no failing system calls")
	}
	var jobs []job
	for _, line := range jobLines {
		newJob := job{args: g.expand(line)}
		if err := newJob.runUndisturbed(ctx, g); err != nil {
			return err
		}
		jobs = append(jobs, newJob)
	}
	g.jobs = jobs
	return nil
}

// writeInputs writes the files that the attacked commands read into a new directory, g.inputDir.
func (g *testbed) writeInputs() (err error) {
	g.inputDir, err = g.tempDir("in")
	if err != nil {
		return err
	}
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: 150, Features: 8, Groups: 1, GroupSize: 4, Noise: 1, Seed: 5,
	})
	if err != nil {
		return err
	}
	var mid, classes strings.Builder
	if err := sparse.Write(&mid, sparse.LIBSVM, s.Dataset); err != nil {
		return err
	}
	for i, line := range strings.SplitAfter(strings.TrimSuffix(mid.String(), "\n"), "\n") {
		_, features, _ := strings.Cut(line, " ")
		fmt.Fprintf(&classes, "%d %s", i%4, features)
	}
	return writeFiles(g.inputDir, map[string]string{
		"mid.svm": mid.String(), "classes.svm": classes.String(), "mid.json": midModel,
		"tiny.svm": "1 1:1 2:2 3:0.5\n-1 1:-1 3:1\n1 2:1\n-1 1:0.5 2:-3\n",
		"edges":    "1 2\n2 3 -1\n", "names": "a\nb\nc\n",
		"table": "1 0.5 0.2\n0.5 1 0.1\n0.2 0.1 1\n",
	})
}

// midModel is the content of mid.json: a model with the features of mid.svm.
const midModel = `{
  "format": 2,
  "scas_version": "0.1.0",
  "loss": "logistic",
  "labels": {
    "negative": -1,
    "positive": 1
  },
  "p": 8,
  "index_base": 1,
  "intercept": 0.125,
  "lambda": 0.01,
  "objective": 0.5,
  "mean_loss": 0.4,
  "duality_gap": null,
  "rel_tol": 1e-06,
  "status": "converged",
  "seed": 0,
  "coefficients": [1,1,0,0,-0.5,-0.5,0,2]
}
`

// runUndisturbed runs a job without an attack, and stores the outputs and the time. An empty output is an
// error.
func (j *job) runUndisturbed(ctx context.Context, g *testbed) error {
	dir, err := g.tempDir("job")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := g.call(ctx, program.Call{Dir: dir, Args: j.args})
	if err != nil {
		return err
	}
	if e.Code != exitOK {
		return fmt.Errorf("%v: exit code %d undisturbed: %s", j.args, e.Code, e.Stderr)
	}
	j.outputs, err = changedFiles(dir, nil)
	if err != nil {
		return err
	}
	j.seconds = e.Wall.Seconds()
	for name, text := range j.outputs {
		if len(text) == 0 {
			return fmt.Errorf("%v: %s is empty", j.args, name)
		}
	}
	return nil
}

// changedFiles returns the files in dir that a run has made or changed: their contents, by name. oldFiles has
// the contents of all files in dir before the run. If the run has removed one of them, changedFiles returns
// an error.
func changedFiles(dir string, oldFiles map[string]string) (map[string][]byte, error) {
	changed := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for name := range oldFiles {
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			return nil, fmt.Errorf("%s is gone", name)
		}
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		oldText, existed := oldFiles[e.Name()]
		if !existed || string(text) != oldText {
			changed[e.Name()] = text
		}
	}
	return changed, nil
}

// old is the content that some output files have before a job runs.
const old = "what was here before\n"

// A disturbedJob is a job in a directory of its own.
type disturbedJob struct {
	job
	dir      string
	oldFiles map[string]string // contents of the outputs that exist before the job, by name
}

// prepare chooses a job at random and makes a directory for it. Some of the job's output files already
// exist in the directory, with the content old.
func (g *testbed) prepare(rng *rand.Rand) (*disturbedJob, error) {
	j := &disturbedJob{job: pick(rng, g.jobs...), oldFiles: map[string]string{}}
	var err error
	j.dir, err = g.tempDir("trial")
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(j.outputs)) {
		// Sorted, so that the seed determines the files.
		if !chance(rng, 4) {
			j.oldFiles[name] = old
		}
	}
	return j, writeFiles(j.dir, j.oldFiles)
}

// judge checks the directory of the job, and returns in words which outputs are new. Every output must
// be complete and new, or as it was before the job. If succeeded is true, all outputs must be new. Any other
// file is an error, but temporary files are allowed if mayLeaveTemp is true.
func (j *disturbedJob) judge(succeeded, mayLeaveTemp bool) (outcome string, err error) {
	changed, err := changedFiles(j.dir, j.oldFiles)
	if err != nil {
		return "", fmt.Errorf("%v: %w", j.args, err)
	}
	newOutputs := 0
	for name, text := range changed {
		switch want, isOutput := j.outputs[name]; {
		case isOutput && bytes.Equal(text, want):
			newOutputs++
		case strings.HasSuffix(name, ".tmp") && mayLeaveTemp:
		default:
			return "", fmt.Errorf("%v: left %s with %q", j.args, name, head(string(text)))
		}
	}
	switch {
	case newOutputs == len(j.outputs):
		return "new whole", nil
	case succeeded:
		return "", fmt.Errorf("%v: exit code 0, and %d of %d outputs", j.args, newOutputs, len(j.outputs))
	case newOutputs == 0:
		return "old kept", nil
	}
	return "some new whole", nil
}

// inject returns words to put before a command line, so that strace runs it. If callNumber is 2, strace
// tampers with the second call of the given system call. tampering is an action in the syntax of strace.
func inject(call, tampering string, callNumber int) []string {
	return []string{
		"strace", "-f", "-o", os.DevNull, "-e", "trace=" + call, "-e",
		fmt.Sprintf("inject=%s:%s:when=%d", call, tampering, callNumber),
	}
}

func (g *testbed) straceWorks(ctx context.Context) bool {
	dir, err := g.tempDir("strace")
	if err != nil {
		return false
	}
	e, err := g.call(ctx, program.Call{
		Dir: dir, Args: []string{"--version"},
		Wrapper: []string{"strace", "-f", "-o", "trace", "-e", "inject=fsync:error=EIO:when=65535"},
	})
	return err == nil && e.Code == exitOK
}

// remove deletes a directory with its contents, even if directories in it are not writable.
func remove(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	os.RemoveAll(dir)
}
