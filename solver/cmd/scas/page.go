package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/draw"
)

// pageFlags ask for a page.
type pageFlags struct {
	Report string `placeholder:"FILE" help:"Write a page of HTML that explains the fit: what was fitted, whether it converged, the largest coefficients, pictures." group:"What is written:"`
}

// A page is what --report writes: one file of HTML that needs no other, without scripts,
// to be read on a screen and in print.
type page struct {
	Command string  // scas train
	Data    string  // its name
	Summary summary // what the command prints
	Verdict judgement
	Metrics summary       // on the training data
	Heat    template.HTML // what is called what, of several classes
	Plot    template.HTML
	Parts   []part
	Left    string // which models have no part
	Each    string // what Table has a line for
	Table   grid
	Line    string
	Version string

	scores     *confusionTable // of several classes, on the training data
	deviations []float64       // of the features in the training data, or nil
}

// A part is the section of a page about one model: the only one, or the model of a class.
type part struct {
	Of     string // which one, such as at the last lambda; empty if there is one
	Model  *columnReport
	P      int // features
	Bars   []bar
	Scaled bool // bars are of coefficients times deviations
	Sets   []set
	Graph  template.HTML
}

// A judgement says whether a fit has the accuracy that was asked for.
type judgement struct {
	Good                   bool
	Status, Result, Remedy string
}

// A grid has a line for each lambda, or class.
type grid struct {
	Head []string
	Rows [][]string
}

// A bar shows a coefficient. Its length is the coefficient times the standard deviation of the
// feature, if that is known, in percent of the longest bar. It begins at From.
type bar struct {
	Feature             string
	Coefficient, Length float64
	From, Width         float64
	Sign                string // of a class in the page
}

// A set is a group of equal coefficients, with its colour in the picture of the graph.
type set struct {
	Colour, Size, Coefficient, Members string
	More                               int // members that are not listed
}

// The largest numbers of coefficients and groups on a page, and of names of a group.
const maxBars, maxMembers = 50, 40

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"grouped": grouped[int], "number": func(v number) string { return fmt.Sprintf("%.6g", v) },
	"coefficient": func(v float64) string { return fmt.Sprintf("%.6g", v) },
}).Parse(pageText))

func (p *page) write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// output is the page that compose makes.
func (c *pageFlags) output(compose func() (*page, error)) output {
	return output{"--report", c.Report, func(w io.Writer) error {
		p, err := compose()
		if err != nil {
			return err
		}
		return p.write(w)
	}}
}

// newPage returns a page about the data in a file.
func (e *env) newPage(command, data string) *page {
	return &page{Command: "scas " + command, Data: dataName(data), Version: version, Line: commandLine(e.args)}
}

// judge sets the verdict of the page. err is the error that the command will return.
func (p *page) judge(objective number, of proof, err error) {
	p.Verdict = judgement{Good: of.Status == solver.Converged && err == nil && !of.NoOptimum, Status: "Not converged.", Result: fmt.Sprintf("The objective is %.10g. ", objective)}
	switch {
	case p.Verdict.Good:
		p.Verdict.Status = "Converged."
	case of.NoOptimum:
		p.Verdict.Status, p.Verdict.Remedy = "There is no optimum.", noOptimumReason
	case err == nil:
		p.Verdict.Status = "The passes are made; nothing was to be proved."
	}
	switch {
	case of.NoOptimum && isFinite(float64(of.DualityGap)):
		p.Verdict.Result += fmt.Sprintf("It is proved to be at most %.2g above the bound that it falls to.", of.DualityGap)
	case isFinite(float64(of.DualityGap)):
		p.Verdict.Result += fmt.Sprintf("It is %s.", closeness(of.RelativeGap, of.DualityGap, "the optimum"))
	default:
		p.Verdict.Result += "How far it is above the optimum is not proved."
	}
	p.remedy(err)
}

// judgeAll says how many of the fits have converged. There is one fit for each lambda or class: what.
func (p *page) judgeAll(fits []proof, what string, err error) {
	converged, relative, gap := 0, number(0), number(0) // the worst ones
	for _, f := range fits {
		if f.Status == solver.Converged {
			converged++
		}
		relative, gap = max(relative, f.RelativeGap), max(gap, f.DualityGap) // NaN wins
	}
	p.Verdict = judgement{Good: converged == len(fits) && err == nil, Status: "Not converged everywhere."}
	if p.Verdict.Good {
		p.Verdict.Status = "Converged."
	}
	p.Verdict.Result = fmt.Sprintf("%s of %s converged. ", grouped(converged), plural(len(fits), what))
	if isFinite(float64(gap)) {
		p.Verdict.Result += fmt.Sprintf("Every objective is %s.", closeness(relative, gap, "its optimum"))
	} else {
		p.Verdict.Result += "For some, nothing is proved."
	}
	p.remedy(err)
}

func (p *page) remedy(err error) {
	if err != nil {
		p.Verdict.Remedy = describe(err)
	}
}

// show adds a part for each column of a model, of which of says which model it is.
func (p *page) show(of string, m *model.Model, g *graph.Graph) error {
	classes := severalClasses(m)
	if classes == nil {
		return p.showOne(of, m, 0, g)
	}
	for _, k := range p.shown(classes) {
		if err := p.showOne(strings.TrimSpace("of class "+classes[k]+" "+of), m, k, g); err != nil {
			return err
		}
	}
	return nil
}

// shown are the numbers of the classes that have a part: of many those that are found worst.
func (p *page) shown(classes []string) []int {
	order := make([]int, len(classes))
	for k := range order {
		order[k] = k
	}
	if len(classes) <= manyClasses {
		return order
	}
	which := "first"
	if p.scores != nil {
		order, which = p.scores.byF1(), "worst, by F1,"
	}
	p.Left = fmt.Sprintf("The coefficients are those of the %d %s of %s; scas model show --json has all.", manyClasses, which, plural(len(classes), "class"))
	return order[:manyClasses]
}

// showOne adds the coefficients and groups of a column, and the picture of its graph if it
// has one that can be drawn.
func (p *page) showOne(of string, m *model.Model, k int, g *graph.Graph) error {
	column := &m.Columns[k]
	t := part{Of: of, Model: newColumnReport(m, k, maxBars), P: len(column.Coefficients), Scaled: p.deviations != nil}
	for _, j := range largest(column.Coefficients, p.deviations, maxBars) {
		b := bar{Feature: coefficientName(m.Features, m.IndexBase, j), Coefficient: column.Coefficients[j], Length: column.Coefficients[j], Sign: "above"}
		if t.Scaled {
			b.Length *= p.deviations[j]
		}
		t.Bars = append(t.Bars, b)
	}
	for k := range t.Bars {
		b := &t.Bars[k]
		if first := math.Abs(t.Bars[0].Length); first > 0 {
			b.Width = math.Abs(b.Length) / first * 100
		}
		if b.Length < 0 {
			b.From, b.Sign = -b.Width, "below"
		}
	}
	for k, tied := range t.Model.Tied {
		shown := min(maxMembers, len(tied.Features))
		t.Sets = append(t.Sets, set{
			Colour: draw.Colour(k), Size: plural(len(tied.Features), "feature"), Coefficient: fmt.Sprintf("%.6g", tied.Coefficient),
			Members: strings.Join(tied.Features[:shown], ", "), More: len(tied.Features) - shown,
		})
	}
	var err error
	if g != nil && len(g.Edges()) > 0 && draw.Fits(g) {
		t.Graph, err = inline(func(w io.Writer) error { return drawTied(w, g, m, k) })
	}
	p.Parts = append(p.Parts, t)
	return err
}

// Folded reports whether the lines of the table are seen only when a reader asks.
func (p *page) Folded() bool { return p.Each == "class" && len(p.Table.Rows) > manyClasses }

// Zeros is the number of coefficients that are zero.
func (t part) Zeros() int { return t.P - t.Model.NNZX }

// Left returns where the leftmost bar begins, in percent of the longest bar.
func (t part) Left() (left float64) {
	for _, b := range t.Bars {
		left = min(left, b.From)
	}
	return left
}

// Span is how far the bars reach, from Left on.
func (t part) Span() (span float64) {
	for _, b := range t.Bars {
		span = max(span, b.From+b.Width)
	}
	return span - t.Left()
}

// measure sets the metrics of the model on its training data, and the deviations of the features. It
// does nothing out of core, where it would take one more pass.
func (p *page) measure(m *model.Model, data *sparse.Dataset, beyond bool) error {
	if beyond {
		return nil
	}
	p.deviations = data.X.ColumnStats().StdDev()
	r, err := (&predictCmd{Metrics: true}).measure(m, data)
	if err != nil {
		return err
	}
	p.Metrics = r.table()
	if !m.Classes.IsZero() {
		p.scores = (*confusionTable)(r.Metrics.ClassMetrics)
		p.Heat = p.scores.heatMap()
	}
	return nil
}

// drawTied draws a graph. Features of a group of equal coefficients have one colour, the same as in the
// list of groups on a page. Features with coefficient 0 are faint.
func drawTied(w io.Writer, g *graph.Graph, m *model.Model, k int) error {
	column := &m.Columns[k]
	names := make([]string, g.Nodes())
	sets := &draw.Sets{Of: make([]int, g.Nodes()), Plain: "a coefficient of its own", Faint: "coefficient 0"}
	for j, v := range column.Coefficients {
		names[j] = coefficientName(m.Features, m.IndexBase, j)
		if sets.Of[j] = draw.Plain; v == 0 {
			sets.Of[j] = draw.Faint
		}
	}
	for k, group := range largestGroups(column) {
		sets.Names = append(sets.Names, fmt.Sprintf("%s at %.4g", plural(len(group), "feature"), column.Coefficients[group[0]]))
		for _, j := range group {
			sets.Of[j] = k
		}
	}
	return draw.SVGSets(w, g, names, sets)
}

// inline is a picture within a page: without the lines that begin a file of SVG.
func inline(fill func(io.Writer) error) (template.HTML, error) {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return "", err
	}
	at := bytes.Index(b.Bytes(), []byte("<svg"))
	if at < 0 {
		return "", errors.New("drawing: no picture")
	}
	return template.HTML(b.Bytes()[at:]), nil // names are escaped by what draws
}

// plain matches the words that a shell takes unchanged.
var plain = regexp.MustCompile(`^[-A-Za-z0-9_./:=,%+@]+$`)

// commandLine returns the command line, quoted for a POSIX shell.
func commandLine(args []string) string {
	words := []string{"scas"}
	for _, a := range args {
		if !plain.MatchString(a) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
