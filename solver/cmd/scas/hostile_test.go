package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// FuzzFlags runs random command lines, with odd values of flags and with damaged data. A command must end
// with a documented exit code; it must print a message unless it succeeds. A failed command must write no
// files, and a successful command must write only the files that its arguments name.
//
// A seed determines the command line. To repeat one trial, and to make new ones for an hour:
//
//	go test -run 'FuzzFlags/seed#17$' ./solver/cmd/scas
//	go test -run '^$' -fuzz FuzzFlags -fuzztime 1h ./solver/cmd/scas
func FuzzFlags(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	inputs := f.TempDir()
	writeHostileFiles(f, inputs)
	flags := map[string][]hostileFlag{}
	for _, command := range leafCommands(f) {
		path := strings.Join(strings.Fields(command.FullPath())[1:], " ")
		for _, flag := range slices.Concat(command.AllFlags(false)...) {
			if !slices.Contains(untriedFlags, flag.Name) {
				flags[path] = append(flags[path], hostileFlags(path, flag)...)
			}
		}
	}
	best := kernels.Active()
	f.Cleanup(func() { _ = kernels.Use(best) }) // the flag --level changes the level
	f.Fuzz(func(t *testing.T, seed uint64) {
		dir := t.TempDir()
		t.Chdir(dir)
		h := &hostileRun{rng: rand.New(rand.NewPCG(seed, 3)), inputs: inputs, oldFiles: map[string]string{}}
		for _, name := range outputNames {
			if h.rng.IntN(2) == 0 {
				h.oldFiles[name] = "what was here before\n"
				writeText(t, dir, name, h.oldFiles[name])
			}
		}
		args := h.makeArgs(t, flags)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		defer func() {
			if r := recover(); r != nil {
				t.Logf("scas %q", args)
				panic(r)
			}
		}()
		result := runWith(t, env{ctx: ctx}, args...)
		err := h.check(dir, args, result)
		if ctx.Err() != nil {
			err = errors.New("it does not end")
		}
		if err != nil {
			t.Errorf("scas %q: %v; exit code %d, %.2000s", args, err, result.code, result.stderr)
		}
	})
}

// solverFlags lists flags of the command train. Most of them can be combined. Most random command lines have only
// these flags, because with other flags few command lines reach the solver.
var solverFlags = strings.Fields(`loss lambda mu l2y graph groups domain method tol passes eta rho seed batch-size
	inner-steps dual-updates schedule float32 output class-weights sample-weights features threads level
	verbose json model no-intercept no-standardize`)

// untriedFlags are left out: some end the program at once, others need several processes.
var untriedFlags = []string{"help", "help-all", "version", "dist", "dist-timeout"}

// A hostileRun is a run with random arguments.
type hostileRun struct {
	rng      *rand.Rand
	inputs   string            // directory of the files that writeHostileFiles writes
	oldFiles map[string]string // contents of the output files before the run, by name
}

// outputNames has the names of all files that a random command line may ask the command to write.
var outputNames = []string{"o1", "o2", "o3", "o4"}

func (h *hostileRun) pick(choices ...string) string { return choices[h.rng.IntN(len(choices))] }

// makeArgs returns a random command line. flags has the flags of each command.
func (h *hostileRun) makeArgs(t *testing.T, flags map[string][]hostileFlag) (args []string) {
	command := h.pick("train", "train", "train", "train", "train", "train", "path", "cv", "predict", "graph",
		"model show", "model convert", "convert", "info", "completion", "")
	args = strings.Fields(command)
	data := "IN/" + h.pick("tiny", "tiny", "mid", "numbers", "large", "small", "mixed", "one", "bad", "empty",
		"none", "labels", "zeros", "equal", "wide", "classes") + ".svm"
	if h.rng.IntN(5) == 0 {
		data = h.spoil(t)
	}
	switch command {
	case "predict":
		args = append(args, "-m", h.pick("IN/mid.json", "IN/mid.json", "IN/tiny.svm", "IN/none", "/dev/null"), data)
	case "model show":
		args = append(args, h.pick("IN/mid.json", "IN/tiny.svm", "/dev/null", "IN"))
	case "model convert":
		args = append(args, h.pick("IN/mid.json", "IN/mid.json", "IN/tiny.svm"), h.pick("o1", "/dev/full"))
	case "convert":
		args = append(args, data, "o1"+h.pick("", ".csv", ".npy", ".npz", ".mtx", ".svm.gz", ".tsv.zst"))
	case "completion":
		args = append(args, h.pick("bash", "zsh", "fish", "x"))
	case "":
		args = append(args, h.pick("x", "--", "-", "train"))
	default:
		if h.rng.IntN(20) > 0 {
			args = append(args, data)
		}
	}
	some := slices.Clone(flags[command])
	if command == "train" && h.rng.IntN(3) > 0 {
		some = slices.DeleteFunc(some,
			func(f hostileFlag) bool { return !slices.Contains(solverFlags, strings.TrimLeft(f.name, "-")) })
	}
	h.rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	for _, flag := range some[:min(len(some), h.rng.IntN(9))] {
		switch {
		case flag.values == nil:
			args = append(args, flag.name)
		case h.rng.IntN(20) == 0:
			args = append(args, flag.name+"="+h.pick(badValues...))
		default:
			args = append(args, flag.name+"="+h.pick(flag.values...))
		}
	}
	for k, arg := range args {
		args[k] = strings.ReplaceAll(arg, "IN", h.inputs)
	}
	return args
}

// spoil writes the data of mid.svm in a random format to the working directory. It may change some bits or
// cut the file short. It returns the name of the file.
func (h *hostileRun) spoil(t *testing.T) (name string) {
	t.Helper()
	name = "spoilt" + h.pick(".csv", ".tsv", ".npy", ".npz", ".mtx", ".svm.zst")
	mid, err := sparse.ReadFile(filepath.Join(h.inputs, "mid.svm"), nil)
	if err == nil {
		err = sparse.WriteFile(name, mid)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(textOf(t, name))
	for range h.rng.IntN(4) {
		text[h.rng.IntN(len(text))] ^= byte(1 << h.rng.IntN(8))
	}
	if h.rng.IntN(4) == 0 {
		text = text[:h.rng.IntN(len(text))]
	}
	return filepath.Base(writeText(t, ".", name, string(text)))
}

// check returns an error if a command did something wrong. dir is its working directory.
func (h *hostileRun) check(dir string, args []string, result outcome) error {
	succeeded := result.code == exitOK || result.code == exitNotConverged
	switch {
	case result.code < 0 || result.code > exitNotConverged:
		return errors.New("an exit code that is not documented")
	case result.code != exitOK && !strings.Contains(result.stderr, "scas: ") &&
		!strings.Contains(result.stderr, `"level":"error"`):
		return errors.New("no message")
	case result.code == exitOK && slices.ContainsFunc(
		[]string{"objective   +Inf", "objective   NaN", `"objective": null`},
		func(text string) bool { return strings.Contains(result.out, text) }):
		return fmt.Errorf("an objective that is not finite: %.2000s", result.out)
	case result.code == exitOK && result.out != "" && args[0] != "predict" && slices.Contains(args, "--json") &&
		!json.Valid([]byte(result.out)) && !slices.Contains(args, "--method=list"):
		return fmt.Errorf("--json printed %.2000s", result.out)
	}
	for name := range h.oldFiles {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		old, existed := h.oldFiles[e.Name()]
		asked := slices.ContainsFunc(args, func(arg string) bool { return strings.HasSuffix(arg, e.Name()) })
		switch {
		case existed && string(text) == old, strings.HasPrefix(e.Name(), "spoilt"):
		case !asked || !succeeded:
			return fmt.Errorf("it wrote %s: %.2000q", e.Name(), text)
		case len(text) == 0 && args[0] != "path":
			return fmt.Errorf("%s is empty", e.Name())
		}
	}
	return nil
}

// A hostileFlag is a flag with the values to try. Without values, it is a switch.
type hostileFlag struct {
	name   string
	values []string
}

// hostileFlags returns the flag f of a command with the values to try. If f is a switch with a negation, the result
// also has the negation, such as --no-standardize.
func hostileFlags(command string, f *kong.Flag) []hostileFlag {
	name := "--" + f.Name
	values, found := flagValues[command+" "+name]
	if !found {
		values, found = flagValues[name]
	}
	switch {
	case f.IsBool() && f.Tag.Negatable != "":
		return []hostileFlag{{name, nil}, {"--no-" + f.Name, nil}}
	case f.IsBool():
		return []hostileFlag{{name, nil}}
	case command == "predict" && f.Name == "model": // makeArgs adds -m itself
		return nil
	case found:
		return []hostileFlag{{name, values}}
	case f.Enum != "":
		return []hostileFlag{{name, f.EnumSlice()}}
	case f.PlaceHolder == "N" || f.PlaceHolder == "K":
		return []hostileFlag{{name, []string{"1", "2", "3", "7", "100", "2147483647"}}}
	}
	return []hostileFlag{{name, hostileNumbers}}
}

var hostileNumbers = []string{
	"0", "1", "0.1", "0.5", "1e-4", "5e-324", "1e-308", "1e-160", "1e100", "1e150", "1e155", "1e308",
	"1.7976931348623157e308",
}

// badValues are values that many flags refuse.
var badValues = []string{
	"", "x", "nan", "inf", "-inf", "1e400", "1e3", "-1", "0x10", "1_0", "１", "2147483648", "4294967296",
	"9223372036854775808", "1.5", "2", "0", "hinge", "huber:0", "IN/none", "IN", "/dev/null", "-1s", "101%",
	"box:1,0", "1e300TB", "18446744073709551616",
}

// flagValues has values to try for some flags. hostileFlags chooses the values of all other flags from their types:
// numbers, counts, and words of a short list. A key is a flag such as --bounds, or a command and a flag if the values
// are for this command only. IN in a value stands for the directory of the input files.
var flagValues = map[string][]string{
	"--bounds":      {"IN/bounds", "IN/edges"},
	"--categorical": {"1", "1,2"},
	"--checkpoint":  {"o4", "/dev/null"},
	"--correlation": {"IN/table", "IN/edges"},
	"--delimiter":   {",", ";", "tab", "\"", "\n"},
	"--domain": {
		"nonnegative", "ball:1", "ball:5e-324", "ball:1e308", "simplex", "simplex:1e308", "box:-1,1", "box:-inf,inf",
		"box:0,0", "box:1e308,1e308", "box:-1e-308,5e-324",
	},
	"--dot":      {"o3"},
	"--drop":     {"1", "2,3", "label"},
	"--eta":      append([]string{"auto"}, hostileNumbers...),
	"--features": {"3", "9", "100", "2147483647"},
	"--graph": {
		"none", "chain", "chain", "IN/edges", "IN/steep", "IN/flat", "IN/matrix", "matrix:IN/edges", "IN/mid.svm",
	},
	"--groups":          {"IN/groups", "IN/edges"},
	"--index-base":      {"auto", "0", "1"},
	"--l1-ratio":        {"0", "5e-324", "0.5", "1"},
	"--label":           {"label", "1", "none", "0", "9"},
	"--labels":          {"IN/weights"},
	"--labels-out":      {"o2", "o2.npy", "o1"},
	"--lambdas":         {"1", "2", "9", "0", "0.1,0", "1e-3", "0.1,0.01", "0.1,0.2"},
	"--level":           {"generic", "avx2", "avx512"},
	"--loss":            append(term.LossNames(), "huber:0.01", "huber:5e-324", "huber:1e308"),
	"--memory":          {"100MB", "1", "8GiB", "60%"},
	"--method":          methodNames(),
	"graph --method":    {"glasso", "threshold", "knn", "chain", "recipe"},
	"--model":           {"o1"},
	"--names":           {"IN/names", "IN/weights"},
	"--offset":          {"IN/weights", "IN/offsets"},
	"--offset-column":   {"1", "x2", "label"},
	"graph --output":    {"o1"},
	"path --output":     {"o1"},
	"predict --output":  {"o1", "/dev/null", "/dev/full"},
	"--passes":          {"1", "3", "50", "1e-300", "auto"},
	"--penalty-factors": {"IN/factors", "IN/groups"},
	"--positive":        {"1", "-1", "0", "2"},
	"--precision":       {"o4", "o1"},
	"--report":          {"o3", "o1"},
	"--rho":             append([]string{"auto"}, hostileNumbers...),
	"--sample-weights":  {"IN/weights", "IN/groups"},
	"--seed":            {"0", "7", "18446744073709551615"},
	"--start":           {"IN/mid.json", "IN/tiny.svm"},
	"--svg":             {"o2", "o1"},
	"--time-limit":      {"1ns", "1ms", "2s", "9999999h"},
	"--tol":             {"1e-6", "0.5", "1e-12", "1e-300", "5e-324", "none", "auto"},
}

func methodNames() []string {
	names := []string{"auto", "auto", "list"}
	for _, m := range baseline.Methods() {
		names = append(names, m.Info().Name)
	}
	return names
}

// writeHostileFiles writes the files that the commands read.
func writeHostileFiles(t testing.TB, dir string) {
	t.Helper()
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: 150, Features: 8, Groups: 1, GroupSize: 4, Noise: 1, Seed: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	classes, offsets := make([]float64, 150), ""
	for i := range classes {
		classes[i] = float64(i % 4)
		offsets += fmt.Sprintln(i%7 - 3)
	}
	for name, labels := range map[string][]float64{
		"mid.svm": s.Labels, "numbers.svm": s.X.RowNormsSq(), "classes.svm": classes,
	} {
		if err := sparse.WriteFile(filepath.Join(dir, name), &sparse.Dataset{X: s.X, Labels: labels}); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"mid.json": `{"format": 2, "scas_version": "0.1.0", "loss": "logistic", "labels": {"negative": -1, "positive": 1},
"p": 8, "index_base": 1, "intercept": 0.125, "lambda": 0.01, "objective": 0.5, "mean_loss": 0.4, "duality_gap": null,
"rel_tol": 1e-06, "status": "converged", "seed": 0, "coefficients": [1,1,0,0,-0.5,-0.5,0,2]}`,
		"tiny.svm":  "1 1:1 2:2 3:0.5\n-1 1:-1 3:1\n1 2:1\n-1 1:0.5 2:-3\n",
		"large.svm": "1 1:1e300 2:2\n-1 1:-1e308 3:1e155\n1 2:1\n",
		"small.svm": "1 1:5e-324 2:1e-300\n-1 1:-1e-308 3:1e-160\n",
		"mixed.svm": "1 1:1e100 2:1e-100\n-1 1:-1 3:1\n1 2:1e9\n-1 3:-1e-9\n",
		"one.svm":   "1 1:1\n-1\n", "bad.svm": "1 1:1\n-1 2:x\n", "empty.svm": "", "labels.svm": "1\n-1\n",
		"zeros.svm": "1 1:0\n-1 3:0\n1 2:0\n", "equal.svm": "1 1:1 2:1 3:1\n-1 1:1 2:1 3:1\n1 1:1 2:1 3:1\n",
		"wide.svm": "1 9:1 70000:2\n-1 3:1\n1 69999:1 70000:1\n",
		"bounds":   "1 -1 1\n2 0 inf\n", "factors": strings.Repeat("1\n", 7) + "0\n", "groups": "1 3\n2\n",
		"edges": "1 2\n2 3 -1\n", "steep": "1 2 1e155\n", "flat": "1 2 1e-200\n2 3 1e90\n", "offsets": offsets,
		"matrix":  "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 2 -1\n2 3 5\n",
		"weights": "1\n1e308\n0\n5e-324\n", "table": "1 0.5 0.2\n0.5 1 0.1\n0.2 0.1 1\n", "names": "a\nb\nc\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
