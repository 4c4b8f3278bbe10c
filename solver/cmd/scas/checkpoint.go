package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// A checkpointFile keeps the state of a run, behind a line that says of which.
type checkpointFile struct {
	path string
	of   checkpointHead
}

// checkpointHead is what must be the same for a run to go on.
type checkpointHead struct {
	Format  int    `json:"scas_checkpoint"`
	Version string `json:"scas_version"`
	Data    string `json:"data"`
	lossFacts
	problemFacts
	NNZ      int64           `json:"nnz"`
	Labels   string          `json:"labels,omitempty"` // of -1 and +1
	Settings json.RawMessage `json:"settings"`
	Files    uint32          `json:"files"` // CRC-32 of what is read beside the data

	Size int    `json:"size"` // of the state behind the line
	CRC  uint32 `json:"crc32"`
}

const checkpointFormat = 2

// checkpoint returns where the state of a run on data is kept; nil without --checkpoint.
func (c *trainCmd) checkpoint(data *sparse.Dataset, facts problemFacts, nnz int64) (dist.Checkpoint, error) {
	if c.Checkpoint == "" {
		return nil, nil
	}
	set := c.settings()
	set.TimeLimit, set.Threads = 0, 0 // which change no bit of what is kept
	settings, err := json.Marshal(struct {
		*solver.Settings
		shapeFlags
	}{set, c.shapeFlags})
	of := checkpointHead{
		Format: checkpointFormat, Version: version, Data: c.Data, lossFacts: newLossFacts(c.Loss.Loss), problemFacts: facts, NNZ: nnz, Settings: settings,
	}
	if m := data.Mapping; !m.IsZero() {
		of.Labels = fmt.Sprint(m.Negative, m.Positive)
	}
	sum := crc32.NewIEEE()
	for _, path := range c.specFlags.inputs() {
		if b, err := os.ReadFile(path); err == nil { // else it is no name of a file, as chain is none
			sum.Write(b)
		}
	}
	of.Files = sum.Sum32()
	return &checkpointFile{c.Checkpoint, of}, err
}

// Save implements dist.Checkpoint.
func (f *checkpointFile) Save(state []byte) error {
	head := f.of
	head.Size, head.CRC = len(state), crc32.ChecksumIEEE(state)
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	return writeFile(f.path, func(w io.Writer) error {
		_, err := w.Write(append(append(line, '\n'), state...))
		return err
	})
}

// Load implements dist.Checkpoint.
func (f *checkpointFile) Load() ([]byte, error) {
	b, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	line, state, _ := bytes.Cut(b, []byte("\n"))
	var head checkpointHead
	if json.Unmarshal(line, &head) != nil || head.Format != f.of.Format || len(state) != head.Size || crc32.ChecksumIEEE(state) != head.CRC {
		return nil, fmt.Errorf("%s: is no checkpoint of this version of scas, or a damaged one: remove it to begin anew", f.path)
	}
	want := f.of
	want.Size, want.CRC = head.Size, head.CRC
	if own, err := json.Marshal(want); err != nil || !bytes.Equal(own, line) {
		return nil, fmt.Errorf("%s: is the checkpoint of other data or flags: give another file, or remove it to begin anew", f.path)
	}
	return state, nil
}

// forget removes the checkpoint of a run that is done.
func (c *trainCmd) forget(e *env) {
	if c.Checkpoint == "" || c.ranks.team.Rank() > 0 {
		return
	}
	if err := os.Remove(c.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.warn("the checkpoint stays, and is of no more use: %v", err)
	}
}
