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
	CPU        string   // brand name
	L1, L2, L3 int      // sizes in bytes of the data caches; 0 if unknown
	Slug       string   // the processor's name, family and model in a form that fits into a file name
	Lines      []string // all that is known, as lines for the head of a report
}

const gatherFile = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

// Describe describes this machine and this build. args is the command line without the name of the program.
func Describe(args []string) Description {
	c := cpuid.CPU
	d := Description{
		CPU: strings.TrimSpace(c.BrandName),
		L1:  max(c.Cache.L1D, 0), L2: max(c.Cache.L2, 0), L3: max(c.Cache.L3, 0),
	}
	if d.CPU == "" {
		d.CPU = "unnamed " + runtime.GOARCH + " processor"
	}
	d.Slug = slug(d.CPU, c.Family, c.Model)
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "GOAMD64" {
				platform += " GOAMD64=" + s.Value
			}
		}
	}
	var levels []string
	for _, l := range kernels.Available() {
		levels = append(levels, l.String())
	}
	d.Lines = []string{
		fmt.Sprintf("cpu:     %s, family %d model %d stepping %d, %d logical",
			d.CPU, c.Family, c.Model, c.Stepping, runtime.GOMAXPROCS(0)),
		"caches:  L1 " + sizeText(d.L1) + ", L2 " + sizeText(d.L2) + ", L3 " + sizeText(d.L3),
		"go:      " + runtime.Version() + " " + platform,
		"levels:  " + strings.Join(levels, " "),
		"gathers: data sampling mitigation: " + gatherState(gatherFile),
		"command: " + command(args),
	}
	return d
}

// command returns the command line of bench. Absolute paths are shortened to their last element.
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

// gatherState returns what Linux reports about its mitigation of the processor flaw "gather data sampling",
// or "not reported". The mitigation can make gather instructions slow.
func gatherState(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "not reported"
	}
	return strings.TrimSpace(string(text))
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

// slug returns the name of a processor, its family and its model in a form that fits into a file name.
func slug(cpu string, family, model int) string {
	name := strings.ToLower(cpu)
	for _, word := range []string{"(r)", "(tm)", "processor", "cpu"} {
		name = strings.ReplaceAll(name, word, " ")
	}
	return strings.Trim(notSlug.ReplaceAllString(fmt.Sprintf("%s %d %d", name, family, model), "-"), "-")
}
