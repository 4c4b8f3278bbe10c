// Package machine describes the machine and the build that a benchmark ran on: processor, caches,
// mitigations, compiler. Read Description first.
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
	CPU        string          // brand name
	Model      string          // family, model and stepping
	CPUs       int             // number of logical processors that the program may use
	L1, L2, L3 int             // sizes in bytes of the data caches; 0 if unknown
	GoVersion  string          // Go version
	Platform   string          // operating system/architecture
	GOAMD64    string          // x86-64 level of the build; empty on other architectures
	Levels     []kernels.Level // levels of the kernels that this processor can run
	// GatherMitigation is what Linux reports about its mitigation of the processor flaw "gather data
	// sampling", or "not reported". The mitigation can make gather instructions slow.
	GatherMitigation string
	Command          string // command line; absolute paths are shortened to their last element
}

const gatherFile = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

// Describe describes this machine and this build. args is the command line without the name of the program.
func Describe(args []string) Description {
	c := cpuid.CPU
	d := Description{
		CPU:   strings.TrimSpace(c.BrandName),
		Model: fmt.Sprintf("family %d model %d stepping %d", c.Family, c.Model, c.Stepping),
		CPUs:  runtime.GOMAXPROCS(0),
		L1:    max(c.Cache.L1D, 0), L2: max(c.Cache.L2, 0), L3: max(c.Cache.L3, 0),
		GoVersion:        runtime.Version(),
		Platform:         runtime.GOOS + "/" + runtime.GOARCH,
		Levels:           kernels.Available(),
		GatherMitigation: gatherState(gatherFile),
		Command:          command(args),
	}
	if d.CPU == "" {
		d.CPU = "unnamed " + runtime.GOARCH + " processor"
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "GOAMD64" {
				d.GOAMD64 = s.Value
			}
		}
	}
	return d
}

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
	levels := make([]string, len(d.Levels))
	for i, l := range d.Levels {
		levels[i] = l.String()
	}
	platform := d.Platform
	if d.GOAMD64 != "" {
		platform += " GOAMD64=" + d.GOAMD64
	}
	return []string{
		"cpu:     " + d.CPU + ", " + d.Model + fmt.Sprintf(", %d logical", d.CPUs),
		"caches:  L1 " + sizeText(d.L1) + ", L2 " + sizeText(d.L2) + ", L3 " + sizeText(d.L3),
		"go:      " + d.GoVersion + " " + platform,
		"levels:  " + strings.Join(levels, " "),
		"gathers: data sampling mitigation: " + d.GatherMitigation,
		"command: " + d.Command,
	}
}

func sizeText(bytes int) string {
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
