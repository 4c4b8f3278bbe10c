package sparsetest

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// An Optimum is the optimal value of the logistic loss with the penalty lambda |A x|₁ + (mu/2)|x|² on a
// real data set. Another program computed it.
type Optimum struct {
	Name     string
	File     string // LIBSVM file in the directory of the real data sets
	Features int
	// A describes the constraint matrix. It is empty for the identity. For [G; I] it says what the graph of
	// G is: "chain", or the name of a file of edges.
	A          string
	Lambda, Mu float64
	Value      float64 // the optimal value, with an error of at most 1e-11
}

// Optima returns the optima for the data sets a9a, a1a and heart_scale.
func Optima(t testing.TB) (optima []Optimum) {
	t.Helper()
	f, err := os.Open(DataFile(t, "ref", "optima.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	datasets := map[string]Optimum{
		"a9a":                {File: "paper/a9a.zst", Features: 123},
		"a1a (p=123)":        {File: "small/a1a", Features: 123},
		"heart_scale (p=13)": {File: "small/heart_scale", Features: 13},
	}
	for _, row := range rows[1:] {
		o, ok := datasets[row[0]]
		if !ok {
			continue
		}
		o.Name = row[0] + ", A = " + row[1]
		switch row[1] {
		case "I":
		case "chain differences over I":
			o.A = "chain"
		default:
			o.A = "graphs/a9a_glasso_0.1.edges"
		}
		for k, to := range []*float64{&o.Lambda, &o.Mu, &o.Value} {
			*to, err = strconv.ParseFloat(row[2+k], 64)
			if err != nil {
				t.Fatal(err)
			}
		}
		optima = append(optima, o)
	}
	if len(optima) != 6 {
		t.Errorf("%d optima, want 6", len(optima))
	}
	return optima
}
