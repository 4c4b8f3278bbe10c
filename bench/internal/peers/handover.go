package peers

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/sparse"
)

// A Handover is a problem together with a directory that holds the problem's files for the peers.
// bench/README.md describes these files.
type Handover struct {
	*Problem
	Dir string
}

// A description is the content of the file problem.json.
type description struct {
	Task        Task    `json:"task"`
	Loss        string  `json:"loss"`
	Intercept   bool    `json:"intercept"`
	Standardize bool    `json:"standardize"`
	N           int     `json:"n"`
	P           int     `json:"p"`
	NNZ         int64   `json:"nnz"`
	L1          float64 `json:"l1"` // the last lambda, which is the smallest
	L2          float64 `json:"l2"`
	Lambdas     int     `json:"lambdas"`   // number of lambdas
	Identity    bool    `json:"identity"`  // whether A is the identity
	RowsOfA     int     `json:"rows_of_a"` // 0 for the identity
}

// NewHandover writes the files of p into a new temporary directory. If text is true, it also writes the data
// as LIBSVM text, and A in the Matrix Market format. Remove deletes the directory.
func NewHandover(p *Problem, text bool) (_ *Handover, err error) {
	dir, err := os.MkdirTemp("", "scas-peers-")
	if err != nil {
		return nil, err
	}
	h := &Handover{Problem: p, Dir: dir}
	defer func() {
		if err != nil {
			h.Remove()
		}
	}()
	if err := h.writeMatrix("X", p.X); err != nil {
		return nil, err
	}
	if err := h.write("labels.f64", p.Labels); err != nil {
		return nil, err
	}
	if err := h.write("lambdas.f64", p.Lambdas); err != nil {
		return nil, err
	}
	if p.Folds != nil {
		folds := make([]int32, len(p.Folds))
		for i, k := range p.Folds {
			folds[i] = int32(k)
		}
		if err := h.write("folds.i32", folds); err != nil {
			return nil, err
		}
	}
	if p.A != nil {
		if err := h.writeMatrix("A", p.A); err != nil {
			return nil, err
		}
	}
	if text {
		if err := h.writeText(); err != nil {
			return nil, err
		}
	}
	return h, h.writeDescription()
}

// Remove deletes the directory. It ignores errors, because the directory is in the system's directory of
// temporary files.
func (h *Handover) Remove() { _ = os.RemoveAll(h.Dir) }

func (h *Handover) writeDescription() error {
	n, p := h.X.Dims()
	rows := 0
	if h.A != nil {
		rows, _ = h.A.Dims()
	}
	text, err := json.MarshalIndent(description{
		Task: h.Task, Loss: h.Loss, Intercept: h.Intercept, Standardize: h.Standardize,
		N: n, P: p, NNZ: h.X.NNZ(), L1: h.Lambdas[len(h.Lambdas)-1], L2: h.L2, Lambdas: len(h.Lambdas),
		Identity: h.A == nil, RowsOfA: rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.Dir, "problem.json"), append(text, '\n'), 0o600)
}

func (h *Handover) writeText() error {
	if err := sparse.WriteFile(filepath.Join(h.Dir, "data.svm"), &sparse.Dataset{X: h.X, Labels: h.Labels}); err != nil || h.A == nil {
		return err
	}
	return sparse.WriteFile(filepath.Join(h.Dir, "A.mtx"), &sparse.Dataset{X: h.A})
}

// writeMatrix writes three files whose names begin with name: the number of entries of each row of m,
// the column of each entry, and the value of each entry.
func (h *Handover) writeMatrix(name string, m *sparse.CSR) error {
	rows, _ := m.Dims()
	lengths := make([]int32, rows)
	columns, values := make([]int32, 0, m.NNZ()), make([]float64, 0, m.NNZ())
	for i := range rows {
		idx, val := m.Row(i)
		lengths[i] = int32(len(idx))
		columns, values = append(columns, idx...), append(values, val...)
	}
	for _, f := range []struct {
		name string
		data any
	}{{".lengths.i32", lengths}, {".columns.i32", columns}, {".values.f64", values}} {
		if err := h.write(name+f.name, f.data); err != nil {
			return err
		}
	}
	return nil
}

// write writes data, a slice of numbers, in binary to the named file: little-endian, without a header.
func (h *Handover) write(name string, data any) error {
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.Dir, name), bytes, 0o600)
}
