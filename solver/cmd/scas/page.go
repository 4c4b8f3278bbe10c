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
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/draw"
)

type pageFlags struct {
	Report string `placeholder:"FILE" help:"Write a page of HTML that explains the fit: what was fitted, whether it converged, the largest coefficients, pictures." group:"What is written:"`
}

// A page is the content of the HTML file of --report. The file has no scripts, and needs no other file.
type page struct {
	Command string // name of the command, such as scas train
	Data    string
	Summary summary // the summary that the command prints
	Verdict judgement
	Metrics summary  // metrics on the training data
	Heat    *heatMap // picture of the confusion table, or nil
	Plot    template.HTML
	Models  []modelSection
	Omitted string // a sentence that says which classes have a section; empty if all have
	Each    string // "lambda" or "class": what each of several fits is for, and what a row of Table describes
	Table   grid
	Line    string // command line
	Ranks   int    // number of ranks; 1 without --dist
	Version string

	classMetrics *confusionTable // metrics of several classes on the training data, or nil
	deviations   []float64       // standard deviations of the features in the training data, or nil
	graph        *graph.Graph    // the graph of --graph, or nil
}

// A modelSection is the section of a page about one model, such as the model of one class.
type modelSection struct {
	Which  string // says which model, such as "at the last lambda"; empty if there is only one model
	Model  *columnReport
	Bars   []bar
	Scaled bool // whether Bars has coefficients times standard deviations
	Sets   []set
	Graph  template.HTML
}

// A judgement says whether the fits of a page have the accuracy that was asked for and, if not, what to do.
type judgement struct {
	Good           bool
	Status, Remedy string
}

// A bar shows a coefficient. Length is the coefficient, multiplied by the standard deviation of the feature
// if this is known. From is the left end of the bar on an axis whose point 0 is coefficient 0. From and Width
// are in percent of the widest bar.
type bar struct {
	Feature             string
	Coefficient, Length float64
	From, Width         float64
}

// A set is a group of equal coefficients. Colour is its colour in the picture of the graph.
type set struct {
	Colour, Size, Coefficient, Members string
	More                               int // number of features that Members leaves out
}

// A section has at most maxBars coefficients and maxBars groups. It names at most maxMembers features of a
// group.
const maxBars, maxMembers = 50, 40

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"grouped": groupDigits[int], "number": func(v number) string { return fmt.Sprintf("%.6g", v) },
	"coefficient": func(v float64) string { return fmt.Sprintf("%.6g", v) }, "opacity": opacity,
}).Parse(pageText))

func (p *page) write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// output returns the output of --report. compose makes the page.
func (c *pageFlags) output(compose func() (*page, error)) output {
	return output{"--report", c.Report, func(w io.Writer) error {
		p, err := compose()
		if err != nil {
			return err
		}
		return p.write(w)
	}}
}

func (r *problemReport) newPage(e *env, command, each string) *page {
	return &page{
		Command: "scas " + command, Data: dataName(r.file), Version: version, Line: commandLine(e.args),
		Ranks: r.Ranks, Each: each, deviations: r.trainingStats.deviations, graph: r.fitSpec.spec.Graph,
	}
}

// judge sets the verdict of a page about fits. err is the error that the command will return.
func (p *page) judge(fits []proof, err error) {
	noOptimumCount, allConverged := 0, true
	for _, f := range fits {
		allConverged = allConverged && f.Status == solver.Converged
		if f.NoOptimum {
			noOptimumCount++
		}
	}
	switch v := &p.Verdict; {
	case err != nil:
		v.Status, v.Remedy = "Not converged.", describe(err)
	case noOptimumCount > 0 && len(fits) > 1:
		v.Status, v.Remedy = fmt.Sprintf("There is no optimum for %s.",
			plural(noOptimumCount, p.Each)), noOptimumReason
	case noOptimumCount > 0:
		v.Status, v.Remedy = "There is no optimum.", noOptimumReason
	case !allConverged:
		v.Status = "The passes are made; nothing was to be proved."
	default:
		v.Good, v.Status = true, "Converged."
	}
}

// addSections adds a section about m. If m has a column for each class, addSections adds a section for each
// class that chooseClasses chooses. title names the model, such as "at the last lambda".
func (p *page) addSections(title string, m *model.Model) error {
	if len(m.Columns) == 1 {
		return p.addSection(title, m, 0)
	}
	classes := m.Classes.All()
	for _, k := range p.chooseClasses(classes) {
		if err := p.addSection(strings.TrimSpace("of class "+classes[k]+" "+title), m, k); err != nil {
			return err
		}
	}
	return nil
}

// chooseClasses returns the indices of the classes that get a section: all classes, or manyClasses of them if
// there are more. In the second case it sets p.Omitted.
func (p *page) chooseClasses(classes []string) []int {
	order := sequence(0, len(classes))
	if len(classes) <= manyClasses {
		return order
	}
	orderText := "first"
	if p.classMetrics != nil {
		order, orderText = p.classMetrics.byF1(), "worst, by F1,"
	}
	p.Omitted = fmt.Sprintf("The coefficients are those of the %d %s of %s; scas model show --json has all.",
		manyClasses, orderText, plural(len(classes), "class"))
	return order[:manyClasses]
}

// addSection adds a section about column k of a model. If the graph of the page has edges and is small enough
// (see draw.Fits), the section has a picture of it.
func (p *page) addSection(title string, m *model.Model, k int) error {
	column := &m.Columns[k]
	t := modelSection{
		Which: title, Model: newColumnReport(m, k, maxBars), Scaled: p.deviations != nil,
	}
	longest := 0.0 // the length of the first bar
	for _, j := range largestCoefficients(column.Coefficients, p.deviations, maxBars) {
		b := bar{
			Feature: coefficientName(m.Features, m.IndexBase, j), Coefficient: column.Coefficients[j],
			Length: column.Coefficients[j],
		}
		if t.Scaled {
			b.Length *= p.deviations[j]
		}
		longest = max(longest, math.Abs(b.Length))
		if longest > 0 {
			percent := 100 * b.Length / longest
			b.From, b.Width = min(0, percent), math.Abs(percent)
		}
		t.Bars = append(t.Bars, b)
	}
	for k, tied := range t.Model.LargestGroups {
		shownCount := min(maxMembers, len(tied.Features))
		t.Sets = append(t.Sets, set{
			Colour: draw.Colour(k), Size: plural(len(tied.Features), "feature"),
			Coefficient: fmt.Sprintf("%.6g", tied.Coefficient),
			Members:     strings.Join(tied.Features[:shownCount], ", "),
			More:        len(tied.Features) - shownCount,
		})
	}
	var err error
	if g := p.graph; g != nil && len(g.Edges()) > 0 && draw.Fits(g) {
		t.Graph, err = inlineSVG(func(w io.Writer) error { return drawTied(w, g, m, k) })
	}
	p.Models = append(p.Models, t)
	return err
}

// Folded reports whether the page hides the rows of the table until a reader opens them.
func (p *page) Folded() bool { return p.Each == "class" && len(p.Table.Rows) > manyClasses }

// A trainingStats has the metrics of a model on the fitted rows of all ranks, and the standard deviations of
// the features. Each is nil if it was not computed.
type trainingStats struct {
	metrics    *model.Metrics
	deviations []float64
}

// computeTrainingStats returns the metrics and standard deviations that --report shows. They are nil if
// --report is not given, or if the fit is out of core. All ranks must call computeTrainingStats.
func (r *ranks) computeTrainingStats(s *fitSpec, m *model.Model, c *pageFlags) (t trainingStats, err error) {
	t.deviations = r.deviations(s, c)
	if t.deviations != nil {
		t.metrics, err = r.score(s, m, false)
	}
	return t, err
}

// deviations returns the standard deviations of the features for --report. It returns nil if --report is not
// given, or if the fit is out of core. All ranks must call deviations.
func (r *ranks) deviations(s *fitSpec, c *pageFlags) []float64 {
	if c.Report == "" || s.outOfCore() {
		return nil
	}
	stats := s.data.X.ColumnStats()
	r.team.CombineColumns(stats)
	return stats.StdDev()
}

// addMetrics adds the metrics of m on the training data, if they were computed.
func (p *page) addMetrics(m *model.Model, r *problemReport) {
	trained := r.trainingStats.metrics
	if trained == nil {
		return
	}
	weighted := r.SampleWeights != ""
	p.Metrics = newPredictReport(m, trained, true, weighted).summary()
	p.Metrics.addIf(weighted, "weights", "a row counts as often as its weight says")
	if len(m.Columns) > 1 {
		p.classMetrics = (*confusionTable)(trained.Classes)
		p.Heat = p.classMetrics.heatMap()
	}
}

// drawTied draws g as SVG. The features of a group of equal coefficients in column k of m have one colour.
// Features with coefficient 0 are faint.
func drawTied(w io.Writer, g *graph.Graph, m *model.Model, k int) error {
	column := &m.Columns[k]
	names := make([]string, g.Nodes())
	sets := &draw.Sets{
		SetOf: make([]int, g.Nodes()), Plain: "a coefficient of its own", Faint: "coefficient 0",
	}
	for j, v := range column.Coefficients {
		names[j] = coefficientName(m.Features, m.IndexBase, j)
		sets.SetOf[j] = draw.Plain
		if v == 0 {
			sets.SetOf[j] = draw.Faint
		}
	}
	for k, group := range largestGroups(column) {
		sets.Names = append(sets.Names,
			fmt.Sprintf("%s at %.4g", plural(len(group), "feature"), column.Coefficients[group[0]]))
		for _, j := range group {
			sets.SetOf[j] = k
		}
	}
	return draw.SVG(w, g, names, sets)
}

// inlineSVG returns the element svg of the SVG that fill writes, without the lines before it.
func inlineSVG(fill func(io.Writer) error) (template.HTML, error) {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return "", err
	}
	svgStart := bytes.Index(b.Bytes(), []byte("<svg"))
	if svgStart < 0 {
		return "", errors.New("drawing: no picture")
	}
	return template.HTML(b.Bytes()[svgStart:]), nil // the names in the picture are escaped
}

// unquotedWord matches a word that needs no quotes in a shell.
var unquotedWord = regexp.MustCompile(`^[-A-Za-z0-9_./:=,%+@]+$`)

// commandLine returns the command line of scas with args, quoted for a POSIX shell.
func commandLine(args []string) string {
	words := []string{"scas"}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// shellWord returns word, quoted for a POSIX shell if it needs quotes.
func shellWord(word string) string {
	if unquotedWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
