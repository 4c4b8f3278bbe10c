package paper

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/sparse"
)

// formatVersion changes when old files cannot be read or mean something else.
const formatVersion = 3

// A line is one of points.jsonl that is no unit and no point: which of the parts
// it has, kind says.
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

// read takes what is complete in points.jsonl.
func (s *Store) read() error {
	text, err := s.points()
	if err != nil {
		return err
	}
	var last unitLine
	for number, raw := range bytes.SplitAfter(text, []byte("\n")) {
		if !bytes.HasSuffix(raw, []byte("\n")) {
			break // cut off by an interruption
		}
		var is struct{ Kind string }
		err := json.Unmarshal(raw, &is)
		if err == nil && is.Kind == "protocol" {
			if err := s.checkProtocol(raw); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			err = s.take(is.Kind, raw, &last)
		}
		if err != nil {
			return fmt.Errorf("paper: %s:%d: %w; cut the file before that line to keep what is above, or delete it", filepath.Join(s.dir, PointsFile), number+1, err)
		}
	}
	return nil
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

// take keeps what a line has; last is the unit that points belong to.
func (s *Store) take(kind string, raw []byte, last *unitLine) error {
	switch kind {
	case "optimum":
		o := &Optimum{}
		err := json.Unmarshal(raw, o)
		s.optima[o.key()] = o
		return err
	case "data":
		f := &Facts{}
		err := json.Unmarshal(raw, f)
		s.facts[f.Name] = f
		return err
	case "unit":
		*last = unitLine{Unit: &Unit{}}
		if err := json.Unmarshal(raw, last); err != nil {
			return err
		}
	case "point":
		var p pointLine
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
		if last.Unit == nil || p.Key != last.Key || len(last.Points) == last.Count {
			return errors.New("a point of no unit")
		}
		last.Points = append(last.Points, p.Point)
	default:
		return fmt.Errorf("unknown kind %q", kind)
	}
	if len(last.Points) == last.Count {
		s.units[last.Key] = last.Unit
	}
	return nil
}

// checkProtocol refuses results that cannot be mixed with those to come. Which
// data sets and methods were run does not matter.
func (s *Store) checkProtocol(raw []byte) error {
	l := line{Protocol: &Protocol{}}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	path := filepath.Join(s.dir, PointsFile)
	switch there, asked := l.Protocol.fixed(), s.protocol.fixed(); {
	case l.Version != formatVersion:
		return fmt.Errorf("paper: %s has format %d, this program reads %d; choose another directory or delete the file", path, l.Version, formatVersion)
	case s.protocol.Passes == 0:
		s.protocol = *l.Protocol
	case there != asked:
		return fmt.Errorf("paper: %s holds results of another protocol (%s there, %s asked for); choose another directory or delete the file", path, there, asked)
	}
	return nil
}

// fixed tells all that results in one directory must have in common.
func (pr Protocol) fixed() string {
	grids := "full grids"
	if pr.Coarse {
		grids = "coarse grids as of --quick"
	}
	return fmt.Sprintf("graph %s, %g passes, tuning on %d samples, %s", pr.Graph, pr.Passes, pr.TuneSamples, grids)
}

// encode writes values as JSON, one per line.
func encode[T any](w io.Writer, values []T) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return b.Flush()
}

func unitLines(u *Unit) []any {
	lines := []any{unitLine{"unit", u, len(u.Points)}}
	for _, p := range u.Points {
		lines = append(lines, pointLine{"point", u.Key, p})
	}
	return lines
}
