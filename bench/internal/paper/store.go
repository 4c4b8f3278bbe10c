package paper

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// Names of the files of raw results.
const (
	PointsFile  = "points.jsonl"
	TimingsFile = "timings.jsonl"
)

// An Optimum is the reference value of a problem.
type Optimum struct {
	Data      string  `json:"data"`
	Mu        float64 `json:"mu"`
	Split     int     `json:"split"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"` // bound of its excess
	By        string  `json:"by"`  // how it was found
	Norm      float64 `json:"norm"`
}

// A Store is the directory of raw results. It may be used by several goroutines.
type Store struct {
	dir      string
	mu       sync.Mutex
	file     *os.File
	protocol Protocol // without passes until it is read, if any will do
	units    map[Key]*Unit
	optima   map[Key]*Optimum // without a method
	facts    map[string]*Facts
}

func newStore(dir string, pr Protocol) *Store {
	return &Store{dir: dir, protocol: pr, units: map[Key]*Unit{}, optima: map[Key]*Optimum{}, facts: map[string]*Facts{}}
}

// Records are what experiments leave, and by which protocol.
type Records struct {
	Protocol Protocol
	Store    *Store
	Timings  *Timings
}

// Open opens the results in dir, keeping those that are complete, or begins new
// ones, of which seconds are measured on some splits. Results of another protocol
// are an error.
func Open(dir string, pr Protocol, timedSplits int) (r Records, err error) {
	s := newStore(dir, pr)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return r, err
	}
	if err := s.read(); err != nil {
		return r, err
	}
	if err := s.rewrite(); err != nil {
		return r, err
	}
	t, err := openTimings(dir, timedSplits)
	return Records{pr, s, t}, err
}

// OpenKept opens the results in dir, of whatever protocol they are, for a report,
// with a protocol of the data sets, methods, mus and splits in them.
func OpenKept(dir string) (r Records, err error) {
	s := newStore(dir, Protocol{})
	if err := s.read(); err != nil {
		return r, err
	}
	if len(s.units) == 0 {
		return r, fmt.Errorf("paper: there are no results in %s: no complete run in %s", dir, PointsFile)
	}
	if s.protocol.Passes == 0 {
		return r, fmt.Errorf("paper: %s has no protocol line: what the results mean is unknown", filepath.Join(dir, PointsFile))
	}
	pr := s.protocol
	pr.Splits = 1
	data, mus, methods := map[string]bool{}, map[float64]bool{}, map[Method]bool{}
	for k := range s.units {
		pr.Splits = max(pr.Splits, k.Split+1)
		data[k.Data], mus[k.Mu], methods[k.Method] = true, true, true
	}
	pr.Data, pr.Mus = slices.Sorted(maps.Keys(data)), slices.Sorted(maps.Keys(mus))
	pr.Methods = slices.DeleteFunc(registered(), func(m Method) bool { return !methods[m] })
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		if methodOf(m) == nil { // a caller's own
			pr.Methods = append(pr.Methods, m)
		}
	}
	t, err := openTimings(dir, pr.Splits)
	return Records{pr, s, t}, err
}

// key is that of the runs on the problem, without a method.
func (o *Optimum) key() Key { return Key{Data: o.Data, Mu: o.Mu, Split: o.Split} }

// Unit returns a complete run, or nil.
func (s *Store) Unit(k Key) *Unit { return get(s, s.units, k) }

// Optimum returns a reference value, or nil.
func (s *Store) Optimum(data string, mu float64, split int) *Optimum {
	return get(s, s.optima, Key{Data: data, Mu: mu, Split: split})
}

// Facts returns the description of a data set, or nil.
func (s *Store) Facts(data string) *Facts { return get(s, s.facts, data) }

// AddUnit appends a complete run.
func (s *Store) AddUnit(u *Unit) error { return add(s, s.units, u.Key, u, unitLines(u)) }

// AddFacts keeps the description of a data set.
func (s *Store) AddFacts(f *Facts) error {
	return add(s, s.facts, f.Name, f, []any{line{Kind: "data", Facts: f}})
}

// AddOptimum appends a reference value.
func (s *Store) AddOptimum(o *Optimum) error {
	return add(s, s.optima, o.key(), o, []any{line{Kind: "optimum", Optimum: o}})
}

func get[K comparable, V any](s *Store, m map[K]V, k K) V {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m[k]
}

// add keeps v and writes its lines at the end of the file in one piece.
func add[K comparable, V any](s *Store, m map[K]V, k K, v V, lines []any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m[k] = v
	var b bytes.Buffer
	if err := encode(&b, lines); err != nil {
		return err
	}
	if s.file == nil {
		f, err := os.OpenFile(filepath.Join(s.dir, PointsFile), os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		s.file = f
	}
	_, err := s.file.Write(b.Bytes())
	return err
}

// Close puts the file in its final order, which does not depend on which run
// ended first, and closes it.
func (s *Store) Close() error { return s.rewrite() }

// rewrite writes everything in order.
func (s *Store) rewrite() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			return err
		}
		s.file = nil
	}
	lines := []any{line{Kind: "protocol", Version: formatVersion, Protocol: &s.protocol}}
	for _, f := range sorted(s.facts, strings.Compare) {
		lines = append(lines, line{Kind: "data", Facts: f})
	}
	for _, o := range sorted(s.optima, Key.compare) {
		lines = append(lines, line{Kind: "optimum", Optimum: o})
	}
	for _, u := range sorted(s.units, Key.compare) {
		lines = append(lines, unitLines(u)...)
	}
	return atomicfile.Write(filepath.Join(s.dir, PointsFile), 0o644, func(w io.Writer) error { return encode(w, lines) })
}

// sorted returns the values of a map in the order of their keys.
func sorted[K comparable, V any](m map[K]V, compare func(a, b K) int) []V {
	var out []V
	for _, k := range slices.SortedFunc(maps.Keys(m), compare) {
		out = append(out, m[k])
	}
	return out
}
