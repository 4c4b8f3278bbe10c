package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

type formatFlags struct {
	Format    string    `enum:"auto,${formats}" default:"auto" placeholder:"FORM" help:"Form of DATA: ${formats} (default auto: by the ending of the name, else libsvm)." group:"Form of DATA:"`
	Labels    string    `placeholder:"FILE" help:"File with the labels of npy, npz or mtx data: one number a line, or an npy file (default for npz: its array y, labels or target)." group:"Form of DATA:"`
	Label     string    `placeholder:"COLUMN" help:"Column of the labels, by name or number from 1; none: no labels (default: label, target or y, else the last; with scas predict, the column used in training)." group:"Tables:"`
	NoHeader  bool      `name:"no-header" help:"The first line is a row, not names; columns are called 1, 2, 3 ..." group:"Tables:"`
	Delimiter delimiter `placeholder:"C" help:"Character between cells, such as ';' or tab (default: comma; tab for .tsv)." group:"Tables:"`
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

// formatOf returns the format of the file at path; "-" is standard input.
func (c *formatFlags) formatOf(path string) sparse.Format {
	switch {
	case c.Format != "auto":
		return sparse.Format(c.Format)
	case path == "-":
		return sparse.LIBSVM
	}
	return sparse.FormatOf(path)
}

func (c *formatFlags) isTable(path string) bool {
	f := c.formatOf(path)
	return f == sparse.CSV || f == sparse.TSV
}

// apply sets the fields of opt for the file at path. It returns an error if a flag is not for files of this
// format.
func (c *formatFlags) apply(path string, opt *sparse.ReadOptions) error {
	opt.Format = c.formatOf(path)
	t := &opt.Table
	isTable := c.isTable(path)
	switch flag := c.givenTableFlag(t); {
	case flag != "" && !isTable:
		return usagef("%s is for tables, and %s is read as %v; give --format csv if it is one",
			flag, dataName(path), opt.Format)
	case c.Labels != "" && (isTable || opt.Format == sparse.LIBSVM):
		return usagef("--labels is for npy, npz and mtx, and %s is read as %v, which has labels",
			dataName(path), opt.Format)
	case opt.IndexBase != sparse.AutoBase && opt.Format != sparse.LIBSVM:
		return usagef("--index-base is for LIBSVM text, and %s is read as %v", dataName(path), opt.Format)
	case opt.Strict && opt.Format != sparse.LIBSVM && opt.Format != sparse.NPZ:
		return usagef("--strict is for LIBSVM text and npz, and %s is read as %v", dataName(path), opt.Format)
	case opt.PositiveName != "" && opt.Positive == nil && !isTable && opt.Format != sparse.Binary:
		return usagef("--positive: %q: want a label, a finite number; only labels of tables and .scas files may be words", opt.PositiveName)
	}
	t.Delimiter, t.NoHeader = byte(c.Delimiter), c.NoHeader
	if c.Label != "" {
		t.Label, opt.LabelsOptional = c.Label, false
	}
	t.NoLabel = t.NoLabel || c.Label == "none"
	if t.NoLabel {
		t.Label = ""
	}
	return nil
}

// givenTableFlag returns the name of a flag for tables that the user gave, or "" if there is none. t has the
// flags of columns.
func (c *formatFlags) givenTableFlag(t *sparse.TableOptions) string {
	return firstGiven([]givenFlag{
		{"--label", c.Label != ""}, {"--no-header", c.NoHeader}, {"--delimiter", c.Delimiter != 0},
		{"--categorical", t.Categorical != nil}, {"--drop", t.Drop != nil},
		{"--missing", t.Missing != sparse.MissingRefuse},
	})
}

// A givenFlag is the name of a flag, and whether the user gave it.
type givenFlag struct {
	name  string
	given bool
}

// firstGiven returns the name of the first flag that the user gave, or "".
func firstGiven(flags []givenFlag) string {
	for _, f := range flags {
		if f.given {
			return f.name
		}
	}
	return ""
}

// readData reads the data file at path, or standard input if path is "-". An interrupt ends readData even if
// a pipe sends nothing.
func (e *env) readData(
	path string, opt *sparse.ReadOptions, flags *formatFlags, memory memorySize,
) (*sparse.Dataset, error) {
	if err := flags.apply(path, opt); err != nil {
		return nil, err
	}
	opt.LabelsFile = flags.Labels
	memory.limitReading(opt)
	p := e.beginProgress("reading " + dataName(path))
	defer p.end()
	data, err := await(e, func() (*sparse.Dataset, error) {
		if path == "-" {
			return sparse.Read(&countedReader{Reader: e.stdin, name: "stdin", progress: p}, "stdin", opt)
		}
		// Files of npz and .scas are not read from front to back, so no bytes can be counted.
		if opt.Format != sparse.NPZ && opt.Format != sparse.Binary {
			if f, err := os.Open(path); err == nil {
				defer f.Close()
				return sparse.Read(&countedReader{
					Reader: f, name: dataName(path), totalBytes: sizeOf(f), progress: p,
				}, path, opt)
			}
		}
		return sparse.ReadFile(path, opt)
	})
	if err != nil && opt.Beyond && opt.Format != sparse.Binary && opt.Memory >= leastLimit {
		err = advisedError{err, func(r sparse.Remedy) (string, bool) {
			return "convert them to .scas, which may be larger than memory, or " + remedyWords(r), r.Field == "ReadOptions.Memory"
		}}
	}
	if err == nil {
		*e.matrices = append(*e.matrices, data.X)
		if !data.X.Mapped() && opt.Memory > 0 && 4*dataBytes(data) > opt.Memory {
			debug.FreeOSMemory() // returns the garbage of the reader to the system
		}
		e.warnOfColumns(data)
	}
	return data, err
}

// A countedReader is a reader that reports to progress how many bytes of a file have been read.
// totalBytes is the size of the file, or 0 if the size is not known.
type countedReader struct {
	io.Reader
	name                  string
	doneBytes, totalBytes int64
	progress              *progress
}

// Size returns totalBytes. Package sparse calls it to estimate how much memory the data need.
func (r *countedReader) Size() int64 { return r.totalBytes }

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.doneBytes += int64(n)
	r.progress.showBytes("reading "+r.name, r.doneBytes, r.totalBytes)
	return n, err
}

// sizeOf returns the size of a file in bytes, or 0 if the size is not known.
func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// dataName returns the name that messages use for a file: the path without its directory, or "" if path is
// empty.
func dataName(path string) string {
	switch path {
	case "":
		return ""
	case "-":
		return "standard input"
	}
	return filepath.Base(path)
}

type dataFlags struct {
	formatFlags
	Categorical []string  `placeholder:"COLUMN" help:"Columns of numbers that are categories. Each category becomes a 0/1 feature COLUMN=CATEGORY, as for columns of words." group:"Tables:"`
	Drop        []string  `placeholder:"COLUMN" help:"Columns to leave out, such as identifiers." group:"Tables:"`
	Missing     string    `enum:"refuse,mean,median,zero" default:"refuse" placeholder:"RULE" help:"Missing values (empty, NA, N/A, NaN, NULL): refuse them, or fill them with the column's mean, median or zero, in prediction too (default ${default})." group:"Tables:"`
	Features    count     `placeholder:"P" help:"Number of features (default: the largest index in DATA)." group:"Form of DATA:"`
	IndexBase   indexBase `default:"auto" placeholder:"auto|0|1" help:"Number of the first feature in LIBSVM text; auto: 0 if the index 0 occurs, else 1 (default ${default})." group:"Form of DATA:"`
}

// tableOptions returns the options for the columns of tables.
func (c *dataFlags) tableOptions() sparse.TableOptions {
	t := sparse.TableOptions{Categorical: c.Categorical, Drop: c.Drop}
	if c.Missing != "refuse" {
		t.Missing = sparse.Missing(c.Missing)
	}
	return t
}

// anyLabelOptions returns the options for reading data whose labels do not matter.
func (c *dataFlags) anyLabelOptions() *sparse.ReadOptions {
	return &sparse.ReadOptions{
		AnyLabels: true, Features: int(c.Features), IndexBase: c.IndexBase.IndexBase, Table: c.tableOptions(),
	}
}

// givenDataFlag returns the name of a flag, other than --features, that the user gave for reading DATA. It
// returns "" if there is no such flag.
func (c *dataFlags) givenDataFlag() string {
	t := c.tableOptions()
	return cmp.Or(firstGiven([]givenFlag{
		{"--format", c.Format != "auto"}, {"--labels", c.Labels != ""},
		{"--index-base", c.IndexBase.IndexBase != sparse.AutoBase},
	}), c.givenTableFlag(&t))
}
