package sparse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/coordinates"
)

// newData returns a data set with the matrix x, with features as setFeatures and labels as setLabels set
// them. Its Stats are stats with the numbers of rows and entries.
func newData(
	fileName string, x *CSR, names []string, y []float64, opt *ReadOptions, stats ReadStats,
) (*Dataset, error) {
	if x.rows == 0 {
		return nil, fileErrorf(fileName, "a matrix without rows: expected a row for every sample")
	}
	d := &Dataset{X: x, Stats: stats}
	if err := d.setFeatures(fileName, names, opt); err != nil {
		return nil, err
	}
	return d, d.setLabels(fileName, y, opt)
}

// setFeatures sets the names of the features, and applies Names of opt. If opt has no Names, or the file has
// no names, setFeatures applies Features and IgnoreBeyond instead. names has a name for each column of d.X,
// or is nil. setFeatures also sets the numbers of rows and entries in d.Stats.
func (d *Dataset) setFeatures(fileName string, names []string, opt *ReadOptions) (err error) {
	d.Names = names
	if names != nil && opt.Names != nil {
		err = d.arrange(fileName, opt)
	} else if d.X, err = withFeatures(fileName, d.X, opt); err == nil && names != nil {
		if len(names) < d.X.cols {
			return fileErrorf(fileName, "%d features, which have names: expected the stated %d",
				len(names), d.X.cols)
		}
		d.Names = names[:d.X.cols]
	}
	if err == nil {
		d.Stats.Rows, d.Stats.NNZ = d.X.rows, d.X.NNZ()
	}
	return err
}

// setLabels sets the labels of d, mapped as opt says, from ReadOptions.LabelsFile or, without such a file,
// from y. If there are no labels, it returns an error, unless opt allows data without labels.
func (d *Dataset) setLabels(fileName string, y []float64, opt *ReadOptions) (err error) {
	n, _ := d.X.Dims()
	labelsName := fileName
	if opt.targets.labels != nil {
		y, labelsName = opt.targets.labels, cmp.Or(opt.LabelsFile, fileName)
	}
	switch {
	case y == nil && (opt.AnyLabels || opt.LabelsOptional):
		return nil
	case y == nil:
		return fileErrorf(fileName, "the file has no labels: expected one for every row").with(giveLabels)
	case len(y) != n:
		return fileErrorf(fileName, "%d labels for %d rows: expected one for every row", len(y), n)
	}
	c := labelCollector{name: labelsName, opt: opt, labels: make([]float64, 0, n)}
	for i, v := range y {
		if err := c.add(v, opt.targets.line(i), 0); err != nil {
			return err
		}
	}
	return c.assignLabels(d)
}

// withFeatures returns x with opt.Features columns, or x itself if opt.Features is 0. If x has more
// columns, withFeatures drops them if opt.IgnoreBeyond is set, and returns an error otherwise.
func withFeatures(fileName string, x *CSR, opt *ReadOptions) (*CSR, error) {
	switch p := opt.Features; {
	case p == 0 || p == x.cols:
		return x, nil
	case p < x.cols && opt.IgnoreBeyond:
		return firstColumns(fileName, x, opt)
	case p < x.cols:
		return nil, fileErrorf(fileName, "%d columns: expected at most %d features",
			x.cols, p).with(moreFeatures, ignoreBeyond)
	default:
		widened := *x
		widened.cols = p
		return &widened, nil
	}
}

// checkCopy returns an error if a copy of x takes more memory than opt allows. It also checks the rows of x:
// with ReadOptions.Beyond, nothing has checked them before.
func checkCopy(fileName string, x *CSR, opt *ReadOptions) error {
	size := rowBytes*int64(x.rows) + entryBytes*x.NNZ()
	if err := opt.checkMemory(fileName, size, "%d rows", x.rows); err != nil {
		return err
	}
	return x.Check(0, x.rows)
}

// firstColumns returns a copy of the first opt.Features columns of x.
func firstColumns(fileName string, x *CSR, opt *ReadOptions) (*CSR, error) {
	if err := checkCopy(fileName, x, opt); err != nil {
		return nil, err
	}
	y := &CSR{rows: x.rows, cols: opt.Features, ptr: make([]int64, x.rows+1)}
	for i := range x.rows {
		idx, val := x.Row(i)
		n, _ := slices.BinarySearch(idx, int32(y.cols))
		y.idx, y.val = append(y.idx, idx[:n]...), append(y.val, val[:n]...)
		y.ptr[i+1] = int64(len(y.idx))
	}
	return y, nil
}

// arrange puts the columns of d in the order of opt.Names, and drops columns that opt.Names does not
// list. It returns an error if d lacks one of the names, or if the copy that it makes of a matrix in another
// order needs too much memory.
func (d *Dataset) arrange(file string, opt *ReadOptions) error {
	names := opt.Names
	if slices.Equal(names, d.Names) {
		return nil
	}
	position := make(map[string]int, len(d.Names))
	for j, name := range d.Names {
		position[name] = j
	}
	newColumnOf := slices.Repeat([]int32{-1}, len(d.Names))
	var missing []string
	for k, name := range names {
		if j, ok := position[name]; ok {
			newColumnOf[j] = int32(k)
		} else {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return missingColumns(file, missing, d.Names)
	}
	if err := checkCopy(file, d.X, opt); err != nil {
		return err
	}
	x := &CSR{
		rows: d.X.rows, ptr: slices.Clone(d.X.ptr), idx: slices.Clone(d.X.idx), val: slices.Clone(d.X.val),
	}
	x.renumber(newColumnOf, len(names))
	d.X, d.Names = x, names
	return nil
}

// renumber moves the entries of column j to column newColumnOf[j], or drops them if newColumnOf[j] is -1. The
// matrix then has cols columns.
func (a *CSR) renumber(newColumnOf []int32, cols int) {
	keptCount, start := 0, int64(0)
	for i := range a.rows {
		end, keptStart := a.ptr[i+1], keptCount
		for k := start; k < end; k++ {
			if j := newColumnOf[a.idx[k]]; j >= 0 {
				a.idx[keptCount], a.val[keptCount] = j, a.val[k]
				keptCount++
			}
		}
		coordinates.SortRow(a.idx[keptStart:keptCount], a.val[keptStart:keptCount])
		start, a.ptr[i+1] = end, int64(keptCount)
	}
	a.cols, a.idx, a.val = cols, trim(a.idx[:keptCount]), trim(a.val[:keptCount])
}

func missingColumns(file string, missing, columns []string) error {
	suffix := ""
	if n := len(missing) - 1; n > 0 {
		suffix = fmt.Sprintf(", and %d more are absent", n)
	}
	return fileErrorf(file, "no column %q%s: expected every feature by its name; the file has %s",
		missing[0], suffix, firstNames(columns))
}

// firstNames joins the first few names with commas, and says how many more names there are.
func firstNames(names []string) string {
	const limit = 8
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}
