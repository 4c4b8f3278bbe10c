package graph

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// readTable reads blank-separated numbers, without the reader under test.
func readTable(t testing.TB, path string) []float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, f := range strings.Fields(string(data)) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}
