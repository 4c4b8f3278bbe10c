package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	f := Describe([]string{"kernels", "--quick"})
	text := strings.Join(f.Lines, "\n")
	for _, want := range []string{runtime.Version(), runtime.GOARCH, "generic", "bench kernels --quick", "gathers"} {
		if !strings.Contains(text, want) {
			t.Errorf("the lines lack %q:\n%s", want, text)
		}
	}
}

func TestGatherState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gather_data_sampling")
	if got := gatherState(path); got != "not reported" {
		t.Errorf("without the file: %q", got)
	}
	if err := os.WriteFile(path, []byte("Mitigation: Microcode\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := gatherState(path); got != "Mitigation: Microcode" {
		t.Errorf("with the file: %q", got)
	}
}

func TestSlug(t *testing.T) {
	for _, c := range []struct {
		cpu           string
		family, model int
		want          string
	}{
		{"AMD EPYC", 26, 2, "amd-epyc-26-2"},
		{"Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 6, 79, "intel-xeon-e5-2680-v4-2-40ghz-6-79"},
	} {
		if got := slug(c.cpu, c.family, c.model); got != c.want {
			t.Errorf("slug of %s is %s, want %s", c.cpu, got, c.want)
		}
	}
}

func TestCommand(t *testing.T) {
	got := command([]string{
		"paper", "--out", filepath.Join(t.TempDir(), "out"), "--data=" + t.TempDir() + "/data", "a/b.svm",
		"--mu=1",
	})
	if want := "bench paper --out out --data=data a/b.svm --mu=1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
