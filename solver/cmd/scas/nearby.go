package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// absentAdvice returns advice for the user if err says that the file at path does not exist, and ""
// otherwise.
func absentAdvice(path string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if dir := missingDir(path); dir != "" {
		return "; there is no directory " + dir
	}
	dir, base := filepath.Split(path)
	match := nearestFile(cmp.Or(dir, "."), base)
	switch {
	case match != "":
		return fmt.Sprintf("; did you mean %s?", filepath.Join(dir, match))
	case filepath.IsAbs(path):
		return "; check the name"
	}
	return "; check the name, which is relative to the current directory"
}

// unwritableAdvice returns advice for the user if err says that the file at path cannot be created, because
// its directory does not exist. Otherwise it returns "".
func unwritableAdvice(path string, err error) string {
	if dir := missingDir(path); dir != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("; there is no directory %s: make it first, or name another", dir)
	}
	return ""
}

// missingDir returns the directory part of path, or "" if this is an existing directory.
func missingDir(path string) string {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return ""
	}
	return dir
}

// nearestFile returns the name of the file in dir that is most similar to name, or "" if no name is similar.
func nearestFile(dir, name string) string {
	d, err := os.Open(dir)
	if err != nil {
		return ""
	}
	defer d.Close()
	const maxEntries = 10000 // the largest number of entries that are compared
	entries, _ := d.ReadDir(maxEntries)
	var files []string
	for _, e := range entries {
		if !e.IsDir() {
			files = append(files, e.Name())
		}
	}
	return mostSimilar(name, files)
}

// mostSimilar returns the name in candidates that is most similar to name. The two names may differ in
// capitals, in the ending or in a few letters. If no name is similar, it returns "".
func mostSimilar(name string, candidates []string) (match string) {
	smallestDistance := 1 + len(name)/4
	for _, candidate := range candidates {
		edits := editDistance(strings.ToLower(name), strings.ToLower(candidate))
		if stem(candidate) == stem(name) {
			edits = min(edits, 1)
		}
		if edits < smallestDistance || edits == smallestDistance && match != "" && candidate < match {
			match, smallestDistance = candidate, edits
		}
	}
	return match
}

func stem(name string) string {
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		return name[:dot]
	}
	return name
}

// editDistance returns the least number of edits that turn a into b, if no byte is edited twice. An edit
// inserts, deletes or changes a byte (Levenshtein 1966), or swaps two neighbours.
func editDistance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range len(a) {
		olderRow, lastRow, row := rows[0], rows[1], rows[2]
		row[0] = i + 1
		for j := range len(b) {
			changeCost := lastRow[j]
			if a[i] != b[j] {
				changeCost++
			}
			row[j+1] = min(changeCost, lastRow[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], olderRow[j-1]+1)
			}
		}
		rows = [3][]int{lastRow, row, olderRow}
	}
	return rows[1][len(b)]
}
