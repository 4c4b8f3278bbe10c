package peers

import (
	"encoding/binary"
	"encoding/json"
	"errors"
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

// newHandover writes the files of p into a new temporary directory. If text is true, it also writes the data
// as LIBSVM text, and A in the Matrix Market format. Remove deletes the directory.
func newHandover(p *Problem, text bool) (*Handover, error) {
	dir, err := os.MkdirTemp("", "scas-peers-")
	if err != nil {
		return nil, err
	}
	h := &Handover{Problem: p, Dir: dir}
	files := map[string]any{"labels.f64": p.Labels, "lambdas.f64": p.Lambdas}
	addMatrix(files, "X", p.X)
	if p.A != nil {
		addMatrix(files, "A", p.A)
	}
	if p.Folds != nil {
		folds := make([]int32, len(p.Folds))
		for i, k := range p.Folds {
			folds[i] = int32(k)
		}
		files["folds.i32"] = folds
	}
	err = errors.Join(h.writeBinary(files), h.writeDescription())
	if text {
		err = errors.Join(err, h.writeText())
	}
	if err != nil {
		h.Remove()
		return nil, err
	}
	return h, nil
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
	err := sparse.WriteFile(filepath.Join(h.Dir, "data.svm"), &sparse.Dataset{X: h.X, Labels: h.Labels})
	if err != nil || h.A == nil {
		return err
	}
	return sparse.WriteFile(filepath.Join(h.Dir, "A.mtx"), &sparse.Dataset{X: h.A})
}

// addMatrix adds three files to files, whose names begin with name: the number of entries of each row of m,
// the column of each entry, and the value of each entry.
func addMatrix(files map[string]any, name string, m *sparse.CSR) {
	rows, _ := m.Dims()
	lengths := make([]int32, rows)
	columns, values := make([]int32, 0, m.NNZ()), make([]float64, 0, m.NNZ())
	for i := range rows {
		idx, val := m.Row(i)
		lengths[i] = int32(len(idx))
		columns, values = append(columns, idx...), append(values, val...)
	}
	files[name+".lengths.i32"], files[name+".columns.i32"], files[name+".values.f64"] = lengths, columns,
		values
}

// writeBinary writes files, which has a slice of numbers for each name: little-endian, without a header.
func (h *Handover) writeBinary(files map[string]any) error {
	for name, numbers := range files {
		data, err := binary.Append(nil, binary.LittleEndian, numbers)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(h.Dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
