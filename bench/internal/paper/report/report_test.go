package report

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func tinyData(t *testing.T) *paper.Data {
	t.Helper()
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 240, Features: 15, Noise: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := paper.Spec{Name: "tiny", Features: 15, Lambda: 1e-2}
	s.MakeGraph = func(*sparse.CSR) (*graph.Graph, error) { return graph.Chain(15), nil }
	data, err := s.Build(d.Dataset, paper.File{Origin: "synthetic"})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tinyRecords runs an experiment with the methods of the claims, and two others, on the given data, and
// stores the records in dir.
func tinyRecords(t *testing.T, dir string, data *paper.Data) *paper.Records {
	t.Helper()
	pr := paper.QuickProtocol()
	pr.Splits, pr.SplitsOfOthers, pr.SplitsOnHalf = 2, 1, 1
	pr.Methods = []paper.Method{scas, scasStrong, scasK, stoc, sa, svrg, batch, batchCG, batchLinear, "oadm"}
	pr.Data, pr.TuneSamples, pr.Passes = []string{"tiny"}, 60, 10
	r := openRecords(t, dir, pr)
	e := &paper.Experiment{Records: r, TimedSplits: 1, Machine: []string{"cpu: that it was measured on"}}
	if err := e.Run(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	return r
}

func openRecords(t *testing.T, dir string, pr paper.Protocol) *paper.Records {
	t.Helper()
	r, err := paper.Open(dir, pr)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reportFiles(t *testing.T, r *paper.Records) map[string]string {
	t.Helper()
	list, _, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		out[f.Path] = f.Text
	}
	return out
}

func TestReport(t *testing.T) {
	dir, data := t.TempDir(), tinyData(t)
	r := tinyRecords(t, dir, data)
	contents := reportFiles(t, r)
	t.Run("claims", func(t *testing.T) { checkClaims(t, r, contents) })
	t.Run("page", func(t *testing.T) { checkPage(t, contents) })
	t.Run("retuning", func(t *testing.T) { checkRetuning(t, r, data) })
	secondContents := reportFiles(t, openRecords(t, dir, r.Protocol))
	for name, text := range contents {
		if secondContents[name] != text {
			t.Errorf("%s differs between two reports:\n%s\n%s", name, text, secondContents[name])
		}
	}
	if _, timed := contents["figures/tiny-mu0-main-seconds.svg"]; !timed {
		t.Error("there is no figure over seconds")
	}
	t.Run("failed run", func(t *testing.T) { checkFailed(t, r) })
	clear(r.Timings)
	figures, err := problems(r)[0].figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if strings.Contains(f.Name, "seconds") {
			t.Errorf("%s is drawn of no seconds", f.Name)
		}
	}
}

// fail makes a run of the records fail, and returns a function that restores it.
func fail(t *testing.T, r *paper.Records, k paper.Key) (restore func()) {
	t.Helper()
	u := r.Runs[k]
	if u == nil {
		t.Fatalf("no run %v", k)
	}
	r.Runs[k] = &paper.TunedRun{Key: k, Tuned: u.Tuned, Failed: "for the test"}
	return func() { r.Runs[k] = u }
}

// checkFailed lets a run of STOC-ADMM fail on one split. The value of every claim about STOC-ADMM must then
// be infinite.
func checkFailed(t *testing.T, r *paper.Records) {
	t.Helper()
	defer fail(t, r, paper.Key{Data: "tiny", Method: stoc, Split: 1, Rule: paper.Sampled, Output: paper.Average})()
	for _, c := range claims {
		if !slices.Contains([]string{"2a", "2b", "2d", "4a", "4b"}, c.ID) {
			continue
		}
		if e := c.compare(problems(r)[0], paper.Sampled).Second; !math.IsInf(e.Value, 1) {
			t.Errorf("claim %s: %s has the value %g, want +Inf", c.ID, e.Name, e.Value)
		}
	}
}

// checkClaims checks that every claim has a row in claimsFile with first_value and second_value, and that the
// numbers of splits of claims 1a and 3a are right. It also checks texts of the figures and the page, and the
// links of the page.
func checkClaims(t *testing.T, r *paper.Records, contents map[string]string) {
	t.Helper()
	for name, phrase := range map[string]string{
		"figures/figure-1.svg": "STOC-ADMM, average", "figures/figure-2-mu0.01.svg": "mu = 0.01, Algorithm 2",
		// The methods that the paper's figures do not show were run on one of the two splits.
		"figures/tiny-mu0-successors.svg": "successors and our variants; splits: 1",
	} {
		if !strings.Contains(contents[name], phrase) {
			t.Errorf("%s does not say %q", name, phrase)
		}
	}
	page := contents[PageFile]
	if phrase := "cpu: that it was measured on"; !strings.Contains(page, phrase) {
		t.Errorf("the page does not say %q", phrase)
	}
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("nothing on the page is #%s", link[1])
		}
	}
	for _, p := range problems(r) {
		c := p.chart(panel{kind: overview})
		if c.Title != "tiny (stand-in), splits: 2" || c.Lines[0].Name != "SCAS-ADMM, last" || c.Lines[0].Series != 0 {
			t.Errorf("mu %g: the chart %q begins with %s, series %d", p.mu, c.Title, c.Lines[0].Name, c.Lines[0].Series)
		}
		// The curve over seconds must not depend on how passes are counted.
		l := line{method: batch, output: paper.Last, rule: paper.Sampled}
		byPaperLine := l
		byPaperLine.axis = byPaper
		a, b := p.overSeconds(l, []int{0}, gap), p.overSeconds(byPaperLine, []int{0}, gap)
		if len(a.X) < 2 || !slices.Equal(a.X, b.X) {
			t.Errorf("mu %g: by the paper's count the seconds are %v, by passes %v", p.mu, b.X, a.X)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(contents[claimsFile])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		value := func(column string) string { return row[slices.Index(rows[0], column)] }
		// A claim is evaluated on the splits on which all its methods were run: one split for claim 1a, and
		// two for claim 3a.
		if splits := value("splits"); value("parameters") == "chosen on samples" &&
			(row[0] == "1a" && splits != "1" || row[0] == "3a" && splits != "2") {
			t.Errorf("%v compares %s splits", row[:4], splits)
		}
		seen[row[0]] = seen[row[0]] || value("first_value") != "" && value("second_value") != ""
	}
	for _, c := range claims {
		if !seen[c.ID] {
			t.Errorf("claim %s has no numbers", c.ID)
		}
	}
}

// checkRetuning checks that Retune, which tunes the method with the larger gap again, does not make the ratio
// of the gaps worse for this method. If the run of a method failed, Retune must say so, and still tune the
// methods of the other claims.
func checkRetuning(t *testing.T, r *paper.Records, data *paper.Data) {
	t.Helper()
	text, err := Retune(t.Context(), r, data, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3a", "2b", "chosen on samples", "chosen on the half", "of 24 more the best"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		var oldRatio, newRatio float64
		_, numbers, _ := strings.Cut(line, "ratio ")
		if _, err := fmt.Sscanf(numbers, "%g tuned again %g", &oldRatio, &newRatio); err != nil {
			continue // the line has no ratio, or a ratio that is only a bound, such as "at least 3"
		}
		if oldRatio > 1 && newRatio > oldRatio || oldRatio < 1 && newRatio < oldRatio {
			t.Errorf("tuning the side that is behind makes its ratio worse: %s", line)
		}
	}
	defer fail(t, r, paper.Key{Data: "tiny", Method: scas, Rule: paper.Sampled, Output: paper.Last})()
	text, err = Retune(t.Context(), r, data, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`samples +[23]a .* scas, last: the run failed: for the test`, `samples +[23]b .* of 24 more the best`,
	} {
		if n := len(regexp.MustCompile(want).FindAllString(text, -1)); n != 2 {
			t.Errorf("%d lines of the text match %q, want 2:\n%s", n, want, text)
		}
	}
}

// TestRatio checks quotient for values that are unknown, not reached, or not larger than the error of the
// known optimum.
func TestRatio(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b entry
		want string
	}{
		{entry{Value: 1}, entry{Value: 2}, "0.5"}, {entry{Value: 3001}, entry{Value: 3}, "1000"},
		{entry{Value: 1e7}, entry{Value: 3}, "3.33e+06"},
		{entry{Value: inf}, entry{Value: 2}, "∞"}, {entry{Value: 2}, entry{Value: inf}, "0"},
		{entry{Value: inf}, entry{Value: inf}, ""},
		{entry{Value: nan}, entry{Value: 2}, ""}, {entry{Value: 2}, entry{Value: nan}, ""},
		{entry{Value: nan}, entry{Value: inf}, ""},
		{entry{Value: 2e-4}, entry{Value: 1e-13, Floor: true}, "at least 2e+09"},
		{entry{Value: 1e-13, Floor: true}, entry{Value: 2e-13}, "at most 0.5"},
		{entry{Value: 1e-13, Floor: true}, entry{Value: 2e-13, Floor: true}, "1"},
		{entry{Value: 1e-13, Floor: true}, entry{Value: inf}, "0"},
		{entry{Value: inf}, entry{Value: 1e-13, Floor: true}, "∞"},
	} {
		if got := quotient(c.a, c.b).String(); got != c.want {
			t.Errorf("the ratio of %+v and %+v is %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestLargest checks that largest skips unknown values.
func TestLargest(t *testing.T) {
	values := map[paper.Method]float64{scas: math.NaN(), sa: 3, stoc: 2}
	c := &claim{measure: func(_ *problem, l line, _ []int) (float64, bool) { return values[l.method], false }}
	lines := []line{{method: scas}, {method: sa}, {method: stoc}}
	if e := c.largest(&problem{}, lines, nil, 1); e.Value != 3 || e.Among != 2 {
		t.Errorf("the largest is %+v", e)
	}
	if e := c.largest(&problem{}, lines, nil, -1); e.Value != 2 || e.Among != 2 {
		t.Errorf("the smallest is %+v", e)
	}
	if e := c.largest(&problem{}, lines[:1], nil, 1); !math.IsNaN(e.Value) || e.Among != 0 {
		t.Errorf("an unknown value gives %+v", e)
	}
}

// checkPage checks that the page is well-formed HTML, has certain texts and refers to no other files, and
// that no figure is empty.
func checkPage(t *testing.T, contents map[string]string) {
	t.Helper()
	for name, text := range contents {
		if strings.HasSuffix(name, ".svg") && !strings.Contains(text, "<path") {
			t.Errorf("%s has no lines", name)
		}
		if strings.HasSuffix(name, ".csv") && strings.HasPrefix(name, "figures/") {
			if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) < 3 ||
				rows[0][0] != "curve" {
				t.Errorf("%s: %d rows, %v", name, len(rows), err)
			}
		}
	}
	page := contents[PageFile]
	// The page is XML except for its document type, void elements, the attribute open, which has no value,
	// and entities of HTML.
	text := regexp.MustCompile(`<(meta|br)([^>]*)>`).ReplaceAllString(strings.TrimPrefix(page, "<!doctype html>"), "<$1$2/>")
	text = regexp.MustCompile(`<details open>`).ReplaceAllString(text, "<details>")
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Entity = xml.HTMLEntity
	charts := 0
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "svg" {
			charts++
		}
	}
	if charts < 10 {
		t.Errorf("%d charts", charts)
	}
	for _, want := range []string{"default-src 'none'; style-src 'unsafe-inline'", "Theorem 2, relaxed", "Theorem 2, as printed", "Lemma 16", "chosen on the half", "automatic", "what its theory allows", "all passes", "tiny (stand-in), mu = 0.01",
		"claims in ratios", "Table 1, measured", "effective passes", "All cases of the claims"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if link := regexp.MustCompile(`(?i)(src|href|url)\s*[=(]\s*["']?\s*(https?:)?//`).FindString(page); link != "" {
		t.Errorf("the page refers to elsewhere: %s", link)
	}
	for _, bad := range []string{"<script", "NaN", "ZgotmplZ", "%!"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}
