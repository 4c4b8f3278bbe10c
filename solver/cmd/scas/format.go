package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// formFlags are the flags for the form of DATA and for the place of its labels.
type formFlags struct {
	Format    string    `enum:"auto,libsvm,csv,tsv,npy,npz,mtx,scas" default:"auto" placeholder:"FORM" help:"Form of DATA: libsvm, csv, tsv, npy, npz, mtx or scas (default auto: by the ending of the name, else libsvm)." group:"Form of DATA:"`
	Labels    string    `placeholder:"FILE" help:"File with the labels of npy, npz or mtx data: one number a line, or an npy file (default for npz: its array y, labels or target)." group:"Form of DATA:"`
	Label     string    `placeholder:"COLUMN" help:"Column of the labels, by name or number from 1; none: no labels (default: label, target or y, else the last; with scas predict, the column used in training)." group:"Tables:"`
	NoHeader  bool      `name:"no-header" help:"The first line is a row, not names; columns are called 1, 2, 3 ..." group:"Tables:"`
	Delimiter delimiter `placeholder:"C" help:"Character between cells, such as ';' or tab (default: comma; tab for .tsv)." group:"Tables:"`
}

// columnFlags are the flags for the columns of tables.
type columnFlags struct {
	Categorical []string `placeholder:"COLUMN" help:"Columns of numbers that are categories. Each category becomes a 0/1 feature COLUMN=CATEGORY, as for columns of words." group:"Tables:"`
	Drop        []string `placeholder:"COLUMN" help:"Columns to leave out, such as identifiers." group:"Tables:"`
	Missing     string   `enum:"refuse,mean,median,zero" default:"refuse" placeholder:"RULE" help:"Missing values (empty, NA, N/A, NaN, NULL): refuse them, or fill them with the column's mean, median or zero, in prediction too (default ${default})." group:"Tables:"`
}

// A delimiter is a character of one byte. 0 means that the flag is not given.
type delimiter byte

func (d *delimiter) UnmarshalText(text []byte) error {
	switch s := string(text); {
	case s == "tab" || s == `\t`:
		*d = '\t'
	case len(s) == 1 && s[0] < 0x80 && !strings.ContainsAny(s, "\"\r\n+-.0123456789eE"):
		*d = delimiter(s[0])
	default:
		return fmt.Errorf("%q: want one character such as ',' or ';', or tab", text)
	}
	return nil
}

// table returns the options for reading tables.
func (c *columnFlags) table() sparse.TableOptions {
	t := sparse.TableOptions{Categorical: c.Categorical, Drop: c.Drop}
	if c.Missing != "refuse" {
		t.Missing = sparse.Missing(c.Missing)
	}
	return t
}

// formatOf returns the form of the file: the form that --format names, or else the
// form by its ending. Standard input is LIBSVM text by default.
func (c *formFlags) formatOf(path string) sparse.Format {
	switch {
	case c.Format != "auto" && c.Format != "":
		return sparse.Format(c.Format)
	case path == "-":
		return sparse.LIBSVM
	}
	return sparse.FormatOf(path)
}

// isTable reports whether a file is read as a table, CSV or TSV.
func (c *formFlags) isTable(path string) bool {
	f := c.formatOf(path)
	return f == sparse.CSV || f == sparse.TSV
}

// apply sets the fields of opt that the flags determine, for the file at path.
func (c *formFlags) apply(path string, opt *sparse.ReadOptions) error {
	opt.Format = c.formatOf(path)
	t := &opt.Table
	table := c.isTable(path)
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"--label", c.Label != ""}, {"--no-header", c.NoHeader}, {"--delimiter", c.Delimiter != 0},
		{"--categorical", t.Categorical != nil}, {"--drop", t.Drop != nil}, {"--missing", t.Missing != sparse.MissingRefuse},
	} {
		if f.on && !table {
			return usagef("%s is for tables, and %s is read as %v; give --format csv if it is one", f.name, dataName(path), opt.Format)
		}
	}
	switch {
	case c.Labels != "" && (table || opt.Format == sparse.LIBSVM):
		return usagef("--labels is for npy, npz and mtx, and %s is read as %v, which has labels", dataName(path), opt.Format)
	case opt.PositiveName != "" && opt.Positive == nil && !table:
		return usagef("--positive: %q: want a label, a finite number; words are labels in tables alone", opt.PositiveName)
	}
	t.Delimiter, t.NoHeader = byte(c.Delimiter), c.NoHeader
	if c.Label != "" {
		t.Label, opt.LabelsOptional = c.Label, false
	}
	if t.NoLabel = t.NoLabel || c.Label == "none"; t.NoLabel {
		t.Label = ""
	}
	return nil
}

// readData reads the data file at path, or standard input if path is "-". An interrupt ends readData at once,
// because a terminal or a pipe may send nothing for a long time.
func (e *env) readData(path string, opt *sparse.ReadOptions, form *formFlags, memory memorySize) (*sparse.Dataset, error) {
	if err := form.apply(path, opt); err != nil {
		return nil, err
	}
	opt.LabelsFile = form.Labels
	opt.Memory, _ = memory.limit()
	if memory.collect(); form.formatOf(path) != sparse.Binary {
		opt.Reserve = reserve(opt.Memory)
	}
	p := e.begin("reading " + dataName(path))
	defer p.end()
	data, err := await(e, func() (*sparse.Dataset, error) {
		if path == "-" {
			return sparse.Read(&countedReader{Reader: e.stdin, name: "stdin", to: p}, "stdin", opt)
		}
		if opt.Format != sparse.NPZ && opt.Format != sparse.Binary { // the readers of these two do not read from beginning to end
			if f, err := os.Open(path); err == nil {
				defer f.Close()
				return sparse.Read(&countedReader{Reader: f, name: dataName(path), total: sizeOf(f), to: p}, path, opt)
			}
		}
		return sparse.ReadFile(path, opt)
	})
	if parse, bad := errors.AsType[*sparse.ParseError](err); bad && opt.Beyond && opt.Format != sparse.Binary && opt.Memory >= leastLimit {
		memory := func(r sparse.Remedy) bool { return r.Field == "ReadOptions.Memory" }
		if slices.ContainsFunc(parse.Remedies, memory) {
			convert := sparse.Remedy{To: "convert them to .scas, which may be larger than memory"}
			changed := *parse
			changed.Remedies = slices.Insert(slices.Clone(parse.Remedies), 0, convert)
			err = replaced(err, parse, &changed)
		}
	}
	if err == nil {
		*e.data = append(*e.data, data.X)
		if !data.X.Mapped() && opt.Memory > 0 && 4*dataBytes(data) > opt.Memory {
			debug.FreeOSMemory() // return the garbage of reading before the next allocations
		}
		e.warnOfColumns(data)
	}
	return data, err
}

// A countedReader is a reader that reports how much of a file it has read.
type countedReader struct {
	io.Reader
	name        string
	done, total int64
	to          *progress
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.done += int64(n)
	r.to.bytes("reading "+r.name, r.done, r.total)
	return n, err
}

// sizeOf returns the size of a file in bytes, or 0 for a pipe.
func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// warnOfColumns warns of columns that were probably read in the wrong way, such as dates as
// categories.
func (e *env) warnOfColumns(d *sparse.Dataset) {
	const many = 10
	if d.Table == nil {
		return
	}
	n := d.Stats.Rows
	for _, c := range d.Table.Categorical {
		switch {
		case c.Unknown > 0:
			e.warn("column %s: %s of categories that the model does not know, such as %q; they count as none", c.Column, plural(c.Unknown, "value"), c.Example)
		case 2*c.Numbers > c.Categories && c.Line > 0:
			e.warn("column %s is taken for categories, since line %d has %q, but %s of its %s are numbers: correct that line (what is missing is an empty cell or NA; see --missing), or give --categorical %s if they are categories",
				c.Column, c.Line, c.First, grouped(c.Numbers), plural(c.Categories, "different value"), c.Column)
		case c.Like != "" && c.Line > 0:
			e.warn("column %s has %s in %s that look like %s, such as %q: %s, or leave the column out with --drop %s, or give --categorical %s if they are categories",
				c.Column, plural(c.Categories, "category"), plural(n, "row"), c.Like, c.First, map[string]string{
					"dates":   "replace them by numbers, such as days since some day",
					"amounts": "write them as numbers, without signs and marks of thousands",
				}[c.Like], c.Column, c.Column)
		case c.Categories > many && 2*c.Categories >= n:
			e.warn("column %s has %s in %s: if these are identifiers, leave it out with --drop", c.Column, plural(c.Categories, "category"), plural(n, "row"))
		}
	}
}

// addColumns adds lines to a summary: about the numbers of the features, and about the labels and columns of
// a table.
func addColumns(f *summary, d *sparse.Dataset) {
	t := d.Table
	f.addIf(d.Names == nil && d.Stats.IndexBase == sparse.ZeroBased, "", "features are counted from 0")
	if t == nil {
		return
	}
	label := "no column has labels"
	if t.Label != "" {
		label = "labels are column " + t.Label + map[string]string{"last": ", the last (--label names another)", "named": " (--label names another)"}[t.Found]
	}
	f.add("columns", "%s; %s of numbers", label, plural(t.Numbers, "other"))
	const most = 5
	var parts []string
	for k, c := range t.Categorical {
		if k == most {
			parts = append(parts, fmt.Sprintf("%d more", len(t.Categorical)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Column, grouped(c.Categories)))
	}
	f.addIf(parts != nil, "", "categories: %s, each a feature COLUMN=CATEGORY", strings.Join(parts, ", "))
	f.addIf(t.Absent > 0, "", "%s taken for none of them", plural(t.Absent, "missing category"))
	f.addIf(t.Filled > 0, "", "%s filled, %s", plural(t.Filled, "missing number"), map[sparse.Missing]string{
		sparse.MissingMean: "by the mean of the column", sparse.MissingMedian: "by the median of the column", sparse.MissingZero: "by 0",
	}[t.Missing])
	f.addIf(d.Mapping.IsZero() && d.Classes.IsZero() && len(t.Classes) > 0, "", "labels are words: %s", classNumbers(t.Classes))
}

// classNumbers returns a text that says which number stands for which class name.
func classNumbers(classes []string) string {
	const most = 6
	var parts []string
	for k, name := range classes[:min(most, len(classes))] {
		parts = append(parts, fmt.Sprintf("%d is %s", k, name))
	}
	if len(classes) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(classes)-most))
	}
	return strings.Join(parts, ", ")
}

type convertCmd struct {
	In  string `arg:"" name:"IN" help:"Data file as for scas train, or - for standard input."`
	Out string `arg:"" name:"OUT" help:"File to write. Its ending says the form, and .gz or .zst after it the compression."`

	LabelsOut string `name:"labels-out" placeholder:"FILE" help:"Write the labels to this file, one a line, or as an array if its name ends in .npy. npy and mtx have no place for labels." group:"What is written:"`
	indexFlags
	memoryFlags
}

// Help is shown by scas convert --help.
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

Numbers keep every bit. Tables, npz and scas keep the names of features. Dense
forms (csv, tsv, npy) do not keep which zeros were stored, and LIBSVM does not keep
the number of features. Labels that are words become numbers from 0, except from
table to table. A model fitted to a .scas file cannot fill missing values in
prediction, even if the file was made from a table.

OUT is written completely or not at all. For a conversion of LIBSVM text or a table
to .scas, neither file has to fit in memory. If a conversion of LIBSVM text was
interrupted or killed, the same command continues it: the parts that are done are in
the directory .OUT.parts. The next run removes all other files that a killed run
left: .OUT.*.tmp, and the parts of a table.

Exit codes: 0 done, 1 cannot read or write, 2 wrong usage, 3 a number in the input
is not finite, 130 interrupted (OUT is not written).`
}

// Run converts the data and prints a summary.
func (c *convertCmd) Run(e *env) error {
	var data *sparse.Dataset
	to := sparse.FormatOf(c.Out)
	out := outputs{
		{"OUT", c.Out, nil},
		{"--labels-out", c.LabelsOut, nil},
	}
	if err := out.check(c.In, c.Labels); err != nil {
		return err
	}
	if c.streams() {
		return c.stream(e)
	}
	data, err := e.readData(c.In, c.anyLabels(), &c.formFlags, c.Memory)
	if err != nil {
		return err
	}
	n, p := data.X.Dims()
	if cells := float64(float64(n) * float64(p)); to == sparse.CSV || to == sparse.TSV || to == sparse.NPY {
		if err := c.Memory.allow(2*cells, "a dense table of %s and %s", plural(n, "row"), plural(p, "column")); err != nil {
			return fmt.Errorf("%w; .npz and .mtx are sparse", err)
		}
	}
	if c.LabelsOut != "" && data.Labels == nil {
		return usagef("--labels-out: %s has no labels", dataName(c.In))
	}
	out[1].fill = func(w io.Writer) error { return sparse.WriteLabels(w, sparse.FormatOf(c.LabelsOut), data.Labels) }
	told := e.begin("writing " + dataName(c.Out))
	err = out[1:].write(e, func() error { return sparse.WriteFile(c.Out, data) })
	told.end()
	if err != nil {
		return err
	}
	return e.print(c.table(data, to).String())
}

// table returns a summary of what was written and of what was left out.
func (c *convertCmd) table(d *sparse.Dataset, to sparse.Format) (f summary) {
	f.add("read", "%s: %s", dataName(c.In), shape(d.X))
	addColumns(&f, d)
	f.add("written", "%s, as %v", c.Out, to)
	named := slices.Contains([]sparse.Format{sparse.CSV, sparse.TSV, sparse.NPZ, sparse.Binary}, to)
	table := to == sparse.CSV || to == sparse.TSV
	_, p := d.X.Dims()
	f.addIf(d.Names != nil && !named, "", "without the names of the features, which %v has no place for", to)
	f.addIf(to == sparse.LIBSVM, "", "read it with --features %d", p)
	f.addIf(d.Labels == nil && to == sparse.LIBSVM, "", "with 0 for every label: %s has none", dataName(c.In))
	f.addIf(d.Labels != nil && c.LabelsOut == "" && (to == sparse.NPY || to == sparse.MatrixMarket), "", "without labels: --labels-out FILE writes them to a file of their own")
	f.addIf(c.LabelsOut != "", "", "labels written to %s; read them with --labels", c.LabelsOut)
	if table && d.Labels != nil {
		name := "label"
		if d.Table != nil {
			name = d.Table.Label
		}
		if hides(d.Names, name) {
			f.add("", "a feature is called label, target or y: read it with --label %s", name)
		}
	}
	return f
}

// hides reports whether a feature is called label, target or y, although the column of the labels has
// another name. A reader of the written table would then use that feature as the labels. name is the name
// of the column of the labels.
func hides(features []string, name string) bool {
	for _, usual := range []string{"label", "target", "y"} {
		if strings.EqualFold(usual, name) {
			return false
		}
		if slices.ContainsFunc(features, func(f string) bool { return strings.EqualFold(f, usual) }) {
			return true
		}
	}
	return false
}
