package peers

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A Spec describes a problem and says where its data come from.
type Spec struct {
	Name string
	Data string // a description of the data
	// Read reads or makes the data. dir is the data directory, or empty.
	Read   func(dir string) (*sparse.Dataset, error)
	Graph  string // the path of the graph in the data directory; empty means A = I
	L1, L2 float64
	// RelativeL1 is true if L1 is in units of lambda max, the least weight of the L1 term for which x = 0 is
	// optimal.
	RelativeL1 bool
	// Series names the size that grows in a group of synthetic problems, such as n. SeriesSize is the size of
	// this problem. Series is empty for a problem that is in no group.
	Series     string
	SeriesSize float64

	// Task says what is computed; empty means Fit. Path and CV need RelativeL1 = true. They use LambdaCount
	// lambdas in geometric progression, from lambda max down to L1 times lambda max.
	Task        Task
	LambdaCount int
	// Loss is a name in losses; empty means logistic.
	Loss                   string
	Intercept, Standardize bool
}

// file returns a function for Spec.Read that reads a file of the data directory. path is the path of the file
// there. features is the number of features; 0 means the largest index. An error that matches fs.ErrNotExist
// means that the file or the directory does not exist.
func file(path string, features int) func(dir string) (*sparse.Dataset, error) {
	return func(dir string) (*sparse.Dataset, error) {
		if dir == "" {
			return nil, fmt.Errorf("%w: no data directory; give --data or set SCAS_DATA", fs.ErrNotExist)
		}
		return sparse.ReadFile(filepath.Join(dir, filepath.FromSlash(path)),
			&sparse.ReadOptions{Features: features})
	}
}

const cvFolds = 10

var (
	wdbcSpec = Spec{
		Name: "wdbc raw", Data: "Wisconsin diagnostic breast cancer table, unscaled", L1: 1e-4,
		Read: readWDBC,
	}
	heartSpec = Spec{Name: "heart", Data: "LIBSVM heart_scale", Read: file("small/heart_scale", 13), L1: 1e-2}
	a9aSpec   = Spec{Name: "a9a", Data: "LIBSVM a9a", Read: file("paper/a9a.zst", 123), L1: 1e-5}
	rcv1Spec  = Spec{
		Name: "rcv1 stand-in", Data: "stand-in for rcv1_train.binary: other documents of RCV1-v2",
		Read: file("paper/rcv1v2_binary_train.libsvm.zst", 47236), L1: 1e-4,
	}
	hivfpSpec = Spec{
		Name: "hivfp", Data: "stand-in for sido: molecules tested against HIV, by fingerprints",
		Read: file("paper/hivfp_train.libsvm.zst", 4932), L1: 1e-4,
	}
	covtypeSpec = Spec{
		Name: "covtype", Data: "LIBSVM covtype.binary, scaled",
		Read: file("paper/covtype.libsvm.binary.scale.zst", 54), L1: 1e-5,
	}
	// textSpec has more features than rows.
	textSpec = Spec{
		Name: "text",
		Data: "documents 1 to 7,770 of the rcv1 stand-in, features that at least 5 of them have", L1: 1e-4,
		Read: func(dir string) (*sparse.Dataset, error) {
			d, err := rcv1Spec.Read(dir)
			if err != nil {
				return nil, err
			}
			return firstRows(d, 7770, 5)
		},
	}
	webSpec = Spec{
		Name: "made web", Data: "synthetic: 0/1 features of 3 % positive pages",
		Read: func(string) (*sparse.Dataset, error) { return makeWeb(49749, 300) },
	}
)

// Specs returns the problems of a comparison. If quick is true, it returns only the small problems of a quick
// comparison. The most important problems come first, because a comparison may be interrupted.
func Specs(quick bool) (specs []Spec) {
	small := syntheticSpec("", 0, 300, 20, 5)
	small.Name = "synthetic"
	if quick {
		return append([]Spec{small, heartSpec, wdbcSpec}, smallPathSpecs()...)
	}
	for _, s := range []Spec{
		denseSpec(5000, 500), denseSpec(1000, 5000),
		tableSpec(45730, proteins, "protein structures"), tableSpec(20640, houses, "houses"),
		a9aSpec, textSpec, madeTextSpec(8000, 8000, 60), webSpec, rcv1Spec, hivfpSpec,
	} {
		specs = append(specs, s.path(100))
	}
	manyRows, manyColumns := denseSpec(100000, 40).classes(), denseSpec(200, 20000).classes()
	mediumTable := denseSpec(2000, 1000).classes()
	for _, s := range []Spec{a9aSpec, textSpec, webSpec, hivfpSpec, manyRows, mediumTable, manyColumns} {
		specs = append(specs, s.path(100).standardised())
	}
	for _, s := range []Spec{rcv1Spec, a9aSpec} {
		n := map[string]float64{rcv1Spec.Name: 20242, a9aSpec.Name: 32561}[s.Name]
		for _, loss := range []string{"logistic", "squared hinge"} { // the losses that liblinear supports
			for _, mu := range []float64{1, 0.1} {
				ridge := s.withL2(fmt.Sprintf(", %s, mu n = %g", loss, mu), mu/n)
				ridge.L1, ridge.Loss = 0, loss
				specs = append(specs, ridge)
			}
		}
	}
	for _, s := range []Spec{a9aSpec, textSpec, mediumTable} {
		specs = append(specs, s.crossValidation(100).standardised(), s.crossValidation(100))
	}
	const l2 = 1e-4
	a9aGraph, covtypeGraph := a9aSpec, covtypeSpec
	a9aGraph.Name, a9aGraph.Graph = "a9a, graph of 291 edges", "graphs/a9a_glasso_0.1.edges"
	covtypeGraph.Name, covtypeGraph.Graph = "covtype, F_covtype", "graphs/F_covtype_asvrpdhg.txt"
	ridge := a9aSpec.withL2(", ridge 1e-4", l2)
	ridge.L1 = 0
	specs = append(specs,
		small, heartSpec, wdbcSpec, a9aSpec, a9aGraph, rcv1Spec, covtypeSpec, hivfpSpec,
		a9aSpec.withL2(", mu 1e-4", l2), ridge, wdbcSpec.withL2(", mu 1e-4", l2),
		rcv1Spec.withL2(", mu 1e-4", l2),
	)
	// In each of these groups of synthetic problems one size grows.
	for _, n := range []int{1000, 10000, 100000} {
		specs = append(specs, syntheticSpec("n", n, n, 100, 20))
	}
	for _, p := range []int{100, 1000, 10000} {
		specs = append(specs, syntheticSpec("p", p, 5000, p, 20))
	}
	for _, k := range []int{5, 20, 80} {
		specs = append(specs, syntheticSpec("nonzeros a row", k, 10000, 500, k))
	}
	return append(specs, a9aGraph.withL2(", mu 1e-4", l2), covtypeGraph, covtypeSpec.withL2(", mu 1e-4", l2),
		hivfpSpec.withL2(", mu 1e-4", l2))
}

// smallPathSpecs returns the paths and cross-validations of a quick comparison, and a fit with the squared
// hinge loss.
func smallPathSpecs() []Spec {
	words := madeTextSpec(300, 200, 20)
	hinge := words
	hinge.Name, hinge.Loss, hinge.L2 = "made text, squared hinge", "squared hinge", 1.0/300
	return []Spec{
		denseSpec(60, 200).path(20), tableSpec(500, houses, "houses").path(20), words.path(20),
		words.crossValidation(20).standardised(), words.crossValidation(20), hinge,
	}
}

func (s Spec) path(count int) Spec {
	s.Name += ", path"
	s.Task, s.LambdaCount, s.L1, s.RelativeL1 = Path, count, 1e-2, true
	return s
}

func (s Spec) crossValidation(count int) Spec {
	name := s.Name + ", 10 folds"
	s = s.path(count)
	s.Name, s.Task = name, CV
	return s
}

// standardised returns a copy of s with an intercept and standardised features, which are the defaults of
// scas and glmnet.
func (s Spec) standardised() Spec {
	s.Name += ", intercept, standardised"
	s.Intercept, s.Standardize = true, true
	return s
}

func (s Spec) withL2(suffix string, l2 float64) Spec {
	s.Name, s.L2 = s.Name+suffix, l2
	return s
}

// syntheticSpec returns a synthetic problem with n rows, p features and k nonzeros in each row. series and
// size become the fields Series and SeriesSize.
func syntheticSpec(series string, size, n, p, k int) Spec {
	return Spec{
		Name: fmt.Sprintf("n %d, p %d, %d a row", n, p, k), Data: "synthetic, seed 1", L1: 0.01,
		RelativeL1: true, Series: series, SeriesSize: float64(size),
		Read: func(string) (*sparse.Dataset, error) {
			d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
				Rows: n, Features: p, NonzerosPerRow: k, Groups: 4, GroupSize: 5, Noise: 1, Seed: 1,
			})
			if err != nil {
				return nil, err
			}
			return d.Dataset, nil
		},
	}
}

// Load reads or makes the data and returns the problem; dir is the data directory. An error that matches
// fs.ErrNotExist means that the data or the directory do not exist.
func (s Spec) Load(dir string) (*Problem, error) {
	d, err := s.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("peers: data of %s: %w", s.Name, err)
	}
	s.Task, s.Loss = cmp.Or(s.Task, Fit), cmp.Or(s.Loss, "logistic")
	p := &Problem{Spec: s, X: d.X, Labels: d.Labels, Lambdas: []float64{s.L1}}
	if s.Standardize {
		p.Deviations = deviations(d.X)
	}
	if s.RelativeL1 {
		lambdaMax, err := model.LambdaMax(context.Background(), p.specification(), d.X, d.Labels)
		if err != nil {
			return nil, fmt.Errorf("peers: lambda max of %s: %w", s.Name, err)
		}
		p.Lambdas[0] *= lambdaMax
	}
	if s.Task != Fit {
		lastLambda := p.Lambdas[0]
		p.Lambdas = make([]float64, s.LambdaCount)
		for k := range p.Lambdas {
			p.Lambdas[k] = lastLambda * math.Pow(s.L1, float64(k+1-s.LambdaCount)/float64(s.LambdaCount-1))
		}
	}
	if s.Task == CV {
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(p.Labels)) {
			p.Folds = append(p.Folds, i%cvFolds)
		}
	}
	if s.Graph != "" {
		_, features := d.X.Dims()
		c, err := graph.ReadConstraintFile(filepath.Join(dir, filepath.FromSlash(s.Graph)), features)
		if err != nil {
			return nil, fmt.Errorf("peers: graph of %s: %w", s.Name, err)
		}
		p.A = c.A
	}
	p.ObjectiveAtZero = p.Objective(0, make([]float64, p.solutionLen()))
	return p, nil
}

const wdbcFile = "solver/cmd/scas/wdbc.csv.gz"

// readWDBC reads wdbcFile from the source tree that contains the working directory.
func readWDBC(string) (*sparse.Dataset, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		path := filepath.Join(dir, filepath.FromSlash(wdbcFile))
		if _, err := os.Stat(path); err == nil || filepath.Dir(dir) == dir {
			return sparse.ReadFile(path,
				&sparse.ReadOptions{Table: sparse.TableOptions{Label: "diagnosis"}, PositiveName: "M"})
		}
		dir = filepath.Dir(dir)
	}
}
