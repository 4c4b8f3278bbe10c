// Package machine describes the machine and the build that a benchmark ran on: processor, caches,
// mitigations, compiler. Measured numbers cannot be compared without them. Read Description first.
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

// A Description describes the machine and the build on which a benchmark ran.
type Description struct {
	CPU        string // brand name
	Model      string // family, model and stepping, because a brand name can cover several models
	CPUs       int    // number of logical processors that the program may use
	L1, L2, L3 int    // size in bytes of the caches of a core; 0 if unknown
	Go         string // version of the toolchain
	Platform   string // operating system/architecture
	GOAMD64    string // GOAMD64, the x86-64 level of the build; empty on other architectures
	Experiment string // GOEXPERIMENT of the build, empty if none
	Available  []kernels.Level
	Gather     string // state of the mitigation of gather data sampling
	Command    string // command line
}

// gatherFile is where Linux reports the mitigation of gather data sampling, which slows gather
// instructions.
const gatherFile = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

// Describe returns the description of this process. args is its command line without the name of
// the program.
func Describe(args []string) Description {
	c := cpuid.CPU
	d := Description{
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
	if d.CPU == "" {
		d.CPU = "unnamed " + runtime.GOARCH + " processor"
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			switch s.Key {
			case "GOAMD64":
				d.GOAMD64 = s.Value
			case "GOEXPERIMENT":
				d.Experiment = s.Value
			}
		}
	}
	return d
}

// command returns the command line as text. An absolute path is shortened to its last element,
// because its directory exists only on this machine.
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

// Lines returns the description as lines for the head of a report.
func (d Description) Lines() []string {
	levels := make([]string, len(d.Available))
	for i, l := range d.Available {
		levels[i] = l.String()
	}
	platform := d.Platform
	if d.GOAMD64 != "" {
		platform += " GOAMD64=" + d.GOAMD64
	}
	if d.Experiment != "" {
		platform += " GOEXPERIMENT=" + d.Experiment
	}
	return []string{
		"cpu:     " + d.CPU + ", " + d.Model + fmt.Sprintf(", %d logical", d.CPUs),
		"caches:  L1 " + size(d.L1) + ", L2 " + size(d.L2) + ", L3 " + size(d.L3),
		"go:      " + d.Go + " " + platform,
		"levels:  " + strings.Join(levels, " "),
		"gathers: data sampling mitigation: " + d.Gather,
		"command: " + d.Command,
	}
}

// size returns a cache size as text.
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

// Slug returns the processor's name and model in a form that fits into a file name.
func (d Description) Slug() string {
	name := strings.ToLower(d.CPU + " " + d.Model)
	for _, word := range []string{"(r)", "(tm)", "processor", "cpu", "family", "model"} {
		name = strings.ReplaceAll(name, word, " ")
	}
	name, _, _ = strings.Cut(name, "stepping")
	return strings.Trim(notSlug.ReplaceAllString(name, "-"), "-")
}
