package report

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// Names of the files of the report.
const (
	PageFile   = "report.html"
	tableFile  = "table1.csv"
	claimsFile = "claims.csv"
)

//go:embed report.tmpl
var pageText string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"num": number, "rule": func(r paper.Rule) string { return ruleNames[r] },
	"percent": func(v float64) string { return number(100 * v) },
	"ms":      func(ns float64) string { return number(ns / 1e6) },
	"mib":     func(bytes float64) string { return number(bytes / (1 << 20)) },
}).Parse(pageText))

// A page holds the data for pageTemplate, the template of the report.
type page struct {
	Protocol  paper.Protocol
	Rules     []paper.Rule
	Machines  [][]string // for each machine on which runs were timed, a description in lines of text
	Data      []*paper.DataSummary
	Optima    []optimumRange
	Overviews []*figure
	Problems  []section
	Methods   []paper.Traits
	Bounds    []*bound
	Printed   []printedCondition
	Claims    []result
	Memory    []memoryNote
}

// A section is the part of the page about one problem.
type section struct {
	Mu      float64
	Open    bool // whether the page shows the section unfolded
	Label   string
	Figures []*figure
	Table   []row
}

// Make returns the files of the report, with paths relative to the report's directory. summary describes
// the claims in a text for a terminal.
func Make(ctx context.Context, r *paper.Records) (files []output.File, summary string, err error) {
	list := problems(r)
	pg := &page{
		Protocol: r.Protocol, Rules: paper.Rules(), Machines: r.Machines, Methods: r.Methods(),
		Optima: optima(list), Printed: printedConditions(list), Claims: results(list),
		Memory: memoryNotes(list),
	}
	pg.Bounds, err = bounds(ctx)
	if err != nil {
		return nil, "", err
	}
	pg.Overviews, err = overviews(list)
	if err != nil {
		return nil, "", err
	}
	allFigures := slices.Clone(pg.Overviews)
	for _, b := range pg.Bounds {
		allFigures = append(allFigures, b.Figure)
	}
	var table []row
	for k, p := range list {
		sec := section{
			Mu: p.mu, Label: p.label(), Table: p.table1(), Open: k == 0 || list[k-1].Name != p.Name,
		}
		if sec.Open {
			pg.Data = append(pg.Data, p.DataSummary)
		}
		sec.Figures, err = p.figures()
		if err != nil {
			return nil, "", err
		}
		pg.Problems = append(pg.Problems, sec)
		table = append(table, sec.Table...)
		allFigures = append(allFigures, sec.Figures...)
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, pg); err != nil {
		return nil, "", err
	}
	files = []output.File{
		{Path: PageFile, Text: html.String()}, {Path: tableFile, Text: tableCSV(table)},
		{Path: claimsFile, Text: claimsCSV(pg.Claims)},
	}
	for _, f := range allFigures {
		files = append(files, output.File{Path: "figures/" + f.Name + ".svg", Text: f.file})
		if f.csv != "" {
			files = append(files, output.File{Path: "figures/" + f.Name + ".csv", Text: f.csv})
		}
	}
	return files, claimsText(pg.Claims), nil
}

// number returns a number as text for people: "" for NaN, a whole number from about 1,000 to a million,
// otherwise three digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v) >= 999.5 && math.Abs(v) < 1e6:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// csvNumber returns a number as text with at most the given number of digits, or "" for NaN. With −1 digits
// the text has as many digits as the number needs.
func csvNumber(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
