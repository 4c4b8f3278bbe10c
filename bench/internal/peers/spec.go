package peers

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A Spec says what a problem is and where its data are.
type Spec struct {
	Name string
	Data string // in words
	// File is below the data directory; empty means that Make or the tree has the data.
	File     string
	Features int
	Graph    string // file below the data directory; empty means A = I
	L1, L2   float64
	// OfMax means that L1 counts in units of the least weight at which x = 0 is optimal.
	OfMax bool
	Make  func() (*sparse.Dataset, error)
	Quick bool // small enough for a test
	// Series is the growth that the problem is a point of, and At where it stands there.
	Series string
	At     float64
}

// Specs are the problems of a comparison, the most telling first: it may be interrupted.
func Specs() []Spec {
	const l2 = 1e-4
	a9a := Spec{Name: "a9a", Data: "LIBSVM a9a", File: "paper/a9a.zst", Features: 123, L1: 1e-5}
	covtype := Spec{Name: "covtype", Data: "LIBSVM covtype.binary, scaled", File: "paper/covtype.libsvm.binary.scale.zst", Features: 54, L1: 1e-5}
	rcv1 := Spec{Name: "rcv1 stand-in", Data: "stand-in for rcv1_train.binary: other documents of RCV1-v2", File: "paper/rcv1v2_binary_train.libsvm.zst", Features: 47236, L1: 1e-4}
	hivfp := Spec{Name: "hivfp", Data: "stand-in for sido: molecules tested against HIV, by fingerprints", File: "paper/hivfp_train.libsvm.zst", Features: 4932, L1: 1e-4}
	wdbc := Spec{Name: "wdbc raw", Data: "Wisconsin diagnostic breast cancer table, unscaled", L1: 1e-4, Make: readWDBC, Quick: true}
	heart := Spec{Name: "heart", Data: "LIBSVM heart_scale", File: "small/heart_scale", Features: 13, L1: 1e-2, Quick: true}
	joined := a9a
	joined.Name, joined.Graph = "a9a, graph of 291 edges", "graphs/a9a_glasso_0.1.edges"
	published := covtype
	published.Name, published.Graph = "covtype, F_covtype", "graphs/F_covtype_asvrpdhg.txt"
	ridge := a9a.with(", ridge 1e-4", l2)
	ridge.L1 = 0
	small := synthetic("", 0, 300, 20, 5)
	small.Name, small.Quick = "synthetic", true
	all := []Spec{
		small, heart, wdbc, a9a, joined, rcv1, covtype, hivfp,
		a9a.with(", mu 1e-4", l2), ridge, wdbc.with(", mu 1e-4", l2), rcv1.with(", mu 1e-4", l2),
	}
	all = append(all, growth()...)
	return append(all, joined.with(", mu 1e-4", l2), published, covtype.with(", mu 1e-4", l2), hivfp.with(", mu 1e-4", l2))
}

// growth are synthetic problems that grow in one size at a time.
func growth() (all []Spec) {
	for _, n := range []int{1000, 10000, 100000} {
		all = append(all, synthetic("n", n, n, 100, 20))
	}
	for _, p := range []int{100, 1000, 10000} {
		all = append(all, synthetic("p", p, 5000, p, 20))
	}
	for _, k := range []int{5, 20, 80} {
		all = append(all, synthetic("nonzeros a row", k, 10000, 500, k))
	}
	return all
}

// with returns the problem with an L2 term.
func (s Spec) with(suffix string, l2 float64) Spec {
	s.Name, s.L2, s.Quick = s.Name+suffix, l2, false
	return s
}

// synthetic is a point of a growth in what series names.
func synthetic(series string, at, n, p, k int) Spec {
	return Spec{
		Name: fmt.Sprintf("n %d, p %d, %d a row", n, p, k), Data: "synthetic, seed 1", L1: 0.01, OfMax: true, Series: series, At: float64(at),
		Make: func() (*sparse.Dataset, error) {
			d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: k, Groups: 4, GroupSize: 5, Noise: 1, Seed: 1})
			if err != nil {
				return nil, err
			}
			return d.Dataset, nil
		},
	}
}

// Load reads or makes the problem; dir is the data directory. An error that matches
// fs.ErrNotExist means that the data are not there.
func (s Spec) Load(dir string) (*Problem, error) {
	var d *sparse.Dataset
	var err error
	switch {
	case s.Make != nil:
		d, err = s.Make()
	case dir == "":
		err = fmt.Errorf("%w: no data directory; give --data or set SCAS_DATA", fs.ErrNotExist)
	default:
		d, err = sparse.ReadFile(filepath.Join(dir, filepath.FromSlash(s.File)), &sparse.ReadOptions{Features: s.Features})
	}
	if err != nil {
		return nil, fmt.Errorf("peers: data of %s: %w", s.Name, err)
	}
	p := &Problem{Spec: s, X: d.X, Labels: d.Labels, Lambda: s.L1, Known: math.NaN()}
	if s.OfMax {
		p.Lambda *= lambdaMax(d.X, d.Labels)
	}
	if s.Graph != "" {
		_, features := d.X.Dims()
		c, err := graph.ReadConstraintFile(filepath.Join(dir, filepath.FromSlash(s.Graph)), features)
		if err != nil {
			return nil, fmt.Errorf("peers: graph of %s: %w", s.Name, err)
		}
		p.A = c.A
	}
	if s.File != "" {
		p.Known, err = s.known(filepath.Join(dir, "ref", "optima.csv"))
	}
	return p, err
}

// known looks the optimum up in a table data,A,lambda,mu,optimum; NaN if it has none.
func (s Spec) known(path string) (float64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return math.NaN(), nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return 0, err
	}
	stem, _, _ := strings.Cut(filepath.Base(s.File), ".")
	matrix := s.Graph
	if matrix == "" {
		matrix = "I"
	}
	for _, r := range records[1:] {
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(r[2+k], 64); err != nil {
				return 0, fmt.Errorf("peers: %s: %w", path, err)
			}
		}
		data, _, _ := strings.Cut(r[0], " ")
		a, _, _ := strings.Cut(r[1], " ")
		if data == stem && a == matrix && v[0] == s.L1 && v[1] == s.L2 {
			return v[2], nil
		}
	}
	return math.NaN(), nil
}

// wdbcFile is the table that the demonstration embeds.
const wdbcFile = "solver/cmd/scas/wdbc.csv.gz"

// readWDBC reads the table from the tree that the working directory is in.
func readWDBC() (*sparse.Dataset, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		path := filepath.Join(dir, filepath.FromSlash(wdbcFile))
		if _, err := os.Stat(path); err == nil || filepath.Dir(dir) == dir {
			return sparse.ReadFile(path, &sparse.ReadOptions{Table: sparse.TableOptions{Label: "diagnosis"}, PositiveName: "M"})
		}
		dir = filepath.Dir(dir)
	}
}
