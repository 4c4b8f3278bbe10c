package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestTextMemory checks that commands on text use at most a twentieth more memory than --memory, whether
// they refuse the data or not.
func TestTextMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	fullTest := os.Getenv("SCAS_FULL") != ""
	factor := 1
	if fullTest {
		factor = 3
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "m.json")
	for _, c := range []struct {
		name                    string
		rows, features, entries int
	}{{"wide.svm", 130000, 54, 54}, {"wide.csv", 130000, 54, 54}, {"narrow.svm", 1700000, 200, 3}} {
		s := newSynthetic(t, sparse.SyntheticOptions{Rows: factor * c.rows, Features: c.features, NonzerosPerRow: c.entries})
		path := writeData(t, dir, c.name, s.Dataset)
		fewRows, err := rowsOf(s.Dataset, 0, 2000)
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, "train", "--lambda", "1e-2", "-o", model, writeData(t, dir, "few-"+c.name, fewRows))
		runs := [][]string{{"1", "train"}, {"2.5", "predict", "-m", model, "-o", filepath.Join(dir, "p")}}
		if fullTest {
			runs = append(runs,
				[][]string{
					{"1.9", "train"}, {"2.2", "train"}, {"2.7", "train"}, {"5.5", "train"}, {"7", "train"},
					{"4", "predict", "-m", model}, {"2.5", "info"},
				}...)
		}
		dataSize := dataBytes(s.Dataset)
		for _, args := range runs {
			share, _ := strconv.ParseFloat(args[0], 64)
			limit := int64(share * float64(dataSize))
			code, peak := peakOf(t, append(args[1:], "--memory", fmt.Sprint(limit), path)...)
			ratio := float64(peak) / float64(limit)
			line := fmt.Sprintf("%s of %d MiB, %s with %d MiB: exit code %d, peak %.2f of it",
				c.name, dataSize>>20, args[1], limit>>20, code, ratio)
			t.Log(line)
			if ratio > 1.05 || ratio == 0 || code != exitOK && code != exitIO {
				t.Error(line)
			}
		}
	}
}
