package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// A checkpointFile is a dist.Checkpoint in a file. The file has a line of JSON that describes the run, and
// then the state of the run.
type checkpointFile struct {
	path string
	want checkpointHead
}

// A checkpointHead describes a run. A run continues only from the state of a run with an equal description.
type checkpointHead struct {
	Format  int    `json:"scas_checkpoint"`
	Version string `json:"scas_version"`
	Data    string `json:"data"`
	problemSummary
	Lambda         float64         `json:"lambda"`
	Labels         string          `json:"labels,omitempty"` // the labels in the data that mean -1 and +1
	Method         string          `json:"method"`
	Settings       solver.Settings `json:"settings"`
	AverageIterate bool            `json:"average"`
	FilesCRC       uint32          `json:"files"`    // CRC-32 of the input files other than the data
	DataSum        uint32          `json:"data_sum"` // see sumOfRows
}

const checkpointFormat = 6

// checkpoint returns the checkpoint file of a fit, or nil if --checkpoint is not given.
func (c *trainCmd) checkpoint(report *problemReport) (dist.Checkpoint, error) {
	if c.Checkpoint == "" {
		return nil, nil
	}
	s := report.fitSpec
	want := checkpointHead{
		Format: checkpointFormat, Version: version, Data: c.Data, problemSummary: report.problemSummary,
		Lambda: s.spec.Lambda, Method: c.Method.name(), Settings: s.spec.Settings,
		AverageIterate: s.spec.Average, DataSum: c.ranks.sumOfRows(s),
	}
	want.Settings.TimeLimit, want.Settings.Threads = 0, 0 // the state does not depend on them
	if values := s.data.Classes.Values; s.data.Signs {
		want.Labels = fmt.Sprint(values[0], values[1])
	}
	sum := crc32.NewIEEE()
	for _, path := range append(c.inputs(), c.Start) {
		if path == "" {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum.Write(b)
	}
	want.FilesCRC = sum.Sum32()
	return &checkpointFile{c.Checkpoint, want}, nil
}

// sumOfRows returns a checksum of the rows, labels and offsets of all ranks, and of the names of the
// features. If there are more than two classes, the checksum includes their names. It does not depend on the
// number of ranks. Out of core it is 0. All ranks must call sumOfRows.
func (r *ranks) sumOfRows(s *fitSpec) uint32 {
	if s.outOfCore() {
		return 0
	}
	data := s.data
	table := crc32.MakeTable(crc32.Castagnoli)
	var total uint32 // sum of the checksums of the rows, modulo 2^32
	var b []byte
	add := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }
	for lo, hi := range rows.Parts(data.X, rows.PartRows) {
		for i := lo; i < hi; i++ {
			b = binary.LittleEndian.AppendUint64(b[:0], uint64(s.counts.start+i))
			add(data.Labels[i])
			if data.Offsets != nil {
				add(data.Offsets[i])
			}
			idx, val := data.X.Row(i)
			for k, j := range idx {
				b = binary.LittleEndian.AppendUint32(b, uint32(j))
				add(val[k])
			}
			total += crc32.Checksum(b, table)
		}
	}
	// Total adds a number below 2^32 for each rank, so the sum is exact in float64.
	total = uint32(uint64(r.team.Total(float64(total))))
	var classNames []string
	if fitsOf(data) > 1 {
		classNames = data.Classes.Names
	}
	for _, names := range [][]string{s.spec.Features, classNames} {
		for _, name := range names {
			total = crc32.Update(total, table, append([]byte(name), 0))
		}
	}
	return total
}

func (f *checkpointFile) Save(state []byte) error {
	line, err := json.Marshal(f.want)
	if err != nil {
		return err
	}
	return atomicfile.Write(f.path, 0o666, func(w io.Writer) error {
		_, err := w.Write(append(append(line, '\n'), state...))
		return err
	})
}

// Load returns the state in the file, or nil if there is no file. A damaged file is an error.
func (f *checkpointFile) Load() ([]byte, error) {
	b, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	line, state, _ := bytes.Cut(b, []byte("\n"))
	var head checkpointHead
	if json.Unmarshal(line, &head) != nil || head.Format != f.want.Format || !rows.Intact(state) {
		return nil, fmt.Errorf("%s: is no checkpoint of this version of scas, or a damaged one: remove it to begin anew", f.path)
	}
	if own, err := json.Marshal(f.want); err != nil || !bytes.Equal(own, line) {
		return nil, fmt.Errorf("%s: is the checkpoint of other data or flags: give another file, or remove it to begin anew", f.path)
	}
	return state, nil
}

// removeCheckpoint removes the checkpoint file at the end of the run.
func (c *trainCmd) removeCheckpoint(e *env) {
	if c.Checkpoint == "" || c.ranks.team.Rank() > 0 {
		return
	}
	if err := os.Remove(c.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.warn("the checkpoint is no longer needed, but cannot be removed: %v", err)
	}
}
