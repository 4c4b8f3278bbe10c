package main

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// readShard reads the rows of this rank, and gives all ranks the same columns and classes.
func (c *fitFlags) readShard(e *env, opt *sparse.ReadOptions) (*sparse.Dataset, error) {
	paths, _ := filepath.Glob(c.file) // a malformed pattern matches nothing
	if len(paths) == 0 {
		paths = []string{c.file} // if there is no such file, reading it returns an error
	}
	opt.Table = c.tableOptions()
	if err := c.ranks.team.CommonError(c.formatFlags.apply(paths[0], opt)); err != nil {
		return nil, err
	}
	c.Memory.limitReading(opt)
	data, err := await(e, func() (*sparse.Dataset, error) {
		return sparse.ReadShard(paths, c.ranks.comm.Rank(), c.ranks.comm.Size(), opt)
	})
	t := c.ranks.team
	err = t.CommonError(err)
	if err != nil {
		return nil, err
	}
	*e.matrices = append(*e.matrices, data.X)
	if count := float64(len(paths)); t.MaxNumber(count) != t.MinNumber(count) {
		return nil, fmt.Errorf("%s: this rank finds %d files, and other ranks find another number; give all ranks the same files", c.file, len(paths))
	}
	if len(paths) != t.Size() {
		c.ranks.bytesOfRow += 8 // a shard that is a part of a file has the positions of its rows in memory
	}
	err = t.CommonError(cmp.Or(c.alignColumns(data, opt.Format), c.alignLabels(data)))
	n, _ := data.X.Dims()
	data.X.Release(0, n)
	return data, err
}

// alignColumns gives the data of all ranks the same number of columns. If indices in LIBSVM text count from 0
// on one rank, they count from 0 on all ranks. It is an error if .scas files without names of
// features differ in this. format is the format of the files.
func (c *fitFlags) alignColumns(data *sparse.Dataset, format sparse.Format) error {
	t := c.ranks.team
	_, columns := data.X.Dims()
	zeroBased := t.Any(data.Stats.IndexBase == sparse.ZeroBased)
	otherBase := zeroBased && data.Stats.IndexBase == sparse.OneBased
	isText := format == sparse.LIBSVM
	if isText && otherBase && (c.Features == 0 || hasLastColumn(data.X)) {
		columns++
	}
	columns = int(t.MaxNumber(float64(columns)))
	switch {
	case !isText && otherBase && data.Names == nil:
		return fmt.Errorf("%s: the features of this rank's file count from 1, and those of other ranks' files from 0, so that columns may differ; convert all texts again, with --index-base 0 or --index-base 1", c.file)
	case c.Features > 0 && columns > int(c.Features):
		return fmt.Errorf("%s: other ranks have the index 0, so indices count from 0, and the index %d is too large for the %d features of --features; give --features a larger number", c.file, c.Features, c.Features)
	}
	data.Rebase(zeroBased && isText, columns)
	return nil
}

// hasLastColumn reports whether some row has an entry in the last column.
func hasLastColumn(x *sparse.CSR) bool {
	n, p := x.Dims()
	for i := range n {
		if idx, _ := x.Row(i); len(idx) > 0 && int(idx[len(idx)-1]) == p-1 {
			return true
		}
	}
	return false
}

// alignLabels replaces the labels of two classes by −1 and +1, the same on all ranks. If there are more than
// two classes, or if the loss takes labels as numbers, it restores the labels of the file. More than two
// classes are stored in data.Classes.
func (c *fitFlags) alignLabels(data *sparse.Dataset) error {
	stored := *data // the labels as they were read, and all words of the file
	if err := c.checkWords(stored.Classes.Names); err != nil {
		return err
	}
	if !c.Loss.classifies() {
		restoreLabels(data, sparse.Classes{})
		return nil
	}
	rankLabels, signs := data.Labels, []float64{-1, 1} // signs has the labels for which −1 and +1 stand
	if data.Signs {
		rankLabels, signs = data.Classes.Values, data.Classes.Values
	}
	classes := sparse.Classes{Values: c.ranks.team.Distinct(rankLabels, rows.MaxClasses+1)}
	if stored.Classes.Names != nil {
		for _, v := range classes.Values {
			k, ok := stored.Classes.Find(v)
			if !ok {
				return fmt.Errorf("%s: the label %v stands for none of the words in the file; convert the data again", c.file, v)
			}
			classes.Names = append(classes.Names, stored.Classes.Name(k))
		}
	}
	switch {
	case len(classes.Values) == 1:
		return fmt.Errorf("%s: every label is %s: expected two classes (--loss squared takes labels as numbers)", c.file, classes.Name(0))
	case len(classes.Values) > 2:
		restoreLabels(data, classes)
		return c.checkClasses(data)
	}
	positive := cmp.Or(c.Positive, &positiveFlag{})
	var ok bool
	data.Classes, ok = classes.WithPositive(positive.number, positive.word)
	if !ok {
		return fmt.Errorf("%s: the label of --positive does not occur: the labels are %s and %s",
			c.file, classes.Name(0), classes.Name(1))
	}
	data.Signs = true
	if slices.Equal(data.Classes.Values, signs) {
		return nil // the labels are −1 and +1 already
	}
	c.ranks.bytesOfRow += 8
	// A copy, because the labels in a mapped file cannot be changed.
	data.Labels = make([]float64, len(stored.Labels))
	for i, b := range stored.Labels {
		k, _ := data.Classes.Find(stored.Original(b))
		data.Labels[i] = float64(2*k - 1)
	}
	return nil
}

// checkWords returns an error if the ranks have labels with different words, or if labels are words but must
// be numbers. words is nil if labels are numbers.
func (c *fitFlags) checkWords(words []string) error {
	words = slices.Sorted(slices.Values(words)) // two words may be in the order of −1 and +1
	sum := float64(crc32.ChecksumIEEE([]byte(strings.Join(words, "\x00"))))
	switch t := c.ranks.team; {
	case t.MaxNumber(sum) != t.MinNumber(sum):
		return fmt.Errorf("%s: the files of the ranks have different words for the labels, so that their numbers differ; convert all rows to one file, or files whose rows have all words", c.file)
	case words != nil && !c.Loss.classifies():
		return fmt.Errorf("%s: labels that are words, such as %q: expected numbers; give --loss logistic if these are classes", c.file, words[0])
	}
	return nil
}

// restoreLabels replaces the labels −1 and +1 by the original labels, and the classes by the given ones.
func restoreLabels(data *sparse.Dataset, classes sparse.Classes) {
	if data.Signs {
		data.Labels = data.OriginalLabels()
	}
	data.Classes, data.Signs = classes, false
}

// checkClasses returns an error if the labels, which have more than two values, cannot be classes or
// contradict --positive.
func (c *fitFlags) checkClasses(data *sparse.Dataset) error {
	values := data.Classes.Values
	const numbers = "give --loss squared for labels that are numbers"
	switch {
	case len(values) > rows.MaxClasses:
		return fmt.Errorf("%s: more than %d different labels: expected at most %[2]d classes; %[3]s",
			c.file, rows.MaxClasses, numbers)
	case slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) }):
		return fmt.Errorf("%s: labels %v, %v, %v and so on: expected two classes, or whole numbers for more; keep two of them, merge some, or %s", c.file, values[0], values[1], values[2], numbers)
	case c.Positive != nil:
		return fmt.Errorf("%s: --positive is for two classes, and there are %d; "+
			"leave out --positive", c.file, len(values))
	}
	for k, rows := range c.ranks.counts(data).classes {
		if rows < 2 {
			return fmt.Errorf("%s: only one row has the label %s: expected two rows or more of every class; correct it, leave the row out, or %s", c.file, data.Classes.Name(k), numbers)
		}
	}
	return nil
}

// A portion is the range of rows of one process, from row start to row start+count-1. total is the number of
// rows of all processes.
type portion struct{ start, count, total int }

// cut returns the entries of numbers for the rows of this process. numbers has an entry for each row of all
// processes.
func (p portion) cut(numbers []float64) []float64 { return numbers[p.start : p.start+p.count] }

// A wholeCounts has the range of rows of this rank, and counts over all ranks.
type wholeCounts struct {
	portion
	nnz     int64 // number of entries of the data matrix
	classes []int // number of rows of each class
}

// counts sums the counts of the data over all ranks, and finds which of the rows are on this rank.
func (r *ranks) counts(data *sparse.Dataset) wholeCounts {
	n, _ := data.X.Dims()
	counts := []float64{float64(n), float64(data.X.NNZ())}
	for _, rows := range countRowsByClass(data) {
		counts = append(counts, float64(rows))
	}
	starts, totals := r.team.PrefixSums(counts)
	w := wholeCounts{portion: portion{int(starts[0]), n, int(totals[0])}, nnz: int64(totals[1])}
	for _, rows := range totals[2:] {
		w.classes = append(w.classes, int(rows))
	}
	return w
}

// emptyFeatures returns the number of features that are zero in all rows of all ranks.
func (r *ranks) emptyFeatures(data *sparse.Dataset) int {
	_, p := data.X.Dims()
	usedMask, usedCount := make([]float64, p), 0
	for lo, hi := range rows.Parts(data.X, rows.PartRows) {
		for i := lo; i < hi && usedCount < p; i++ {
			idx, val := data.X.Row(i)
			for k, j := range idx {
				if val[k] != 0 && usedMask[j] == 0 {
					usedMask[j] = 1
					usedCount++
				}
			}
		}
	}
	r.team.Max(usedMask)
	return p - int(kernels.Dot(usedMask, usedMask))
}
