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

// firstBytes returns up to 64 bytes from the beginning of a file, without leading blanks. For a pipe it
// returns nil, because the bytes of a pipe cannot be read again.
func firstBytes(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil // a later read reports the error, if there is one
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	prefix := make([]byte, 64)
	n, _ := io.ReadFull(f, prefix)
	return bytes.TrimLeft(prefix[:n], " \t\r\n")
}

func isLiblinear(path string) bool { return bytes.HasPrefix(firstBytes(path), []byte("solver_type")) }

// isModel reports whether a file is a model rather than data.
func isModel(path string) bool {
	return bytes.HasPrefix(firstBytes(path), []byte("{")) || isLiblinear(path)
}

// readModel reads a model file of scas or of liblinear. It returns an error if a model of scas needs more
// memory than limit allows.
func readModel(path string, limit memorySize) (*model.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isLiblinear(path) {
		return model.ReadLiblinear(f, path)
	}
	text, err := sparse.ReadText(f, path)
	if err != nil {
		return nil, err
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
		if err := limit.allow(8*featureCount, "a model of %s", plural(int64(featureCount), "feature")); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return model.Read(bytes.NewReader(text), path) // if the text is not JSON, Read returns the error
}
