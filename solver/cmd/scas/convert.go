package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

type convertCmd struct {
	In  string `arg:"" name:"IN" help:"Data file as for scas train, or - for standard input."`
	Out string `arg:"" name:"OUT" help:"File to write. Its ending says the form, and .gz or .zst after it the compression."`

	LabelsOut string `name:"labels-out" placeholder:"FILE" help:"Write the labels to this file, one a line, or as an array if its name ends in .npy. npy and mtx have no place for labels." group:"What is written:"`
	dataFlags
	memoryFlags
}

func (convertCmd) Help() string {
	return `Examples:

    scas convert houses.csv houses.npz
    scas convert train.svm.gz train.csv
    scas convert --labels y.npy X.npy train.svm.zst
    scas convert --labels-out y.txt train.svm train.mtx
    scas convert train.svm.zst train.scas

The ending of OUT says the form:

    .scas         binary. Every command maps such a file instead of reading
                  it. So it is ready at once, and may be larger than --memory
    .csv, .tsv    tables
    .npy          a dense array
    .npz          the sparse csr of scipy, with the labels as the array y and
                  the names of features as the array names
    .mtx          Matrix Market
    any other     LIBSVM text

Numbers keep every bit. Tables, npz and scas keep the names of features; tables and
scas also the name of the labels. Dense forms (csv, tsv, npy) do not keep which zeros
were stored, and LIBSVM does not keep the number of features. Labels that are words
stay words in tables and scas; in the other forms they become numbers from 0. A model
fitted to a .scas file cannot fill missing values in prediction, even if the file was
made from a table.

OUT is written completely or not at all. For a conversion of LIBSVM text or a table
to .scas, neither file has to fit in memory. If a conversion of LIBSVM text was
interrupted or killed, the same command continues it: the parts that are done are in
the directory .OUT.parts. The next run removes all other files that a killed run
left: .OUT.*.tmp, and the parts of a table.

Exit codes: 0 done, 1 cannot read or write, 2 wrong usage, 3 a number in the input
is not finite, 130 interrupted (OUT is not written).`
}

func (c *convertCmd) Run(e *env) error {
	format := sparse.FormatOf(c.Out)
	var data *sparse.Dataset
	out := outputs{
		{"OUT", c.Out, func(w io.Writer) error {
			return sparse.Compress(w, c.Out, func(w io.Writer) error { return sparse.Write(w, format, data) })
		}},
		{"--labels-out", c.LabelsOut, func(w io.Writer) error {
			return sparse.Compress(w, c.LabelsOut, func(w io.Writer) error {
				return sparse.WriteLabels(w, sparse.FormatOf(c.LabelsOut), data.Labels)
			})
		}},
	}
	if err := out.check(c.In, c.Labels); err != nil {
		return err
	}
	if c.streams() {
		return c.stream(e)
	}
	var err error
	data, err = e.readData(c.In, c.anyLabelOptions(), &c.formatFlags, c.Memory)
	if err != nil {
		return err
	}
	n, p := data.X.Dims()
	if cells := float64(float64(n) * float64(p)); format == sparse.CSV || format == sparse.TSV ||
		format == sparse.NPY {
		err := c.Memory.allow(2*cells, "a dense table of %s and %s", plural(n, "row"), plural(p, "column"))
		if err != nil {
			return fmt.Errorf("%w; .npz and .mtx are sparse", err)
		}
	}
	if c.LabelsOut != "" && data.Labels == nil {
		return usagef("--labels-out: %s has no labels", dataName(c.In))
	}
	writeProgress := e.beginProgress("writing " + dataName(c.Out))
	defer writeProgress.end()
	return out.write(e, func() error {
		writeProgress.end()
		return c.report(e, data, p, 0)
	})
}

// streams reports whether the conversion needs only some of the rows in memory at a time.
func (c *convertCmd) streams() bool {
	toBinary := strings.EqualFold(filepath.Ext(c.Out), "."+string(sparse.Binary))
	return toBinary && c.In != "-" && c.LabelsOut == "" &&
		(c.isTable(c.In) || c.formatOf(c.In) == sparse.LIBSVM)
}

// stream converts the data block by block.
func (c *convertCmd) stream(e *env) error {
	opt := c.anyLabelOptions()
	if err := c.formatFlags.apply(c.In, opt); err != nil {
		return err
	}
	opt.Memory, _ = c.Memory.limit()
	p := e.beginProgress("reading " + dataName(c.In))
	result, err := sparse.Convert(c.In, c.Out, opt, func(stage string, done, total int64) error {
		task := map[string]string{
			"text": "reading " + dataName(c.In), "file": "writing " + dataName(c.Out),
		}[stage]
		p.showBytes(task, done, total)
		return e.ctx.Err()
	})
	p.end()
	note := "nothing written; the same command goes on from here"
	if c.isTable(c.In) {
		note = "nothing written"
	}
	if err := e.interruptError(err, note); err != nil {
		return err
	}
	d := &sparse.Dataset{Names: result.Names, Table: result.Table, Stats: result.Stats}
	if d.Table != nil {
		d.Classes.Names = d.Table.Classes
	}
	e.warnOfColumns(d)
	return c.report(e, d, result.Features, result.Resumed)
}

// report prints what was read and written. d need not have the rows. resumedBytes is the number of bytes of
// text that an earlier run has converted.
func (c *convertCmd) report(e *env, d *sparse.Dataset, features int, resumedBytes int64) error {
	format := sparse.FormatOf(c.Out)
	if d.Stats.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted", plural(d.Stats.SortedRows, "row"))
	}
	if format == sparse.Binary && d.Table != nil && d.Table.Filled > 0 {
		e.warn("a model fitted to %s will not fill missing values in prediction, because a file of form %s does not keep the numbers for that; a model fitted to the table will", c.Out, format)
	}
	var f summary
	f.add("read", "%s: %s", dataName(c.In), sizeText(d.Stats.Rows, features, d.Stats.NNZ))
	addColumns(&f, d)
	addWordLabels(&f, d.Classes.Names)
	f.addIf(resumedBytes > 0, "", "%s of text were read by an earlier run", formatBytes(resumedBytes))
	f.add("written", "%s, as %v", c.Out, format)
	keepsNames := slices.Contains([]sparse.Format{sparse.CSV, sparse.TSV, sparse.NPZ, sparse.Binary}, format)
	isTable := format == sparse.CSV || format == sparse.TSV
	f.addIf(d.Names != nil && !keepsNames, "",
		"without the names of the features, which %v has no place for", format)
	f.addIf(format == sparse.LIBSVM, "", "read it with --features %d", features)
	f.addIf(d.Labels == nil && format == sparse.LIBSVM, "", "with 0 for every label: %s has none",
		dataName(c.In))
	f.addIf(d.Labels != nil && c.LabelsOut == "" && (format == sparse.NPY || format == sparse.MatrixMarket),
		"", "without labels: --labels-out FILE writes them to a file of their own")
	f.addIf(c.LabelsOut != "", "", "labels written to %s; read them with --labels", c.LabelsOut)
	if name := d.LabelColumn(); isTable && d.Labels != nil && hidesLabels(d.Names, name) {
		f.add("", "a feature is called label, target or y: read it with --label %s", shellWord(name))
	}
	return e.print(f.String())
}

// hidesLabels reports whether a reader of the written table would take a feature for the labels. name is
// the name of the last column, which has the labels.
func hidesLabels(features []string, name string) bool {
	for _, usual := range []string{"label", "target", "y"} {
		if slices.ContainsFunc(features, func(f string) bool { return strings.EqualFold(f, usual) }) {
			return true
		}
		if strings.EqualFold(usual, name) {
			return false
		}
	}
	return false
}
