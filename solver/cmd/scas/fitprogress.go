package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// This file shows the progress of fits and of the graphical lasso.

// A fitCount counts the fits of a command. The zero value means that there is only one fit.
type fitCount struct {
	noun  string // what a fit is for: "class", "lambda" or "model"
	done  int    // number of finished fits
	total int    // number of all fits
}

// setReports makes the fits of s report their progress. fits counts the fits, unless each class has a fit of
// its own; then setReports counts the classes instead.
func (p *progress) setReports(s *fitSpec, fits fitCount) {
	p.fits = fits
	if fitsOf(s.data) > 1 {
		p.fits = fitCount{"class", 0, fitsOf(s.data)}
	}
	spec, budget := &s.spec, s.spec.Passes // if budget is 0, the number of passes is not limited
	if spec.Method != nil {
		budget = cmp.Or(budget, 100) // the default
	}
	spec.ClassFitted = p.showClasses
	spec.Report = func(report solver.Report) {
		text := workText(report, budget)
		switch {
		case p.fits.total > 0:
			p.showFits(p.fits.done+1, text)
		case report.Goal > 0 || budget == 0: // the gap may end the run long before the last pass
			p.showGap(report.Gap, report.Goal, text)
		default:
			p.showShare(report.Passes, budget, "%s", text)
		}
	}
}

// showFits shows a report such as "lambda 7 of 100", followed by text. number is the number of a fit, from 1.
// The noun ("lambda") and the number of all fits come from p.fits.
func (p *progress) showFits(number int, text string) {
	f := p.fits
	if text != "" {
		text = "   " + text
	}
	p.showShare(float64(f.done), float64(f.total), "%s %d of %d%s", f.noun, min(number, f.total), f.total,
		text)
}

func (p *progress) showClasses(done, total int) {
	p.fits = fitCount{"class", done, total}
	p.showFits(done+1, "")
}

// workText formats a report. budget is the largest number of passes, or 0 if there is none.
func workText(report solver.Report, budget float64) string {
	var work []string
	if report.Passes > 0 {
		passes := fmt.Sprintf("pass %g", math.Round(100*report.Passes)/100)
		if budget > 0 {
			passes += fmt.Sprintf(" of %g", budget)
		}
		work = append(work, passes)
	}
	if report.NewtonSteps > 0 {
		work = append(work, plural(report.NewtonSteps, "Newton step"))
	}
	text := strings.Join(work, ", ")
	if isFinite(report.Objective) {
		text += fmt.Sprintf("   objective %.8g", report.Objective)
	}
	if isFinite(report.Gap) {
		text += fmt.Sprintf(", gap %.2g", report.Gap)
	}
	return strings.TrimSpace(text)
}

// componentCallback returns a callback that shows the progress of a graphical lasso. The callback ignores
// components that have fewer features than another component that was reported before.
func (p *progress) componentCallback() func(glasso.Progress) {
	var lock sync.Mutex
	largestSize := 0
	return func(report glasso.Progress) {
		lock.Lock()
		defer lock.Unlock()
		if report.Features < largestSize {
			return
		}
		if report.Features > largestSize || report.Steps == 0 { // the first report of a component
			largestSize, p.firstGap = report.Features, math.Inf(1)
		}
		text := fmt.Sprintf("%s: %s together, %s", p.task, plural(report.Features, "feature"),
			plural(report.Steps, "Newton step"))
		if isFinite(report.Gap) {
			text += fmt.Sprintf(", gap %.2g", report.Gap)
		}
		p.showGap(report.Gap, report.Goal, text)
	}
}
