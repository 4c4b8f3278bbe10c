package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestTextMemory checks that commands on text use at most a twentieth more memory than --memory. They may
// refuse the data while they read, or refuse them afterwards, or do their work. If SCAS_FULL is set, the data
// are larger and there are more cases.
func TestTextMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	full := os.Getenv("SCAS_FULL") != ""
	times := 1
	if full {
		times = 3
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	model := file("m.json")
	for _, c := range []struct {
		name                    string
		rows, features, entries int
	}{{"wide.svm", 130000, 54, 54}, {"wide.csv", 130000, 54, 54}, {"narrow.svm", 1700000, 200, 3}} {
		s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: times * c.rows, Features: c.features, NonzerosPerRow: c.entries, Noise: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		data := &sparse.Dataset{X: s.X, Labels: s.Labels}
		if err := sparse.WriteFile(file(c.name), data); err != nil {
			t.Fatal(err)
		}
		some := file("some-" + c.name)
		rows := make([]int, 2000)
		for i := range rows {
			rows[i] = i
		}
		few, err := s.X.SelectRows(rows)
		if err == nil {
			err = sparse.WriteFile(some, &sparse.Dataset{X: few, Labels: s.Labels[:2000]})
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, says := runQuietly("train", "--lambda", "1e-2", "-o", model, some); code != exitOK {
			t.Fatal(says)
		}
		runs := [][]string{{"1", "train"}, {"2.5", "predict", "-m", model, "-o", file("p")}}
		if full {
			runs = append(runs, [][]string{{"1.9", "train"}, {"2.2", "train"}, {"2.7", "train"}, {"5.5", "train"}, {"7", "train"}, {"4", "predict", "-m", model}, {"2.5", "info"}}...)
		}
		for _, args := range runs {
			share, _ := strconv.ParseFloat(args[0], 64)
			limit := int64(share * float64(dataBytes(data)))
			cmd := exec.Command("scas-peak", append(args[1:], "--memory", fmt.Sprint(limit), file(c.name))...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
			code := cmd.ProcessState.ExitCode()
			ratio := float64(kilobytes<<10) / float64(limit)
			line := fmt.Sprintf("%s of %d MiB, %s with %d MiB: exit code %d, peak %.2f of it", c.name, dataBytes(data)>>20, args[1], limit>>20, code, ratio)
			t.Log(line)
			if err != nil || ratio > 1.05 || ratio == 0 || code != exitOK && code != exitIO {
				t.Errorf("%s: %v %s", line, err, &stderr)
			}
		}
	}
}
