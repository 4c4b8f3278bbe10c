package report

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// Names of the files of the report.
const (
	PageFile   = "report.html"
	TableFile  = "table1.csv"
	ClaimsFile = "claims.csv"
)

//go:embed report.tmpl
var pageText string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"num": func(v float64) string { return shortText(v, 3) }, "entry": entryText, "bytes": byteSize, "percent": func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
	"ms": func(ns float64) string { return shortText(ns/1e6, 3) }, "fitted": exponentText, "symbols": symbols, "rule": func(r paper.Rule) string { return ruleNames[r] },
}).Parse(pageText))

// A page holds the data for pageTemplate, the template of the report.
type page struct {
	Protocol    paper.Protocol
	Planned     int        // number of splits in paper.FullProtocol
	Measured    [][]string // for each machine on which runs were timed, a description in lines of text
	Data        []*paper.DataSummary
	Optima      []optimumRange
	Overviews   []*Figure
	Problems    []section
	Methods     []paper.Traits
	Bounds      []*bound
	Printed     []printedCondition
	Claims      []result
	Runs        []problemRuns
	Memory      []memoryNote
	TimedSplits int // number of splits on which runs were timed
}

// A section is the part of the page about one problem.
type section struct {
	Mu      float64
	Open    bool // whether the page shows the section unfolded
	Label   string
	Figures []*Figure
	Table   []row
}

// Make returns the files of the report, with paths relative to the report's directory. summary describes
// the claims in a text for a terminal.
func Make(ctx context.Context, r *paper.Records) (files []output.File, summary string, err error) {
	list := problems(r)
	pg := &page{Protocol: r.Protocol, Planned: paper.FullProtocol().Splits, Measured: r.Machines, Methods: methodsOf(&r.Protocol), TimedSplits: timedSplits(r), Optima: optima(list), Printed: printedConditions(list), Memory: memoryNotes(list)}
	if pg.Bounds, err = bounds(ctx); err != nil {
		return nil, "", err
	}
	pg.Claims, pg.Runs = results(list), runsOf(list)
	if pg.Overviews, err = overviews(list); err != nil {
		return nil, "", err
	}
	allFigures := slices.Clone(pg.Overviews)
	for _, b := range pg.Bounds {
		allFigures = append(allFigures, b.Figure)
	}
	var table []row
	for _, p := range list {
		rows := table1(p)
		table = append(table, rows...)
		if p.summary == nil || !p.begun {
			continue
		}
		isFirst := len(pg.Data) == 0 || pg.Data[len(pg.Data)-1].Name != p.Name
		if isFirst {
			pg.Data = append(pg.Data, p.summary)
		}
		sec := section{Mu: p.mu, Open: isFirst, Label: p.label(), Table: rows}
		if sec.Figures, err = figures(p); err != nil {
			return nil, "", err
		}
		pg.Problems, allFigures = append(pg.Problems, sec), append(allFigures, sec.Figures...)
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, pg); err != nil {
		return nil, "", err
	}
	add := func(path, text string) { files = append(files, output.File{Path: path, Text: text}) }
	add(PageFile, html.String())
	add(TableFile, tableCSV(table))
	add(ClaimsFile, claimsCSV(pg.Claims))
	for _, f := range allFigures {
		add("figures/"+f.Name+".svg", f.File)
		if f.CSV != "" {
			add("figures/"+f.Name+".csv", f.CSV)
		}
	}
	return files, claimsText(pg.Claims), nil
}

func methodsOf(pr *paper.Protocol) (traits []paper.Traits) {
	for _, m := range pr.Methods {
		traits = append(traits, pr.Traits(m))
	}
	return traits
}

func timedSplits(r *paper.Records) (count int) {
	for _, s := range r.Protocol.Specs() {
		for split := range r.Protocol.Splits {
			if slices.ContainsFunc(r.Protocol.Keys(s, split), func(k paper.Key) bool { return r.Timing(k) != nil }) {
				count = max(count, split+1)
			}
		}
	}
	return count
}

type problemRuns struct {
	Data  string
	Mu    float64
	Texts []string // for each rule, the text of problem.methodsRunText
}

func runsOf(problems []*problem) (out []problemRuns) {
	for _, p := range problems {
		if !p.begun {
			continue
		}
		runs := problemRuns{Data: p.Name, Mu: p.mu}
		for _, rule := range paper.Rules() {
			runs.Texts = append(runs.Texts, p.withRule(rule).methodsRunText())
		}
		out = append(out, runs)
	}
	return out
}

// methodsRunText says which methods were run with the problem's rule, and on how many splits.
func (p *problem) methodsRunText() string {
	names := map[int][]string{}
	for _, t := range methodsOf(&p.Protocol) {
		count := 0
		for split := range p.Protocol.Splits {
			if p.runOf(t.Info.Name, t.Output(), split) != nil {
				count++
			}
		}
		names[count] = append(names[count], t.Info.Name)
	}
	delete(names, 0)
	var parts []string
	for _, count := range slices.Backward(slices.Sorted(maps.Keys(names))) {
		noun := "splits"
		if count == 1 {
			noun = "split"
		}
		parts = append(parts, fmt.Sprintf("%d %s: %s", count, noun, strings.Join(names[count], ", ")))
	}
	return strings.Join(parts, "; ")
}

// An optimumRange summarises the optima of a problem over the splits.
type optimumRange struct {
	Data          string
	Mu, Low, High float64
	Gap           float64 // largest error of a known optimum
	By            string  // how the optimum of the last split was computed, in words
	Splits        int
}

func optima(problems []*problem) (out []optimumRange) {
	for _, p := range problems {
		o := optimumRange{Data: p.Name, Mu: p.mu, Low: math.Inf(1), High: math.Inf(-1)}
		for _, split := range p.splits {
			if optimum := p.optimum(split); optimum != nil {
				o.Splits, o.By = o.Splits+1, optimum.ComputedBy
				o.Low, o.High, o.Gap = min(o.Low, optimum.Objective), max(o.High, optimum.Objective), max(o.Gap, optimum.Gap)
			}
		}
		if o.Splits > 0 {
			out = append(out, o)
		}
	}
	return out
}

// A printedCondition has the rho of Algorithm 2 on one problem, and a limit: condition C2 of Theorem 2, as
// printed in the paper, can hold only if rho is below Limit.
type printedCondition struct {
	*paper.DataSummary
	Mu, Limit float64
	Rho       float64 // rho chosen on the first split
	// Inner is a number of inner steps for which some step size satisfies all conditions of
	// theory.Constants.Theorem2Relaxed, divided by the number of training samples.
	Inner float64
}

func printedConditions(problems []*problem) []printedCondition {
	var out []printedCondition
	for _, p := range problems {
		f, u, mu := p.summary, p.runOf(scasStrong, paper.Last, 0), p.mu
		if mu == 0 || u == nil || f == nil {
			continue
		}
		nuF := f.NuF + mu
		nuL := nuF + u.Rho*f.Lambda1
		m := math.Ceil(32*nuF*nuF/(mu*mu) + 4*nuL/mu)
		out = append(out, printedCondition{f, mu, mu / (f.Lambda1 - f.LambdaP), u.Rho, m / (float64(f.Rows) / 2)})
	}
	return out
}

// A memoryNote has the memory, the speed and the final gap of one run.
type memoryNote struct {
	Data  string
	Whole float64 // 8 n p: the bytes of n iterates, one for each training sample
	*paper.Timing
	Gap float64
}

func memoryNotes(problems []*problem) []memoryNote {
	var out []memoryNote
	for _, p := range problems {
		if p.timing(scas, 0) == nil || p.summary == nil || slices.ContainsFunc(out, func(n memoryNote) bool { return n.Data == p.Name }) {
			continue
		}
		add := func(t *paper.Timing) {
			if t != nil {
				out = append(out, memoryNote{p.Name, 8 * float64(p.summary.Rows/2) * float64(p.summary.Features), t, excess(t.Objective, p.optimum(0))})
			}
		}
		for _, m := range []paper.Method{scas, scasL, sa, saIU, sag, sagIU} {
			t := p.timing(m, 0)
			add(t)
			if t != nil {
				add(t.Unrotated)
			}
		}
	}
	return out
}
