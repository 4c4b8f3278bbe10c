package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/peers"
	"github.com/scas-admm/scas/bench/race"
)

type peersCmd struct {
	Data    string        `env:"SCAS_DATA" placeholder:"DIR" help:"Directory of the data sets (default: the environment variable SCAS_DATA)."`
	Quick   bool          `help:"Small problems, each solved once for each tolerance."`
	Only    string        `placeholder:"REGEX" help:"Only the problems whose name matches, such as '^a9a', 'path$' or 'folds'."`
	Peer    []string      `placeholder:"NAME=COMMAND" sep:"none" help:"Add a peer, which follows the protocol of bench/README.md; repeatable."`
	Leave   string        `placeholder:"REGEX" help:"Leave out the installed peers whose name matches."`
	Limit   time.Duration `default:"60s" placeholder:"T" help:"Limit of the processor time for one answer: a fit, a path or a cross-validation. If scas is fast, the limit of its peers is lower. A peer gets twice its limit for all tolerances of a problem (default ${default})."`
	Repeats int           `default:"3" placeholder:"N" help:"Answers for each tolerance, of which the least time counts (default ${default})."`
	Clock   string        `enum:"cpu,wall" default:"cpu" placeholder:"cpu|wall" help:"Time to compare: of the processor, or the time that passes (default ${default})."`
	Note    string        `placeholder:"TEXT" help:"A line for the head of the report, such as what else the machine did."`
	Results string        `placeholder:"DIR" help:"Write peers-CPU.txt, and as peers-CPU.html a page with the plots, into a directory."`
}

// quickLimit is the largest time limit with --quick for one answer: a fit, a path or a cross-validation.
const quickLimit = 4 * time.Second

type peersRun struct {
	*report
	opt                    *peers.Options
	protocol, missingPeers []string // lines that describe the comparison; peers that are not installed
	outcomes               []*peers.Outcome
	failures               int // number of problems without a reference
}

func (c *peersCmd) Run(e *race.Env) error {
	specs, err := c.specs()
	if err != nil {
		return err
	}
	scriptDir, err := os.MkdirTemp("", "scas-adapters-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scriptDir)
	r := &peersRun{}
	if err := c.prepare(e, r, scriptDir); err != nil {
		return err
	}
	lines := slices.Clone(r.protocol)
	for _, m := range r.missingPeers {
		lines = append(lines, "missing: "+m)
	}
	if r.report, err = begin(e, "peers", machine.Describe(e.Args), lines...); err != nil {
		return err
	}
	for _, s := range specs {
		if err = c.race(e, r, s); err != nil {
			break
		}
	}
	if err != nil && len(r.outcomes) == 0 {
		return err
	}
	if err != nil { // the results so far are printed and written
		fmt.Fprintf(r, "ended early (%v): %d of %d problems\n\n", err, len(r.outcomes), len(specs))
	}
	return errors.Join(err, c.finish(r))
}

func (c *peersCmd) finish(r *peersRun) error {
	if len(r.outcomes) == 0 && r.failures > 0 {
		return fmt.Errorf("nothing was compared: scas failed on %d problems, and the others do not have their data here", r.failures)
	}
	if len(r.outcomes) == 0 {
		return fmt.Errorf("none of the problems has its data here; --data DIR, or `make data`")
	}
	if _, err := io.WriteString(r, peers.RatioTable(r.outcomes)); err != nil {
		return err
	}
	if c.Results == "" {
		return nil
	}
	page, err := peers.Page(r.machine.Lines(), r.protocol, r.missingPeers, r.outcomes)
	if err != nil {
		return err
	}
	return errors.Join(r.write(c.Results, ""), output.Write(output.File{Path: r.basePath(c.Results) + ".html", Text: page}))
}

func (c *peersCmd) specs() (chosenSpecs []peers.Spec, err error) {
	pattern, err := regexp.Compile(c.Only)
	if err != nil {
		return nil, fmt.Errorf("--only is not a regular expression: %w", err)
	}
	if c.Limit <= 0 || c.Repeats < 1 {
		return nil, fmt.Errorf("--limit %v, --repeats %d: both must be above 0", c.Limit, c.Repeats)
	}
	for _, s := range peers.Specs(c.Quick) {
		if pattern.MatchString(s.Name) {
			chosenSpecs = append(chosenSpecs, s)
		}
	}
	if len(chosenSpecs) == 0 {
		return nil, fmt.Errorf("--only %s matches no problem, such as a9a", c.Only)
	}
	return chosenSpecs, nil
}

// prepare writes the scripts of the peers into the directory scriptDir, and finds the peers that are
// installed. It sets r.opt, r.missingPeers and r.protocol.
func (c *peersCmd) prepare(e *race.Env, r *peersRun, scriptDir string) error {
	var skipPattern *regexp.Regexp
	if c.Leave != "" {
		var err error
		if skipPattern, err = regexp.Compile(c.Leave); err != nil {
			return fmt.Errorf("--leave is not a regular expression: %w", err)
		}
	}
	installedPeers, missingPeers, err := peers.FindInstalled(e.Ctx, scriptDir, skipPattern)
	if err != nil {
		return err
	}
	r.missingPeers = missingPeers
	r.opt = &peers.Options{
		Limit: c.Limit, Repeats: c.Repeats, WriteText: len(c.Peer) > 0, UseWall: c.Clock == "wall",
	}
	r.opt.Peers = installedPeers
	r.opt.Say = func(line string) { fmt.Fprintln(e.Stderr, " ", line) }
	if c.Quick {
		r.opt.Repeats, r.opt.Limit = 1, min(c.Limit, quickLimit)
	}
	for _, text := range c.Peer {
		p, err := peers.ParseCommand(text)
		if err != nil {
			return err
		}
		r.opt.Peers = append(r.opt.Peers, p)
	}
	clock := "processor time of a fit, path or cross-validation: other work on the machine disturbs it less than time that passes"
	if r.opt.UseWall {
		clock = "time that passes during a fit, path or cross-validation"
	}
	r.protocol = []string{
		"times:   " + clock + "; loading excluded, one thread",
		fmt.Sprintf("answers: the least time of %d rounds; answers of more than %v once; limit %v, for peers also %g times the longest of scas, at least %v",
			r.opt.Repeats, r.opt.SlowAnswer().Round(time.Millisecond), r.opt.Limit, peers.Hopeless, peers.LeastLimit),
		"gaps:    the worst of all lambdas, relative to P(0), the objective at 0; scas: proved by it; others: objective, evaluated here, minus the reference",
		"defaults: the column 'at default' has the time at the default tolerance of each solver, and in brackets the gap",
		"ratios:  time of scas over the time of the fastest peer; BEHIND: scas is slower",
	}
	if c.Note != "" {
		r.protocol = append(r.protocol, "note:    "+c.Note)
	}
	return nil
}

// race measures all solvers on one problem and prints the result. If the data of the problem do not exist, or
// its optimum is not known precisely enough, race prints this instead.
func (c *peersCmd) race(e *race.Env, r *peersRun, s peers.Spec) error {
	p, err := s.Load(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(r, "%s: left out: %v\n\n", s.Name, err)
		return err
	}
	if err != nil {
		return err
	}
	r.opt.Say(s.Name)
	o, err := peers.Race(e.Ctx, p, r.opt)
	if errors.Is(err, peers.ErrNoReference) {
		r.failures++
		_, err := fmt.Fprintf(r, "%s: FAILED, left out: %v\n\n", s.Name, err)
		return err
	}
	if err != nil {
		return err
	}
	r.outcomes = append(r.outcomes, o)
	_, err = io.WriteString(r, o.Text())
	return err
}
