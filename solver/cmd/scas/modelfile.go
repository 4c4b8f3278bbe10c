package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// isModel reports whether a file has a model. The file may be compressed. isModel returns false for a pipe
// without reading it, because nobody could read the bytes a second time.
func isModel(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // a later read reports the error, if there is one
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := sparse.Decompress(f, path)
	if err != nil {
		return false
	}
	defer text.Close()
	prefix := make([]byte, 64)
	n, _ := io.ReadFull(text, prefix)
	return bytes.HasPrefix(trimBlanks(prefix[:n]), []byte("{")) || isLiblinear(prefix[:n])
}

func trimBlanks(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// isLiblinear reports whether text begins with solver_type, the first word of liblinear's models.
func isLiblinear(text []byte) bool { return bytes.HasPrefix(trimBlanks(text), []byte("solver_type")) }

// readModel reads a model of scas or of liblinear from a file, which may be compressed. fromLiblinear is true
// for a model of liblinear. readModel returns an error if a model of scas needs more memory than limit
// allows.
func readModel(path string, limit memorySize) (m *model.Model, fromLiblinear bool, err error) {
	text, err := readTextFile(path)
	if err != nil {
		return nil, false, err
	}
	if isLiblinear(text) {
		m, err = model.ReadLiblinear(bytes.NewReader(text), path)
		return m, true, err
	}
	var header struct {
		P      float64
		Models []struct{ P float64 } // only files of older versions have a P for each model
	}
	if err := json.Unmarshal(text, &header); err == nil {
		featureCount := header.P * max(1, float64(len(header.Models)))
		for _, column := range header.Models {
			featureCount += column.P
		}
		err := limit.allow(8*featureCount, "a model of %s", plural(int64(featureCount), "feature"))
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", path, err)
		}
	}
	m, err = model.Read(bytes.NewReader(text), path) // if the text is not JSON, Read returns the error
	return m, false, err
}
