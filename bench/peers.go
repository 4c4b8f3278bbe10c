package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/peers"
	"github.com/scas-admm/scas/bench/race"
)

type peersCmd struct {
	Data    string         `env:"SCAS_DATA" placeholder:"DIR" help:"Directory of the data sets (default: the environment variable SCAS_DATA)."`
	Quick   bool           `help:"Small problems, each solved once for each tolerance."`
	Only    *regexp.Regexp `default:"." placeholder:"REGEX" help:"Only the problems whose name matches, such as '^a9a', 'path$' or 'folds'."`
	Peer    []string       `placeholder:"NAME=COMMAND" sep:"none" help:"Add a peer, which follows the protocol of bench/README.md; repeatable."`
	Leave   *regexp.Regexp `default:"^$" placeholder:"REGEX" help:"Leave out the installed peers whose name matches."`
	Limit   time.Duration  `default:"60s" placeholder:"T" help:"Limit of the processor time for one answer: a fit, a path or a cross-validation. If scas is fast, the limit of its peers is lower. A peer gets twice its limit for all tolerances of a problem (default ${default})."`
	Repeats int            `default:"3" placeholder:"N" help:"Answers for each tolerance, of which the least time counts (default ${default})."`
	Clock   string         `enum:"cpu,wall" default:"cpu" placeholder:"cpu|wall" help:"Time to compare: of the processor, or the time that passes (default ${default})."`
	Note    string         `placeholder:"TEXT" help:"A line for the head of the report, such as what else the machine did."`
	Results string         `placeholder:"DIR" help:"Write peers-CPU.txt, and as peers-CPU.html a page with the plots, into a directory."`
}

// quickLimit is the largest time limit with --quick for one answer: a fit, a path or a cross-validation.
const quickLimit = 4 * time.Second

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
	opt, missingPeers, err := c.options(e, scriptDir)
	if err != nil {
		return err
	}
	lines := c.protocol(opt)
	for _, m := range missingPeers {
		lines = append(lines, "missing: "+m)
	}
	r, err := begin(e, "peers", machine.Describe(e.Args), lines...)
	if err != nil {
		return err
	}
	head := r.text.String()
	var outcomes []*peers.Outcome
	for _, s := range specs {
		var o *peers.Outcome
		o, err = c.race(e.Ctx, r, s, opt)
		if err != nil {
			break
		}
		if o != nil {
			outcomes = append(outcomes, o)
		}
	}
	switch {
	case len(outcomes) == 0 && err == nil:
		return errors.New("nothing was compared: the lines above say why; --data DIR, or `make data`")
	case len(outcomes) == 0:
		return err
	case err != nil: // the results so far are printed and written
		fmt.Fprintf(r, "ended early (%v): %d of %d problems\n\n", err, len(outcomes), len(specs))
	}
	if _, writeErr := io.WriteString(r, peers.RatioTable(outcomes)); writeErr != nil || c.Results == "" {
		return errors.Join(err, writeErr)
	}
	page, pageErr := peers.Page(head, outcomes)
	if pageErr == nil {
		pageErr = output.Write(output.File{Path: r.basePath(c.Results) + ".html", Text: page})
	}
	return errors.Join(err, r.write(c.Results, ""), pageErr)
}

func (c *peersCmd) specs() (chosenSpecs []peers.Spec, err error) {
	if c.Limit <= 0 || c.Repeats < 1 {
		return nil, fmt.Errorf("--limit %v, --repeats %d: both must be above 0", c.Limit, c.Repeats)
	}
	for _, s := range peers.Specs(c.Quick) {
		if c.Only.MatchString(s.Name) {
			chosenSpecs = append(chosenSpecs, s)
		}
	}
	if len(chosenSpecs) == 0 {
		return nil, fmt.Errorf("--only %s matches no problem, such as a9a", c.Only)
	}
	return chosenSpecs, nil
}

// options writes the scripts of the peers into the directory scriptDir, and returns the options of the
// comparison, with the peers that are installed. missingPeers has a line for each peer that is not.
func (c *peersCmd) options(e *race.Env, scriptDir string) (opt *peers.Options, missingPeers []string, err error) {
	opt = &peers.Options{
		Limit: c.Limit, Repeats: c.Repeats, WriteText: len(c.Peer) > 0, UseWall: c.Clock == "wall",
		Say: func(line string) { fmt.Fprintln(e.Stderr, " ", line) },
	}
	if c.Quick {
		opt.Repeats, opt.Limit = 1, min(c.Limit, quickLimit)
	}
	opt.Peers, missingPeers, err = peers.FindInstalled(e.Ctx, scriptDir, c.Leave)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range c.Peer {
		p, err := peers.ParseCommand(text)
		if err != nil {
			return nil, nil, err
		}
		opt.Peers = append(opt.Peers, p)
	}
	return opt, missingPeers, nil
}

// protocol returns lines that describe the comparison.
func (c *peersCmd) protocol(opt *peers.Options) []string {
	clock := "processor time of a fit, path or cross-validation: other work on the machine disturbs it less than time that passes"
	if opt.UseWall {
		clock = "time that passes during a fit, path or cross-validation"
	}
	lines := []string{
		"times:   " + clock + "; loading excluded, one thread",
		fmt.Sprintf("answers: the least time of %d rounds; answers of more than %v once; limit %v, for peers also %g times the longest of scas, at least %v",
			opt.Repeats, opt.SlowAnswer().Round(time.Millisecond), opt.Limit, peers.Hopeless,
			peers.LeastLimit),
		"gaps:    the worst of all lambdas, relative to P(0), the objective at 0; scas: proved by it; others: objective, evaluated here, minus the reference",
		"defaults: the column 'at default' has the time at the default tolerance of each solver, and in brackets the gap",
		"ratios:  time of scas over the time of the fastest peer; BEHIND: scas is slower",
	}
	if c.Note != "" {
		lines = append(lines, "note:    "+c.Note)
	}
	return lines
}

// race measures all solvers on one problem and prints the result. If the data of the problem do not exist, or
// its optimum is not known precisely enough, race prints this instead and returns a nil Outcome.
func (c *peersCmd) race(ctx context.Context, w io.Writer, s peers.Spec, opt *peers.Options) (*peers.Outcome, error) {
	p, err := s.Load(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(w, "%s: left out: %v\n\n", s.Name, err)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	opt.Say(s.Name)
	o, err := peers.Race(ctx, p, opt)
	if errors.Is(err, peers.ErrNoReference) {
		_, err := fmt.Fprintf(w, "%s: FAILED, left out: %v\n\n", s.Name, err)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, o.Text())
	return o, err
}
