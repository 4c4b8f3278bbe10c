package paper

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// Names of the files of raw results.
const (
	PointsFile  = "points.jsonl"
	TimingsFile = "timings.jsonl"
)

// formatVersion changes when old files cannot be read or mean something else.
const formatVersion = 1

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

// A line is one of points.jsonl: which of the parts it has, kind says.
type line struct {
	Kind     string    `json:"kind"`
	Version  int       `json:"version,omitempty"`
	Protocol *Protocol `json:"protocol,omitempty"`
	*Optimum
	*Facts
}

type unitLine struct {
	Kind string `json:"kind"`
	*Unit
	Count int `json:"points"` // lines that follow
}

type pointLine struct {
	Kind string `json:"kind"`
	Key
	Point
}

// A Store is the directory of raw results. It may be used by several goroutines.
type Store struct {
	dir      string
	mu       sync.Mutex
	file     *os.File
	protocol Protocol
	// anyProtocol takes that of the file.
	anyProtocol bool

	units  map[Key]*Unit
	optima map[[2]string]*Optimum
	facts  map[string]*Facts
}

// Open opens the results in dir, keeping those that are complete, or begins new
// ones. Results of another protocol are an error.
func Open(dir string, pr Protocol) (*Store, error) {
	s := &Store{dir: dir, protocol: pr, units: map[Key]*Unit{}, optima: map[[2]string]*Optimum{}, facts: map[string]*Facts{}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	return s, s.rewrite()
}

// OpenKept opens the results in dir, of whatever protocol they are, for a report,
// and returns a protocol of the data sets, methods, mus and splits in them.
func OpenKept(dir string) (*Store, Protocol, error) {
	s := &Store{dir: dir, anyProtocol: true, units: map[Key]*Unit{}, optima: map[[2]string]*Optimum{}, facts: map[string]*Facts{}}
	if err := s.read(); err != nil {
		return nil, Protocol{}, err
	}
	if len(s.units) == 0 {
		return nil, Protocol{}, fmt.Errorf("paper: there are no results in %s: no complete run in %s", dir, PointsFile)
	}
	if s.protocol.Passes == 0 {
		return nil, Protocol{}, fmt.Errorf("paper: %s has no protocol line: what the results mean is unknown", filepath.Join(dir, PointsFile))
	}
	pr := s.protocol
	pr.Data, pr.Methods, pr.Mus, pr.Splits = nil, nil, nil, 1
	for k := range s.units {
		pr.Splits = max(pr.Splits, k.Split+1)
		if !slices.Contains(pr.Mus, k.Mu) {
			pr.Mus = append(pr.Mus, k.Mu)
		}
		if !slices.Contains(pr.Data, k.Data) {
			pr.Data = append(pr.Data, k.Data)
		}
	}
	slices.Sort(pr.Mus)
	slices.Sort(pr.Data)
	for _, m := range registered() {
		if s.has(m) {
			pr.Methods = append(pr.Methods, m)
		}
	}
	return s, pr, nil
}

func (s *Store) has(m solver.Method) bool {
	for k := range s.units {
		if k.Method == m {
			return true
		}
	}
	return false
}

// read takes what is complete in points.jsonl.
func (s *Store) read() error {
	text, err := s.points()
	if err != nil {
		return err
	}
	var open *Unit
	missing := 0
	for number, raw := range bytes.SplitAfter(text, []byte("\n")) {
		if len(raw) == 0 || raw[len(raw)-1] != '\n' {
			break // cut off by an interruption
		}
		var kind struct{ Kind string }
		if err := json.Unmarshal(raw, &kind); err != nil {
			return s.damaged(number, err)
		}
		switch kind.Kind {
		case "protocol":
			if err := s.checkProtocol(raw); err != nil {
				return err
			}
		case "optimum":
			o := &Optimum{}
			err = json.Unmarshal(raw, &line{Optimum: o})
			s.optima[optimumKey(o.Data, o.Mu, o.Split)] = o
		case "data":
			f := &Facts{}
			err = json.Unmarshal(raw, &line{Facts: f})
			s.facts[f.Name] = f
		case "unit":
			u := unitLine{Unit: &Unit{}}
			err = json.Unmarshal(raw, &u)
			if open, missing = u.Unit, u.Count; missing == 0 {
				s.units[open.Key] = open
			}
		case "point":
			var p pointLine
			err = json.Unmarshal(raw, &p)
			if open == nil || p.Key != open.Key || missing == 0 {
				return s.damaged(number, errors.New("a point of no unit"))
			}
			open.Points = append(open.Points, p.Point)
			if missing--; missing == 0 {
				s.units[open.Key] = open
			}
		default:
			return s.damaged(number, fmt.Errorf("unknown kind %q", kind.Kind))
		}
		if err != nil {
			return s.damaged(number, err)
		}
	}
	return nil
}

// damaged says which line of the file cannot be used, counted from 0.
func (s *Store) damaged(number int, err error) error {
	return fmt.Errorf("paper: %s:%d: %w; cut the file before that line to keep what is above, or delete it", filepath.Join(s.dir, PointsFile), number+1, err)
}

// points returns what is in points.jsonl, or where there is none, in the
// compressed file in which results are kept, or nothing.
func (s *Store) points() ([]byte, error) {
	path := filepath.Join(s.dir, PointsFile)
	text, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	f, err := os.Open(path + ".zst")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, _, err := sparse.Decompress(f, f.Name())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// checkProtocol refuses results that cannot be mixed with those to come. Which
// data sets and methods were run does not matter.
func (s *Store) checkProtocol(raw []byte) error {
	l := line{Protocol: &Protocol{}}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	same := func(p Protocol) string {
		p.Data, p.Methods, p.Mus, p.Splits = nil, nil, nil, 0
		text, _ := json.Marshal(p) // has no type that fails
		return string(text)
	}
	path := filepath.Join(s.dir, PointsFile)
	switch {
	case l.Version != formatVersion:
		return fmt.Errorf("paper: %s has format %d, this program reads %d; choose another directory or delete the file", path, l.Version, formatVersion)
	case s.anyProtocol:
		s.protocol = *l.Protocol
	case same(*l.Protocol) != same(s.protocol):
		return fmt.Errorf("paper: %s holds results of another protocol (%s there, %s asked for); choose another directory or delete the file", path, l.Protocol.fixed(), s.protocol.fixed())
	}
	return nil
}

// fixed tells what all results in a directory have in common.
func (pr Protocol) fixed() string {
	grids := "full grids"
	if pr.Coarse {
		grids = "coarse grids as of --quick"
	}
	return fmt.Sprintf("graph %s, %g passes, tuning on %d samples, %s", pr.Graph, pr.Passes, pr.TuneSamples, grids)
}

func optimumKey(data string, mu float64, split int) [2]string {
	return [2]string{data, fmt.Sprint(mu, " ", split)}
}

// Unit returns a complete run, or nil.
func (s *Store) Unit(k Key) *Unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units[k]
}

// Optimum returns a reference value, or nil.
func (s *Store) Optimum(data string, mu float64, split int) *Optimum {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.optima[optimumKey(data, mu, split)]
}

// Facts returns the description of a data set, or nil.
func (s *Store) Facts(data string) *Facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts[data]
}

// AddUnit appends a complete run.
func (s *Store) AddUnit(u *Unit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units[u.Key] = u
	return s.append(func(w io.Writer) error { return writeUnit(w, u) })
}

// AddFacts keeps the description of a data set.
func (s *Store) AddFacts(f *Facts) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts[f.Name] = f
	return s.append(func(w io.Writer) error { return json.NewEncoder(w).Encode(line{Kind: "data", Facts: f}) })
}

// AddOptimum appends a reference value.
func (s *Store) AddOptimum(o *Optimum) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.optima[optimumKey(o.Data, o.Mu, o.Split)] = o
	return s.append(func(w io.Writer) error { return json.NewEncoder(w).Encode(line{Kind: "optimum", Optimum: o}) })
}

// append writes lines at the end of the file in one piece.
func (s *Store) append(fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
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

func writeUnit(w io.Writer, u *Unit) error {
	enc := json.NewEncoder(w)
	if err := enc.Encode(unitLine{"unit", u, len(u.Points)}); err != nil {
		return err
	}
	for _, p := range u.Points {
		if err := enc.Encode(pointLine{"point", u.Key, p}); err != nil {
			return err
		}
	}
	return nil
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
	return atomicfile.Write(filepath.Join(s.dir, PointsFile), 0o644, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		enc := json.NewEncoder(b)
		if err := enc.Encode(line{Kind: "protocol", Version: formatVersion, Protocol: &s.protocol}); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(s.facts)) {
			if err := enc.Encode(line{Kind: "data", Facts: s.facts[name]}); err != nil {
				return err
			}
		}
		for _, o := range s.sortedOptima() {
			if err := enc.Encode(line{Kind: "optimum", Optimum: o}); err != nil {
				return err
			}
		}
		for _, u := range s.sortedUnits() {
			if err := writeUnit(b, u); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

func (s *Store) sortedOptima() []*Optimum {
	var all []*Optimum
	for _, o := range s.optima {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *Optimum) int {
		return cmp.Or(cmp.Compare(a.Data, b.Data), cmp.Compare(a.Mu, b.Mu), cmp.Compare(a.Split, b.Split))
	})
	return all
}

func (s *Store) sortedUnits() []*Unit {
	var all []*Unit
	for _, u := range s.units {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *Unit) int {
		return cmp.Or(cmp.Compare(a.Data, b.Data), cmp.Compare(a.Mu, b.Mu), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Split, b.Split))
	})
	return all
}
