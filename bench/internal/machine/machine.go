// Package machine describes what a benchmark ran on: a number without its
// processor, compiler and mitigation state cannot be compared with anything.
package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/scas-admm/scas/kernels"
)

// Facts are the circumstances of a run.
type Facts struct {
	CPU        string // brand name
	Model      string // family, model and stepping: the brand alone can be vague
	CPUs       int    // logical processors the program may use
	L1, L2, L3 int    // bytes of data cache per core, as reported; 0 if unknown
	Go         string // version of the toolchain
	Platform   string // operating system/architecture
	GOAMD64    string // x86-64 level of the build, empty elsewhere
	Experiment string // GOEXPERIMENT of the build, empty if none
	Available  []kernels.Level
	Gather     string // state of the gather-data-sampling mitigation
	Command    string // command line
}

// gatherFile is where Linux reports the mitigation that slows gathers down.
const gatherFile = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

// Describe returns the facts of this process. args is its command line without
// the name of the program.
func Describe(args []string) Facts {
	c := cpuid.CPU
	f := Facts{
		CPU:   strings.TrimSpace(c.BrandName),
		Model: fmt.Sprintf("family %d model %d stepping %d", c.Family, c.Model, c.Stepping),
		CPUs:  runtime.GOMAXPROCS(0),
		L1:    max(c.Cache.L1D, 0), L2: max(c.Cache.L2, 0), L3: max(c.Cache.L3, 0),
		Go:        runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Available: kernels.Available(),
		Gather:    gatherState(gatherFile),
		Command:   command(args),
	}
	if f.CPU == "" {
		f.CPU = "unnamed " + runtime.GOARCH + " processor"
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			switch s.Key {
			case "GOAMD64":
				f.GOAMD64 = s.Value
			case "GOEXPERIMENT":
				f.Experiment = s.Value
			}
		}
	}
	return f
}

// command returns the command line; of absolute paths the last element says enough, and
// where they lie on this machine is of no use to others.
func command(args []string) string {
	words := []string{"bench"}
	for _, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		if !joined {
			flag, value = "", arg
		}
		if filepath.IsAbs(value) {
			value = filepath.Base(value)
		}
		if joined {
			value = flag + "=" + value
		}
		words = append(words, value)
	}
	return strings.Join(words, " ")
}

func gatherState(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "not reported"
	}
	return strings.TrimSpace(string(text))
}

// Lines returns the facts for the head of a report, one per line.
func (f Facts) Lines() []string {
	levels := make([]string, len(f.Available))
	for i, l := range f.Available {
		levels[i] = l.String()
	}
	platform := f.Platform
	if f.GOAMD64 != "" {
		platform += " GOAMD64=" + f.GOAMD64
	}
	if f.Experiment != "" {
		platform += " GOEXPERIMENT=" + f.Experiment
	}
	return []string{
		"cpu:     " + f.CPU + ", " + f.Model + fmt.Sprintf(", %d logical", f.CPUs),
		"caches:  L1 " + size(f.L1) + ", L2 " + size(f.L2) + ", L3 " + size(f.L3),
		"go:      " + f.Go + " " + platform,
		"levels:  " + strings.Join(levels, " "),
		"gathers: data sampling mitigation: " + f.Gather,
		"command: " + f.Command,
	}
}

// size writes a cache size for people.
func size(bytes int) string {
	switch {
	case bytes <= 0:
		return "unknown"
	case bytes < 1<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Slug returns the processor's name and model as part of a file name.
func (f Facts) Slug() string {
	name := strings.ToLower(f.CPU + " " + f.Model)
	for _, word := range []string{"(r)", "(tm)", "processor", "cpu", "family", "model"} {
		name = strings.ReplaceAll(name, word, " ")
	}
	name, _, _ = strings.Cut(name, "stepping")
	return strings.Trim(notSlug.ReplaceAllString(name, "-"), "-")
}
