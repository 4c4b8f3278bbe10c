package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver/baseline"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginFlags(ctx context.Context, g *testbed) (trial, error) {
	for _, extension := range extensions {
		args := []string{"convert", "mid.svm", "mid" + extension}
		e, err := g.call(ctx, program.Call{Dir: g.inputDir, Args: args})
		if err == nil && e.Code != exitOK {
			err = fmt.Errorf("exit code %d: %s", e.Code, head(e.Stderr))
		}
		if err != nil {
			return nil, fmt.Errorf("no mid%s: %w", extension, err)
		}
	}
	var err error
	for _, command := range []string{"train", "path", "cv", "predict", "graph", "model show", "model convert", "convert", "info"} {
		err = errors.Join(err, checkFlags(ctx, g, command))
	}
	if err != nil {
		return nil, err
	}
	return g.tryFlags, nil
}

var flagInHelp = regexp.MustCompile(`(?m)^ {2,6}(?:-\w, +)?--(?:\[no-\])?([a-z0-9-]+)`)

// untried has the long names of flags that flagsOf need not list: help, help-all and version end the program at
// once, dist and dist-timeout need several processes, and an attack writes model and output as -m or -o.
var untried = []string{"help", "help-all", "version", "model", "output", "dist", "dist-timeout"}

// checkFlags returns an error if a command has a flag that neither flagsOf nor untried lists.
func checkFlags(ctx context.Context, g *testbed, command string) error {
	e, err := g.call(ctx, program.Call{Args: append(strings.Fields(command), "--help-all")})
	if err != nil {
		return err
	}
	names := slices.Clone(untried)
	for _, f := range append(flagsOf(command), flagsOf("")...) {
		names = append(names, strings.TrimLeft(f.name, "-"))
	}
	var missing []string
	for _, match := range flagInHelp.FindAllStringSubmatch(e.Stdout, -1) {
		if !slices.Contains(names, match[1]) {
			missing = append(missing, "--"+match[1])
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no command line of the attack has the flags %v of scas %s: add them to flagsOf", missing, command)
	}
	return nil
}

// extensions are the file name endings of the copies of mid.svm in other formats, and of a compressed copy.
var extensions = []string{".csv", ".tsv", ".npy", ".npz", ".mtx", ".svm.zst"}

// spoil copies the data of mid.svm in a random format to a file in dir, and may change some bits or cut the
// file short.
func (g *testbed) spoil(rng *rand.Rand, dir string) (name string, err error) {
	extension := pick(rng, extensions...)
	text, err := os.ReadFile(filepath.Join(g.inputDir, "mid"+extension))
	if err != nil {
		return "", err
	}
	for range rng.IntN(4) {
		text[rng.IntN(len(text))] ^= byte(1 << rng.IntN(8))
	}
	if chance(rng, 4) {
		text = text[:rng.IntN(len(text))]
	}
	name = "spoilt" + extension
	return name, os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

// A flag is the name of a flag with values to try. A flag without values is a switch.
type flag struct {
	name   string
	values []string
}

// value returns one of the values of the flag, and prefers values that are not in badValues.
func (f flag) value(rng *rand.Rand) (v string) {
	for range 4 {
		if v = pick(rng, f.values...); !slices.Contains(badValues, v) {
			break
		}
	}
	return v
}

// badValues are values that many flags refuse.
var badValues = []string{
	"", "x", "nan", "inf", "-inf", "1e400", "-1", "0x10", "1_0", "１", "2147483648", "4294967296", "9223372036854775808", "1.5", "2", "0",
	"hinge", "huber:0", "IN/none", "IN", "/dev/null", "-1s", "101%", "box:1,0", "1e300TB", "18446744073709551616",
}

var numbers = []string{
	"0", "1", "0.1", "0.5", "1e-4", "5e-324", "1e-308", "1e-160", "1e100", "1e150", "1e155", "1e308", "1.7976931348623157e308",
	"-1", "nan", "inf", "-inf", "1e400", "", "x", "0x10", "1_0", "9223372036854775808", "１",
}

var counts = []string{"1", "2", "3", "7", "100", "0", "-1", "2147483647", "2147483648", "4294967296", "1.5", "x", "", "1e3"}

// flagsOf returns the flags of a command, or the flags that all commands have if command is none of the cases
// below. In values, IN stands for the directory of the inputs, and o1 to o4 are output files.
func flagsOf(command string) []flag {
	formatFlags := []flag{
		{"--format", []string{"auto", "libsvm", "csv", "tsv", "npy", "npz", "mtx", "x"}}, {"--labels", []string{"IN/weights", "IN/none", "/dev/null"}},
		{"--label", []string{"label", "1", "none", "0", "x", "9"}}, {"--no-header", nil}, {"--delimiter", []string{",", ";", "tab", "x", "", "\"", "\n"}},
		{"--categorical", []string{"1", "1,2", "x", ""}}, {"--drop", []string{"1", "2,3", "x", "label"}}, {"--missing", []string{"mean", "median", "zero", "0", "refuse", "x"}},
	}
	readFlags := []flag{
		{"--features", []string{"3", "9", "100", "0", "-1", "2147483647", "x"}}, {"--index-base", []string{"auto", "0", "1", "2"}},
		{"--memory", []string{"100MB", "1", "8GiB", "60%", "101%", "0", "-1", "x", "1e300TB"}},
	}
	fitFlags := []flag{
		{"--loss", []string{"logistic", "squared", "huber", "huber:0.01", "huber:5e-324", "huber:1e308", "huber:0", "squared-hinge", "poisson", "hinge"}},
		{"--graph", []string{"none", "chain", "IN/edges", "IN/steep", "IN/flat", "IN/matrix", "matrix:IN/edges", "IN/none", "IN/mid.svm", "/dev/null", "IN"}},
		{"--offset", []string{"IN/weights", "IN/offsets", "IN/none", "/dev/null"}}, {"--offset-column", []string{"1", "x2", "label", "x", ""}},
		{"--l2y", numbers}, {"--mu", numbers}, {"--fusion", numbers},
		{"--domain", []string{"nonnegative", "ball:1", "ball:5e-324", "ball:1e308", "simplex", "simplex:1e308", "box:-1,1", "box:-inf,inf", "box:0,0", "box:1,0", "box:1e308,1e308", "x"}},
		{"--bounds", []string{"IN/bounds", "IN/edges", "IN/none", "/dev/null"}}, {"--penalty-factors", []string{"IN/factors", "IN/groups", "/dev/null"}}, {"--report", []string{"o3", "o1"}},
		{"--groups", []string{"IN/groups", "IN/edges", "IN/none", "/dev/null"}}, {"--sample-weights", []string{"IN/weights", "IN/groups", "/dev/null"}},
		{"--class-weights", []string{"balanced", "none", "x"}}, {"--names", []string{"IN/names", "IN/weights", "/dev/null"}},
		{"--intercept", nil}, {"--no-intercept", nil}, {"--standardize", nil}, {"--no-standardize", nil}, {"--l1-ratio", []string{"0", "0.5", "1", "1.5", "nan", "5e-324"}},
		{"--tol", []string{"1e-6", "0.5", "1e-12", "1e-300", "none", "auto", "2", "nan"}}, {"--time-limit", []string{"1ns", "1ms", "2s", "-1s", "x", "9999999h"}},
		{"--seed", []string{"0", "7", "18446744073709551615", "-1", "1e3"}}, {"--threads", counts}, {"--level", []string{"generic", "avx2", "avx512", "x"}},
		{"--positive", []string{"-1", "1", "7", "nan"}}, {"--strict", nil}, {"--json", nil}, {"--verbose", nil}, {"--log-format", []string{"json", "text", "x"}},
	}
	switch command {
	case "train":
		return slices.Concat(readFlags, fitFlags, formatFlags, []flag{
			{"--lambda", numbers}, {"--rho", numbers}, {"--eta", append([]string{"auto"}, numbers...)},
			{"--method", methods()}, {"--passes", []string{"1", "3", "50", "1e-300", "auto", "0", "nan"}},
			{"--dual-updates", counts}, {"--inner-steps", counts}, {"--batch-size", counts},
			{"--schedule", []string{"theorem", "practical"}}, {"--float32", nil}, {"--output", []string{"average", "last"}}, {"-o", []string{"o1"}},
			{"--svg", []string{"o2", "o1"}}, {"--start", []string{"IN/mid.json", "IN/tiny.svm", "IN/none", "/dev/null"}}, {"--checkpoint", []string{"o4", "/dev/null"}},
		})
	case "path":
		return slices.Concat(readFlags, fitFlags, formatFlags, []flag{{"--lambdas", []string{"1", "2", "9", "0", "-1", "x", "0.1,0", "1e-3"}}, {"--ratio", numbers}, {"-o", []string{"o1"}}, {"--svg", []string{"o2", "o1"}}})
	case "cv":
		return slices.Concat(readFlags, fitFlags, formatFlags, []flag{
			{"--lambdas", []string{"1", "2", "9", "0", "x", "0.1,0.01", "0.1,0.2"}}, {"--ratio", numbers}, {"-o", []string{"o1"}}, {"--svg", []string{"o2", "o1"}},
			{"--folds", []string{"2", "3", "10", "1", "0", "1000", "x"}}, {"--metric", []string{"loss", "error", "auc", "mse", "x"}}, {"--choose", []string{"min", "1se", "x"}},
		})
	case "predict":
		return slices.Concat(readFlags[1:], formatFlags[:5], []flag{
			{"--offset", []string{"IN/offsets", "IN/weights", "IN/none"}},
			{"-o", []string{"o1", "/dev/null", "/dev/full"}}, {"--svg", []string{"o2", "o1"}}, {"--threshold", numbers}, {"--metrics", nil}, {"--json", nil}, {"--ignore-labels", nil}, {"--ignore-beyond", nil},
		})
	case "graph":
		return slices.Concat(readFlags, formatFlags, []flag{
			{"--method", []string{"glasso", "threshold", "knn", "chain", "recipe", "x"}}, {"--penalty", numbers}, {"--edges", counts}, {"--threshold", numbers}, {"--neighbours", counts},
			{"--signed", nil}, {"--weighted", nil}, {"--antisym", nil}, {"--correlation", []string{"IN/table", "IN/edges", "/dev/null"}}, {"--free-diagonal", nil},
			{"--max-component", counts}, {"--threads", counts}, {"-o", []string{"o1"}}, {"--precision", []string{"o2", "o1"}}, {"--dot", []string{"o3"}}, {"--svg", []string{"o4"}}, {"--json", nil},
		})
	case "model show":
		return []flag{{"--top", counts}, {"--json", nil}, readFlags[2]}
	case "model convert":
		return []flag{{"--to", []string{"auto", "scas", "liblinear", "x"}}, readFlags[2]}
	case "convert":
		return slices.Concat(readFlags, formatFlags, []flag{{"--labels-out", []string{"o2", "o2.npy", "o1"}}})
	case "info":
		return slices.Concat(readFlags, formatFlags, []flag{{"--json", nil}})
	}
	return []flag{{"--help", nil}, {"--help-all", nil}, {"--version", nil}, {"--log-format", []string{"json"}}}
}

func methods() []string {
	names := []string{"auto", "auto", "list", "x"}
	for _, m := range baseline.Methods() {
		names = append(names, m.Info().Name)
	}
	return names
}

// randomArgs returns a random command line. The argument spoilt is the name of the data file. If it is empty,
// the command reads one of the inputs.
func (g *testbed) randomArgs(rng *rand.Rand, spoilt string) []string {
	command := pick(rng, "train", "train", "train", "train", "convert", "path", "cv", "predict", "graph", "model show", "model convert", "info", "completion", "")
	args := strings.Fields(command)
	data := "IN/" + pick(rng, "tiny", "tiny", "mid", "numbers", "large", "small", "mixed", "one", "bad", "empty", "none", "labels", "zeros", "equal", "wide", "classes", "classes") + ".svm"
	if spoilt != "" {
		data = spoilt
	}
	switch command {
	case "predict":
		args = append(args, "-m", pick(rng, "IN/mid.json", "IN/mid.json", "IN/tiny.svm", "IN/none", "/dev/null"), data)
	case "model show", "model convert":
		args = append(args, pick(rng, "IN/mid.json", "IN/mid.json", "IN/tiny.svm", "/dev/null", "IN"))
		if command == "model convert" {
			args = append(args, pick(rng, "o1", "/dev/full"))
		}
	case "convert":
		args = append(args, data, "o1"+pick(rng, "", ".csv", ".npy", ".npz", ".mtx", ".svm.gz", ".tsv.zst"))
	case "completion":
		args = append(args, pick(rng, "bash", "zsh", "fish", "x"))
	case "":
		args = append(args, pick(rng, "x", "--", "-", "train"))
	default:
		if !chance(rng, 20) {
			args = append(args, data)
		}
	}
	flags := flagsOf(command)
	rng.Shuffle(len(flags), func(i, j int) { flags[i], flags[j] = flags[j], flags[i] })
	for _, f := range flags[:rng.IntN(min(len(flags), pick(rng, 3, 5, 9))+1)] {
		switch {
		case f.values == nil:
			args = append(args, f.name)
		case strings.HasPrefix(f.name, "--"):
			args = append(args, f.name+"="+f.value(rng))
		default:
			args = append(args, f.name, f.value(rng))
		}
	}
	return g.expand(args)
}

// tryFlags runs a random command with random flags, some of which have extreme values.
func (g *testbed) tryFlags(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	dir, err := g.tempDir("flags")
	if err != nil {
		return "", err
	}
	defer remove(dir)
	spoilt := ""
	if chance(rng, 4) {
		if spoilt, err = g.spoil(rng, dir); err != nil {
			return "", err
		}
	}
	args, oldFiles := g.randomArgs(rng, spoilt), map[string]string{}
	for _, name := range []string{"o1", "o2", "o3", "o4"} {
		if chance(rng, 2) {
			oldFiles[name] = old
		}
	}
	if err := writeFiles(dir, oldFiles); err != nil {
		return "", err
	}
	e, err := g.call(ctx, program.Call{Dir: dir, Args: args})
	if err == nil {
		err = checkEnding(e)
	}
	if err == nil {
		err = g.checkFiles(dir, oldFiles, args, e)
	}
	if err != nil {
		return "", fmt.Errorf("scas %s: %w", strings.Join(args, " "), err)
	}
	return fmt.Sprintf("exit %d", e.Code), nil
}

// checkFiles returns an error if a run of scas has changed files in dir that it must not change. The run
// may make or change only files that args names, and no files at all if it failed. It may delete no file.
// oldFiles has the contents of the files before the run, by name. checkFiles also checks what the run
// printed: JSON, and a finite objective.
func (g *testbed) checkFiles(dir string, oldFiles map[string]string, args []string, e *program.Ending) error {
	files, err := contents(dir)
	if err != nil {
		return err
	}
	failed := e.Code != exitOK && e.Code != exitNotConverged
	for name, text := range files {
		oldText, existed := oldFiles[name]
		if strings.HasPrefix(name, "spoilt") {
			continue
		}
		switch asked := slices.ContainsFunc(args, func(arg string) bool { return strings.HasSuffix(arg, name) }); {
		case !asked && !existed:
			return fmt.Errorf("left %s", name)
		case existed && string(text) == oldText:
		case !asked || failed:
			return fmt.Errorf("exit code %d, and %s is %q", e.Code, name, head(string(text)))
		case len(text) == 0 && args[0] != "path":
			return fmt.Errorf("%s is empty", name)
		}
	}
	for name := range oldFiles {
		if _, exists := files[name]; !exists {
			return fmt.Errorf("%s is gone", name)
		}
	}
	if slices.Contains(args, "--json") && e.Code == exitOK && e.Stdout != "" && args[0] != "predict" && !json.Valid([]byte(e.Stdout)) && !slices.Contains(args, "--method=list") {
		return fmt.Errorf("--json printed %q", head(e.Stdout))
	}
	if e.Code == exitOK && (strings.Contains(e.Stdout, "objective   +Inf") || strings.Contains(e.Stdout, "objective   NaN") || strings.Contains(e.Stdout, `"objective": null`)) {
		return fmt.Errorf("done with an objective that is not finite: %s", head(e.Stdout))
	}
	_, err = os.Stat(filepath.Join(g.inputDir, "mid.svm"))
	return err
}
