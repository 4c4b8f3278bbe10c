package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/bench/internal/paper/report"
	"github.com/scas-admm/scas/solver"
)

// Paper is the command paper: it runs the experiments of the paper and writes a report.
type Paper struct {
	Out string `required:"" placeholder:"DIR" help:"Directory of the results. Runs that are complete there are not repeated."`

	Data       string    `env:"SCAS_DATA" placeholder:"DIR" help:"Directory of the data sets (default: environment variable SCAS_DATA)."`
	Quick      bool      `help:"Only a9a, 1 split, 12 passes, half the steps and rho, nothing chosen on the half: under 2 minutes of a core."`
	Only       []string  `placeholder:"NAME" help:"Only this data set (a9a, covtype, rcv1, sido); repeatable."`
	Method     []string  `placeholder:"NAME" help:"Only this method; repeatable (default: those of the paper's figures, and on a9a all of the solver)."`
	AllMethods bool      `help:"All methods of the solver on all data sets, which takes three quarters of an hour more."`
	Mu         []float64 `placeholder:"F" help:"Only this coefficient of the L2 term; repeatable."`
	Splits     *int      `placeholder:"N" help:"Number of random splits (default 10; quick 1)."`
	Passes     *float64  `placeholder:"N" help:"Effective passes of every run, at least 6 (default 30; quick 12)."`
	Timed      int       `default:"1" placeholder:"N" help:"Splits whose seconds are measured, 0 for none (default ${default})."`
	ReportOnly bool      `help:"Make tables and figures from all results in DIR without running anything."`
	Retune     []string  `placeholder:"DATA:MU" help:"Only tune again, near the parameters in DIR, the methods with the larger gap in claims about SCAS-ADMM, and print the ratios; for example a9a:0.01; repeatable."`
}

// Help returns the text that bench paper --help adds to the list of flags.
func (Paper) Help() string {
	return `Runs the experiments of Zhao, Li and Zhou on every method of the solver and
writes report.html, points.jsonl, timings.jsonl, table1.csv, claims.csv and the
figures as SVG and CSV. After an interruption the same command
continues. Values over passes are the same at every repetition: points.jsonl and
most of claims.csv. Measured seconds and bytes are in timings.jsonl, table1.csv and
claims 1d, 1e, 2d and 3c. The report is about all results in DIR, also those of
earlier runs with other flags.`
}

func (c *Paper) protocol(methods []solver.Method) (paper.Protocol, error) {
	pr := paper.FullProtocol()
	if c.Quick {
		pr = paper.QuickProtocol()
	}
	pr.AddMethods(methods...)
	if c.Splits != nil {
		pr.Splits = *c.Splits
	}
	if c.Passes != nil {
		pr.Passes = *c.Passes
	}
	if len(c.Only) > 0 {
		pr.Data = c.Only
	}
	for _, mu := range c.Mu {
		if !(mu >= 0) || math.IsInf(mu, 1) {
			return pr, fmt.Errorf("--mu %g is not a finite number of at least 0", mu)
		}
	}
	if c.Timed < 0 {
		return pr, fmt.Errorf("--timed %d is negative; 0 measures no seconds", c.Timed)
	}
	if len(c.Mu) > 0 {
		pr.Mus = c.Mu
	}
	if len(c.Method) > 0 {
		pr.Methods = c.Method
	}
	if c.AllMethods || len(c.Method) > 0 {
		pr.DataOfOthers = nil
	}
	return pr, pr.Validate()
}

// Run makes the runs that are not in the directory Out yet and writes the report, or does what --report-only
// or --retune says.
func (c *Paper) Run(e *Env) error {
	switch {
	case c.ReportOnly:
		return c.report(e, time.Now())
	case len(c.Retune) > 0:
		return c.retune(e)
	}
	pr, err := c.protocol(e.Own)
	if err != nil {
		return err
	}
	sets, err := c.findDataSets(e, pr)
	if err != nil {
		return err
	}
	pr.Data = nil
	for _, s := range sets {
		pr.Data = append(pr.Data, s.Name)
	}
	r, err := paper.Open(c.Out, pr)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := errors.Join(c.experiment(e, sets, r), r.Save()); err != nil {
		return err
	}
	return c.report(e, start)
}

// report writes the files of a report about all records in the directory Out.
func (c *Paper) report(e *Env, start time.Time) error {
	r, err := paper.OpenAny(c.Out)
	if err != nil {
		return err
	}
	r.Protocol.OwnMethods = e.Own
	files, summary, err := report.Make(e.Ctx, r)
	if err != nil {
		return err
	}
	for k := range files {
		files[k].Path = filepath.Join(c.Out, files[k].Path)
	}
	if err := output.Write(files...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "%s\nwrote %s in %s\n", summary, filepath.Join(c.Out, report.PageFile),
		time.Since(start).Round(time.Second))
	return err
}

func (c *Paper) retune(e *Env) error {
	r, err := paper.OpenAny(c.Out)
	if err != nil {
		return err
	}
	for _, problem := range c.Retune {
		name, coefficient, _ := strings.Cut(problem, ":")
		mu, err := strconv.ParseFloat(coefficient, 64)
		index := slices.IndexFunc(paper.Specs(), func(s paper.Spec) bool { return s.Name == name })
		if err != nil || index < 0 {
			return fmt.Errorf("--retune %s: write a data set (a9a, covtype, rcv1, sido), a colon, and mu, such as a9a:0.01", problem)
		}
		d, err := paper.Specs()[index].Load(c.Data)
		if err != nil {
			return err
		}
		text, err := report.Retune(e.Ctx, r, d, mu)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(e.Stdout, text)
		if err != nil {
			return err
		}
	}
	return nil
}

// findDataSets returns the data sets of pr whose files exist, and an error if none exist.
func (c *Paper) findDataSets(e *Env, pr paper.Protocol) (sets []paper.Spec, err error) {
	if c.Data == "" {
		return nil, errors.New("no data: set --data or SCAS_DATA to a directory with the data sets; see `make data`")
	}
	var missing []string
	for _, s := range paper.Specs() {
		if !slices.Contains(pr.Data, s.Name) {
			continue
		}
		_, err := s.Find(c.Data)
		if err != nil {
			missing = append(missing, err.Error())
		} else {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return nil, errors.New(strings.Join(missing, "\n"))
	}
	for _, m := range missing {
		fmt.Fprintln(e.Stderr, "left out:", m)
	}
	return sets, nil
}

// experiment loads the data sets, makes the runs that are not in the records, and adds them to the records.
func (c *Paper) experiment(e *Env, sets []paper.Spec, r *paper.Records) error {
	x := &paper.Experiment{
		Records: r, TimedSplits: c.Timed, Machine: machine.Describe(e.Args).Lines, Log: e.Stderr,
	}
	var data []*paper.Data
	for _, s := range sets {
		d, err := s.Load(c.Data)
		if err != nil {
			return err
		}
		data = append(data, d)
	}
	err := x.Run(e.Ctx, data...)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(e.Stderr, "interrupted; the same command goes on from here")
	}
	return err
}
