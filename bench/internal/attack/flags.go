package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginFlags(ctx context.Context, g *testbed) (trial, error) {
	mid, err := sparse.ReadFile(filepath.Join(g.inputDir, "mid.svm"), nil)
	if err != nil {
		return nil, err
	}
	for _, extension := range extensions {
		if err := sparse.WriteFile(filepath.Join(g.inputDir, "mid"+extension), mid); err != nil {
			return nil, err
		}
	}
	g.flags = map[string][]flag{}
	for _, command := range commands {
		if g.flags[command] != nil {
			continue
		}
		e, err := g.call(ctx, program.Call{Args: append(strings.Fields(command), "--help-all")})
		if err != nil {
			return nil, err
		}
		g.flags[command] = flagsIn(e.Stdout, command)
		if len(g.flags[command]) == 0 {
			return nil, fmt.Errorf("no flags in the help of scas %s: %s", command, head(e.Stdout))
		}
	}
	return g.tryFlags, nil
}

// commands lists the commands that the attack runs; "" runs scas without a command. A command that is listed
// several times is chosen more often.
var commands = []string{
	"train", "train", "train", "train", "convert", "path", "cv", "predict", "graph", "model show",
	"model convert", "info", "completion", "",
}

// flagInHelp matches a flag at the beginning of a line of help: its short form, [no-], its name, and the
// placeholder of its value.
var flagInHelp = regexp.MustCompile(`(?m)^ {2,6}(?:(-\w), +)?--(\[no-\])?([a-z0-9-]+)(?:=(\S+))?`)

// A flag is a flag of a command, with the values that the attack tries. Without values, it is a switch.
type flag struct {
	name   string // with - or --
	values []string
}

// flagsIn returns the flags in the help of a command.
func flagsIn(help, command string) (flags []flag) {
	for _, match := range flagInHelp.FindAllStringSubmatch(help, -1) {
		short, no, name, placeholder := match[1], match[2], match[3], match[4]
		switch {
		case slices.Contains(untried, name):
		case placeholder == "":
			flags = append(flags, flag{"--" + name, nil})
			if no != "" {
				flags = append(flags, flag{"--no-" + name, nil})
			}
		case short == "-m": // randomArgs adds -m itself
		case short != "":
			flags = append(flags, flag{short, valuesOf(command, short, placeholder)})
		default:
			flags = append(flags, flag{"--" + name, valuesOf(command, "--"+name, placeholder)})
		}
	}
	return flags
}

// untried lists the flags that the attack leaves out: some end the program at once, others need several
// processes.
var untried = []string{"help", "help-all", "version", "dist", "dist-timeout"}

// valuesOf returns the values to try for a flag of a command: the values in flagValues if there are any, else
// counts if the placeholder in the help is N or K, else numbers.
func valuesOf(command, flag, placeholder string) []string {
	for _, key := range []string{command + " " + flag, flag} {
		values, found := flagValues[key]
		if found {
			return values
		}
	}
	if placeholder == "N" || placeholder == "K" {
		return counts
	}
	return numbers
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

// value returns one of the values of the flag, and prefers values that are not in badValues.
func (f flag) value(rng *rand.Rand) (v string) {
	for range 4 {
		v = pick(rng, f.values...)
		if !slices.Contains(badValues, v) {
			break
		}
	}
	return v
}

// badValues are values that many flags refuse.
var badValues = []string{
	"", "x", "nan", "inf", "-inf", "1e400", "-1", "0x10", "1_0", "１", "2147483648", "4294967296",
	"9223372036854775808", "1.5", "2", "0",
	"hinge", "huber:0", "IN/none", "IN", "/dev/null", "-1s", "101%", "box:1,0", "1e300TB",
	"18446744073709551616",
}

// numbers are the values to try for a flag that takes a number.
var numbers = []string{
	"0", "1", "0.1", "0.5", "1e-4", "5e-324", "1e-308", "1e-160", "1e100", "1e150", "1e155", "1e308",
	"1.7976931348623157e308",
	"-1", "nan", "inf", "-inf", "1e400", "", "x", "0x10", "1_0", "9223372036854775808", "１",
}

// counts are the values to try for a flag that takes a whole number.
var counts = []string{
	"1", "2", "3", "7", "100", "0", "-1", "2147483647", "2147483648", "4294967296", "1.5", "x", "", "1e3",
}

// flagValues has the values to try for flags whose values are not numbers. A key is a flag, such as --bounds,
// or a command and a flag. In a value, IN stands for the directory of the inputs, and o1 to o4 are the names
// of output files.
var flagValues = map[string][]string{
	"--bounds": {"IN/bounds", "IN/edges", "IN/none", "/dev/null"}, "--categorical": {"1", "1,2", "x", ""},
	"--checkpoint": {"o4", "/dev/null"},
	"--choose":     {"min", "1se", "x"}, "--class-weights": {"balanced", "none", "x"},
	"--correlation": {"IN/table", "IN/edges", "/dev/null"},
	"--delimiter":   {",", ";", "tab", "x", "", "\"", "\n"},
	"--domain": {
		"nonnegative", "ball:1", "ball:5e-324", "ball:1e308", "simplex", "simplex:1e308", "box:-1,1",
		"box:-inf,inf", "box:0,0", "box:1,0", "box:1e308,1e308", "x",
	},
	"--dot": {"o3"}, "--drop": {"1", "2,3", "x", "label"}, "--eta": append([]string{"auto"}, numbers...),
	"--features": {"3", "9", "100", "0", "-1", "2147483647", "x"},
	"--folds":    {"2", "3", "10", "1", "0", "1000", "x"},
	"--format":   {"auto", "libsvm", "csv", "tsv", "npy", "npz", "mtx", "x"},
	"--graph": {
		"none", "chain", "IN/edges", "IN/steep", "IN/flat", "IN/matrix", "matrix:IN/edges", "IN/none",
		"IN/mid.svm", "/dev/null", "IN",
	},
	"--groups": {"IN/groups", "IN/edges", "IN/none", "/dev/null"}, "--index-base": {"auto", "0", "1", "2"},
	"--label": {"label", "1", "none", "0", "x", "9"}, "--labels": {"IN/weights", "IN/none", "/dev/null"},
	"--labels-out": {"o2", "o2.npy", "o1"},
	"--lambdas":    {"1", "2", "9", "0", "-1", "x", "0.1,0", "1e-3", "0.1,0.01", "0.1,0.2"},
	"--level":      {"generic", "avx2", "avx512", "x"},
	"--log-format": {"json", "text", "x"},
	"--loss": {
		"logistic", "squared", "huber", "huber:0.01", "huber:5e-324", "huber:1e308", "huber:0",
		"squared-hinge", "poisson", "hinge",
	},
	"--memory": {"100MB", "1", "8GiB", "60%", "101%", "0", "-1", "x", "1e300TB"}, "--method": methods(),
	"graph --method": {"glasso", "threshold", "knn", "chain", "recipe", "x"},
	"--metric":       {"loss", "error", "auc", "mse", "x"},
	"--missing":      {"mean", "median", "zero", "0", "refuse", "x"},
	"--names":        {"IN/names", "IN/weights", "/dev/null"},
	"-o":             {"o1"}, "predict -o": {"o1", "/dev/null", "/dev/full"},
	"--offset":        {"IN/weights", "IN/offsets", "IN/none", "/dev/null"},
	"--offset-column": {"1", "x2", "label", "x", ""}, "--output": {"average", "last"},
	"--passes":          {"1", "3", "50", "1e-300", "auto", "0", "nan"},
	"--penalty-factors": {"IN/factors", "IN/groups", "/dev/null"}, "--precision": {"o4", "o1"},
	"--report":         {"o3", "o1"},
	"--sample-weights": {"IN/weights", "IN/groups", "/dev/null"}, "--schedule": {"theorem", "practical"},
	"--seed":  {"0", "7", "18446744073709551615", "18446744073709551616", "-1", "1e3", "x"},
	"--start": {"IN/mid.json", "IN/tiny.svm", "IN/none", "/dev/null"}, "--svg": {"o2", "o1"},
	"--time-limit": {"1ns", "1ms", "2s", "-1s", "x", "9999999h"},
	"--to":         {"auto", "scas", "liblinear", "x"},
	"--tol":        {"1e-6", "0.5", "1e-12", "1e-300", "none", "auto", "2", "nan"},
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
	command := pick(rng, commands...)
	args := strings.Fields(command)
	data := "IN/" +
		pick(rng, "tiny", "tiny", "mid", "numbers", "large", "small", "mixed", "one", "bad", "empty", "none",
			"labels", "zeros", "equal", "wide", "classes", "classes") +
		".svm"
	if spoilt != "" {
		data = spoilt
	}
	switch command {
	case "predict":
		args = append(args, "-m",
			pick(rng, "IN/mid.json", "IN/mid.json", "IN/tiny.svm", "IN/none", "/dev/null"), data)
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
	flags := slices.Clone(g.flags[command])
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
		spoilt, err = g.spoil(rng, dir)
		if err != nil {
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
	changed, err := changedFiles(dir, oldFiles)
	if err != nil {
		return err
	}
	failed := e.Code != exitOK && e.Code != exitNotConverged
	for name, text := range changed {
		_, existed := oldFiles[name]
		asked := slices.ContainsFunc(args, func(arg string) bool { return strings.HasSuffix(arg, name) })
		switch {
		case strings.HasPrefix(name, "spoilt"):
		case !asked && !existed:
			return fmt.Errorf("left %s", name)
		case !asked || failed:
			return fmt.Errorf("exit code %d, and %s is %q", e.Code, name, head(string(text)))
		case len(text) == 0 && args[0] != "path":
			return fmt.Errorf("%s is empty", name)
		}
	}
	if slices.Contains(args, "--json") && e.Code == exitOK && e.Stdout != "" && args[0] != "predict" &&
		!json.Valid([]byte(e.Stdout)) && !slices.Contains(args, "--method=list") {
		return fmt.Errorf("--json printed %q", head(e.Stdout))
	}
	if e.Code == exitOK &&
		(strings.Contains(e.Stdout, "objective   +Inf") || strings.Contains(e.Stdout, "objective   NaN") ||
			strings.Contains(e.Stdout, `"objective": null`)) {
		return fmt.Errorf("done with an objective that is not finite: %s", head(e.Stdout))
	}
	_, err = os.Stat(filepath.Join(g.inputDir, "mid.svm"))
	return err
}
