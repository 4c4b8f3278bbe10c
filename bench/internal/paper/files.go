package paper

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
)

// Names of the files made from the results.
const (
	ReportFile = "report.html"
	TableFile  = "table1.csv"
	ClaimsFile = "claims.csv"
)

// A File is one of the report's.
type File struct {
	Name, Text string
}

//go:embed report.tmpl
var reportText string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"num": func(v float64) string { return short(v, 3) }, "bytes": byteSize, "percent": func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
	"ms": func(ns float64) string { return short(ns/1e6, 3) }, "fitted": fitted, "counts": func(m solver.Method) string { return traitsOf(m).Counts },
	"own": func(m solver.Method) string { return traitsOf(m).Own },
}).Parse(reportText))

// page is what the template gets.
type page struct {
	Protocol   Protocol
	Machine    []string
	Facts      []*Facts
	Optima     []optimumRange
	Problems   []problemPart
	Table      []Row
	Methods    []solver.MethodInfo
	Bounds     []boundPart
	Printed    []printedCondition
	Statements []statementPart
	Missing    []string // data sets without results
	Memory     []memoryNote
	Timed      int // splits at most
}

type problemPart struct {
	Data    string
	Mu      float64
	Open    bool
	Facts   *Facts
	Figures []Figure
}

type boundPart struct {
	*Bound
	Figure *Figure
}

type statementPart struct {
	Statement
	Claims   []Claim
	Held, Of int
	Open     int // undecided
	Overall  Verdict
}

// Files makes the report, its tables and its figures. machine has the facts of
// the machine, one per line.
func (r *Results) Files(ctx context.Context, machine []string) ([]File, error) {
	bounds, figures, err := measureBounds(ctx, r.PNG)
	if err != nil {
		return nil, err
	}
	claims := append(r.Claims(), boundClaims(bounds)...)
	rows := r.Table1()
	var csvClaims, csvTable, html bytes.Buffer
	if err := WriteClaims(&csvClaims, claims); err != nil {
		return nil, err
	}
	if err := WriteTable(&csvTable, rows); err != nil {
		return nil, err
	}
	p := r.page(machine, rows, claims)
	for k, b := range bounds {
		p.Bounds = append(p.Bounds, boundPart{b, &figures[k]})
	}
	if err := r.draw(p); err != nil {
		return nil, err
	}
	if err := reportTemplate.Execute(&html, p); err != nil {
		return nil, err
	}
	files := []File{{ReportFile, html.String()}, {TableFile, csvTable.String()}, {ClaimsFile, csvClaims.String()}}
	for _, part := range p.Problems {
		figures = append(figures, part.Figures...)
	}
	for _, f := range figures {
		files = append(files, File{"figures/" + f.Name + ".svg", f.File}, File{"figures/" + f.Name + ".csv", f.CSV})
		if r.PNG {
			files = append(files, File{"figures/" + f.Name + ".png", f.PNG})
		}
	}
	return files, nil
}

func measureBounds(ctx context.Context, bitmap bool) ([]*Bound, []Figure, error) {
	var bounds []*Bound
	var figures []Figure
	for _, theorem := range []func(context.Context) (*Bound, error){Theorem1, Theorem2} {
		b, err := theorem(ctx)
		if err != nil {
			return nil, nil, err
		}
		f, err := boundFigure(b, bitmap)
		if err != nil {
			return nil, nil, err
		}
		bounds, figures = append(bounds, b), append(figures, *f)
	}
	return bounds, figures, nil
}

// page fills in all but the figures.
func (r *Results) page(machine []string, rows []Row, claims []Claim) *page {
	p := &page{Protocol: r.Protocol, Machine: machine, Table: rows, Methods: infos(), Optima: r.optima(), Printed: r.printed(), Memory: r.memoryNotes(), Timed: r.timed()}
	for _, s := range r.Protocol.Specs() {
		f := r.Store.Facts(s.Name)
		if f == nil {
			p.Missing = append(p.Missing, s.Name)
			continue
		}
		p.Facts = append(p.Facts, f)
		for k, mu := range r.Protocol.mus(s) {
			if r.begun(s, mu) {
				p.Problems = append(p.Problems, problemPart{Data: s.Name, Mu: mu, Open: k == 0, Facts: f})
			}
		}
	}
	for _, s := range Statements {
		part := statementPart{Statement: s, Overall: Undecided}
		for _, c := range claims {
			if c.ID == s.ID {
				part.Claims = append(part.Claims, c)
				part.Of++
				switch c.Verdict {
				case Reproduced:
					part.Held++
				case Undecided:
					part.Open++
				}
			}
		}
		if part.Of > 0 {
			switch {
			case part.Held == part.Of:
				part.Overall = Reproduced
			case part.Held > 0:
				part.Overall = InPart
			case part.Open < part.Of:
				part.Overall = NotReproduced
			}
		}
		p.Statements = append(p.Statements, part)
	}
	return p
}

// timed returns on how many splits seconds were measured, at most.
func (r *Results) timed() int {
	count := 0
	for split := range r.Timings.Splits {
		for _, s := range r.Protocol.Specs() {
			if slices.ContainsFunc(r.Protocol.keys(s, split), func(k Key) bool { return r.Timings.Get(k) != nil }) {
				count = split + 1
			}
		}
	}
	return count
}

// draw makes the figures.
func (r *Results) draw(p *page) (err error) {
	for k := range p.Problems {
		part := &p.Problems[k]
		if part.Figures, err = r.figures(part.Data, part.Mu); err != nil {
			return err
		}
	}
	return nil
}

// optimumRange sums up the reference values of a problem.
type optimumRange struct {
	Data          string
	Mu, Low, High float64
	Gap           float64 // largest; −1 if unknown
	By            string
	Splits        int
}

func (r *Results) optima() []optimumRange {
	var out []optimumRange
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.mus(s) {
			o := optimumRange{Data: s.Name, Mu: mu, Low: math.Inf(1), High: math.Inf(-1)}
			for _, split := range r.splits(s.Name, mu) {
				if one := r.Store.Optimum(s.Name, mu, split); one != nil {
					o.Splits++
					o.Low, o.High, o.By = math.Min(o.Low, one.Objective), math.Max(o.High, one.Objective), one.By
					if o.Gap = math.Max(o.Gap, one.Gap); one.Gap < 0 {
						o.Gap = -1
					}
				}
			}
			if o.By != "" {
				out = append(out, o)
			}
		}
	}
	return out
}

// printedCondition says why Theorem 2 as printed cannot be met on a problem: C2
// can hold only for rho below Limit.
type printedCondition struct {
	Data               string
	Mu                 float64
	Lambda1, LambdaP   float64
	Limit, Rho, Lambda float64
	Inner              float64 // M that the relaxed conditions ask for, in passes
}

func (r *Results) printed() []printedCondition {
	var out []printedCondition
	for _, s := range r.Protocol.Specs() {
		f := r.Store.Facts(s.Name)
		for _, mu := range r.Protocol.mus(s) {
			u := r.Store.Unit(Key{s.Name, mu, solver.SCASStrong, 0})
			if mu == 0 || u == nil || f == nil {
				continue
			}
			nuF := f.NuF + mu
			nuL := nuF + u.Rho*f.Lambda1
			m := math.Ceil(32*nuF*nuF/(mu*mu) + 4*nuL/mu)
			out = append(out, printedCondition{s.Name, mu, f.Lambda1, f.LambdaP, mu / (f.Lambda1 - f.LambdaP), u.Rho, f.Lambda, m / (float64(f.Rows) / 2)})
		}
	}
	return out
}

// memoryNote is what the methods that claim 4 is about need, as measured.
type memoryNote struct {
	Data                              string
	SCAS, SCASL, SA, SAIU, SAG, SAGIU float64
	Plan                              string
}

func (r *Results) memoryNotes() []memoryNote {
	var out []memoryNote
	for _, s := range r.Protocol.Specs() {
		bytes := func(m solver.Method) float64 {
			for _, mu := range r.Protocol.mus(s) {
				if t := r.Timings.Get(Key{s.Name, mu, m, 0}); t != nil {
					return t.Bytes
				}
			}
			return math.NaN()
		}
		n := memoryNote{Data: s.Name, SCAS: bytes(solver.SCAS), SCASL: bytes(solver.SCASL), SA: bytes(solver.SA), SAIU: bytes(solver.SAIU), SAG: bytes(solver.SAG), SAGIU: bytes(solver.SAGIU)}
		if t := r.Timings.Get(Key{s.Name, 0, solver.SCAS, 0}); t != nil {
			n.Plan = t.Plan
		}
		if !math.IsNaN(n.SCAS) {
			out = append(out, n)
		}
	}
	return out
}

// short writes a number for people; NaN is empty.
func short(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v != 0 && (math.Abs(v) < 1e-3 || math.Abs(v) >= 1e6):
		return fmt.Sprintf("%.*e", digits-2, v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

func byteSize(v float64) string {
	switch {
	case math.IsNaN(v) || v == 0:
		return ""
	case v < 1<<20:
		return fmt.Sprintf("%.0f KiB", v/(1<<10))
	case v < 1<<30:
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", v/(1<<30))
}

// fitted writes an exponent; gaps that fall faster than any power in sight are
// said to.
func fitted(v float64) string {
	switch {
	case math.IsNaN(v):
		return "ends at rounding"
	case v > 6:
		return fmt.Sprintf("T^−%.0f, faster than a power", v)
	}
	return fmt.Sprintf("T^−%.2f", v)
}

// Text is the summary for a terminal.
func (r *Results) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-6s %-13s %-8s %9s %9s %10s\n", "data", "mu", "method", "curve", "gap at 10", "at end", "test loss")
	for _, row := range r.Table1() {
		fmt.Fprintf(&b, "%-8s %-6g %-13s %-8s %9s %9s %10.5f\n", row.Data, row.Mu, row.Info.Name, row.Output, short(row.Gap10, 3), short(row.GapEnd, 3), row.TestEnd)
	}
	return b.String()
}
