package paper

import (
	"bufio"
	"bytes"
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

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// Names of the files of records. Each run of the experiment writes the same bytes to pointsFile. timingsFile
// has measured times and sizes of memory, which differ from run to run.
const (
	pointsFile  = "points.jsonl"
	timingsFile = "timings.jsonl"
)

// formatVersion must change when the program can no longer read old files of records, or when their meaning
// changes.
const formatVersion = 5

// An Optimum is the smallest known objective for a data set, a mu and a split. Gaps are measured from it.
type Optimum struct {
	Data       string  `json:"data"`
	Mu         float64 `json:"mu"`
	Split      int     `json:"split"`
	Objective  float64 `json:"objective"`
	Gap        float64 `json:"gap"` // proved upper bound on Objective minus the optimum
	ComputedBy string  `json:"by"`  // how the optimum was computed, in words
}

// Records are the results of an experiment in a directory, with the protocol.
type Records struct {
	Protocol Protocol
	// Machines describe the machines on which times and bytes were measured, each in lines of text.
	Machines  [][]string
	Summaries map[string]*DataSummary
	Optima    map[Key]*Optimum // the keys have only a data set, mu and a split
	Runs      map[Key]*TunedRun
	Timings   map[Key]*Timing

	dir string
	mu  sync.Mutex // held by add; nothing reads the maps while goroutines add to them
}

// A line is a line of a file of records. The first line of pointsFile has only Version and Protocol. Every
// later line, and every line of timingsFile, has exactly one of the fields after Protocol.
type line struct {
	Version  int          `json:"version,omitempty"`
	Protocol *Protocol    `json:"protocol,omitempty"`
	Data     *DataSummary `json:"data,omitempty"`
	Optimum  *Optimum     `json:"optimum,omitempty"`
	Run      *TunedRun    `json:"unit,omitempty"`
	Machine  []string     `json:"machine,omitempty"`
	Timing   *Timing      `json:"timing,omitempty"`
}

// Open opens the records in dir, without a line that an interruption cut off. If dir has no records, it
// begins new ones. It returns an error if pr differs from the records' protocol in Passes, TuneSamples or
// Coarse.
func Open(dir string, pr Protocol) (*Records, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	r, err := read(dir)
	if err != nil {
		return nil, err
	}
	stored, asked := r.Protocol.fixedText(), pr.fixedText()
	if r.Protocol.Passes != 0 && stored != asked {
		return nil, fmt.Errorf("paper: %s holds results of another protocol (%s there, %s asked for); choose another directory or delete the file", filepath.Join(dir, pointsFile), stored, asked)
	}
	r.Protocol = pr
	return r, r.Save()
}

// OpenAny opens the records in dir for a report, whatever their protocol is. Records without a run or
// without a protocol are an error.
func OpenAny(dir string) (*Records, error) {
	r, err := read(dir)
	switch {
	case err != nil:
		return nil, err
	case len(r.Runs) == 0:
		return nil, fmt.Errorf("paper: there are no results in %s: no complete run in %s", dir, pointsFile)
	case r.Protocol.Passes == 0:
		return nil, fmt.Errorf("paper: %s has no protocol line: what the results mean is unknown",
			filepath.Join(dir, pointsFile))
	}
	return r, nil
}

// Methods returns the methods of all runs: first the methods of the module in their order, then other
// methods, sorted by name.
func (r *Records) Methods() (methods []Traits) {
	names := map[Method]bool{}
	for k := range r.Runs {
		names[k.Method] = true
	}
	for _, name := range slices.Concat(moduleNames(), slices.Sorted(maps.Keys(names))) {
		if names[name] {
			methods = append(methods, r.Protocol.Traits(name))
			delete(names, name)
		}
	}
	return methods
}

// fixedText describes the parts of the protocol that all results in one directory must agree on.
func (pr *Protocol) fixedText() string {
	grids := "full grids"
	if pr.Coarse {
		grids = "coarse grids as of --quick"
	}
	return fmt.Sprintf("%g passes, tuning on %d samples, %s", pr.Passes, pr.TuneSamples, grids)
}

// read reads the complete lines of the files in a directory.
func read(dir string) (*Records, error) {
	r := &Records{
		dir: dir, Summaries: map[string]*DataSummary{}, Optima: map[Key]*Optimum{}, Runs: map[Key]*TunedRun{},
		Timings: map[Key]*Timing{},
	}
	for _, name := range []string{pointsFile, timingsFile} {
		text, err := contents(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		number := 0
		for raw := range bytes.Lines(text) {
			number++
			if !bytes.HasSuffix(raw, []byte("\n")) {
				break // the line was cut off by an interruption
			}
			var l line
			err = json.Unmarshal(raw, &l)
			if err == nil {
				err = r.store(&l)
			}
			if err != nil {
				return nil, fmt.Errorf("paper: %s:%d: %w; cut the file before that line to keep what is above, or delete it", filepath.Join(dir, name), number, err)
			}
		}
	}
	return r, nil
}

// contents returns the text of a file, or of the compressed file of the same name with the ending .zst. If
// neither exists, it returns nil.
func contents(path string) ([]byte, error) {
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
	return sparse.ReadText(f, f.Name())
}

func (r *Records) store(l *line) error {
	switch {
	case l.Protocol != nil:
		if l.Version != formatVersion {
			return fmt.Errorf("format %d, this program reads %d", l.Version, formatVersion)
		}
		r.Protocol = *l.Protocol
	case l.Data != nil:
		r.Summaries[l.Data.Name] = l.Data
	case l.Optimum != nil:
		r.Optima[Key{Data: l.Optimum.Data, Mu: l.Optimum.Mu, Split: l.Optimum.Split}] = l.Optimum
	case l.Run != nil:
		r.Runs[l.Run.Key] = l.Run
	case l.Machine != nil:
		if !slices.ContainsFunc(r.Machines, func(m []string) bool { return slices.Equal(m, l.Machine) }) {
			r.Machines = append(r.Machines, l.Machine)
		}
	case l.Timing != nil:
		r.Timings[l.Timing.Key] = l.Timing
	default:
		return errors.New("neither protocol, data, optimum, unit, machine nor timing")
	}
	return nil
}

// add adds a line to the records in memory and to one of the files timingsFile and pointsFile.
func (r *Records) add(l line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.store(&l); err != nil {
		return err
	}
	name := pointsFile
	if l.Machine != nil || l.Timing != nil {
		name = timingsFile
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// Save writes pointsFile again, and also timingsFile if there are timings. The lines are in the order of
// their keys.
func (r *Records) Save() error {
	points := []line{{Version: formatVersion, Protocol: &r.Protocol}}
	for _, name := range slices.Sorted(maps.Keys(r.Summaries)) {
		points = append(points, line{Data: r.Summaries[name]})
	}
	for _, k := range sortedKeys(r.Optima) {
		points = append(points, line{Optimum: r.Optima[k]})
	}
	for _, k := range sortedKeys(r.Runs) {
		points = append(points, line{Run: r.Runs[k]})
	}
	var timings []line
	for _, m := range r.Machines {
		timings = append(timings, line{Machine: m})
	}
	for _, k := range sortedKeys(r.Timings) {
		timings = append(timings, line{Timing: r.Timings[k]})
	}
	err := r.write(pointsFile, points)
	if err == nil && timings != nil {
		err = r.write(timingsFile, timings)
	}
	return err
}

func (r *Records) write(name string, lines []line) error {
	return atomicfile.Write(filepath.Join(r.dir, name), 0o644, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		enc := json.NewEncoder(b)
		for _, l := range lines {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

func sortedKeys[V any](m map[Key]V) []Key { return slices.SortedFunc(maps.Keys(m), Key.compare) }
