package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/sparse"
)

type readCmd struct {
	Repeats int      `default:"7" placeholder:"N" help:"The least time of so many is told (default ${default})."`
	Results string   `placeholder:"DIR" help:"Write the table into a directory, as read-CPU.txt."`
	Data    []string `arg:"" name:"DATA" help:"Files of LIBSVM text or tables, plain or compressed."`
}

// Help is shown by bench read --help.
func (readCmd) Help() string {
	return `Expands each file into a temporary one, which the page cache then holds, and reads
that: as scas does, on one processor and on all; as wc and wc -l do, if there is a wc; and as a
loop does that reads it in blocks and counts line ends, which is a bound for whoever
looks at every byte on one processor. The last column is the same data converted to
.scas: opened and compared with its checksums. All take turns.`
}

// A reading is one way of going through a file.
type reading struct {
	name string
	path string
	do   func(path string) error
	best time.Duration
}

// Run measures and reports.
func (c *readCmd) Run(e *env) error {
	r := &results{name: "read", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := begin(out, r.facts.Lines(), []string{"GB/s of text from the page cache, the best of " + fmt.Sprint(c.Repeats) + "; ns an entry on one processor; .scas: ms"}); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "scas-bench-read")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "data\tMB\tentries\tscas, 1\tns\tscas, %d\twc\twc -l\tcount\t.scas\t\n", runtime.NumCPU())
	for _, path := range c.Data {
		if err := c.row(e, table, dir, path); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if c.Results == "" {
		return nil
	}
	return writeAll([]output{{r.base(c.Results) + ".txt", literal(r.text.String())}})
}

// row measures a file.
func (c *readCmd) row(e *env, w io.Writer, dir, path string) error {
	plain, mapped := filepath.Join(dir, "plain"), filepath.Join(dir, "mapped.scas")
	opt := &sparse.ReadOptions{AnyLabels: true, Format: sparse.FormatOf(path)}
	if err := expand(path, plain); err != nil {
		return err
	}
	done, err := sparse.Convert(plain, mapped, opt, nil)
	if err != nil {
		return err
	}
	ways := []*reading{
		{name: "one", path: plain, do: func(path string) error { return readOn(1, path, opt) }},
		{name: "all", path: plain, do: func(path string) error { return readOn(runtime.NumCPU(), path, opt) }},
		{name: "wc", path: plain, do: command(e, "wc")},
		{name: "wc -l", path: plain, do: command(e, "wc", "-l")},
		{name: "count", path: plain, do: countLines},
		{name: "mapped", path: mapped, do: func(path string) error { return readOn(runtime.NumCPU(), path, &sparse.ReadOptions{AnyLabels: true}) }},
	}
	if err := c.race(ways); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\t%.1f\t%d\t", filepath.Base(path), float64(done.Stats.Bytes)/1e6, done.Stats.NNZ)
	for _, way := range ways {
		switch way.name {
		case "one":
			fmt.Fprintf(w, "%s\t%.1f\t", way.rate(done.Stats.Bytes), float64(way.best)/float64(done.Stats.NNZ))
		case "mapped":
			fmt.Fprintf(w, "%.2f\t\n", 1e3*way.best.Seconds())
		default:
			fmt.Fprintf(w, "%s\t", way.rate(done.Stats.Bytes))
		}
	}
	return nil
}

// race has all ways take turns.
func (c *readCmd) race(ways []*reading) error {
	for range c.Repeats {
		for _, way := range ways {
			if way.do == nil {
				continue
			}
			runtime.GC()
			began := time.Now()
			if err := way.do(way.path); err != nil {
				return err
			}
			if took := time.Since(began); way.best == 0 || took < way.best {
				way.best = took
			}
		}
	}
	return nil
}

// rate is in GB/s, for people.
func (r *reading) rate(size int64) string {
	if r.best == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(size)/1e9/r.best.Seconds())
}

// expand writes what a file holds, decompressed.
func expand(path, plain string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, _, err := sparse.Decompress(f, path)
	if err != nil {
		return err
	}
	defer in.Close()
	to, err := os.Create(plain)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, in)
	if failed := to.Close(); err == nil {
		err = failed
	}
	return err
}

// readOn reads a file on so many processors.
func readOn(processors int, path string, opt *sparse.ReadOptions) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	d, err := sparse.ReadFile(path, opt)
	if err != nil {
		return err
	}
	return d.Close()
}

// command runs a program on a file; nil if there is none.
func command(e *env, name string, args ...string) func(path string) error {
	if _, err := exec.LookPath(name); err != nil {
		return nil
	}
	return func(path string) error {
		if out, err := exec.CommandContext(e.ctx, name, append(args, path)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
		}
		return nil
	}
}

// countLines looks at every byte, with what the standard library has in assembly.
func countLines(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 1<<18)
	for lines := 0; ; {
		n, err := f.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		switch {
		case err == io.EOF && lines == 0:
			return fmt.Errorf("%s: no lines", path)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
