package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
)

// This file trains models of several classes, each against the rest.

// A classesReport is what scas train --json prints of several classes.
type classesReport struct {
	Status solver.Status `json:"status"` // converged if the fit of every class is
	Lambda float64       `json:"lambda"`
	problemReport
	Classes  []classReport `json:"classes"`
	Accuracy *float64      `json:"accuracy,omitempty"` // on the rows that were fitted
	written

	model   *model.Multi
	verbose bool
}

// A classReport is of the fit of one class against the rest.
type classReport struct {
	Class string `json:"class"`
	Rows  int    `json:"rows"`
	fitNumbers
	Run model.Run `json:"run"`
}

func newClassesReport(head problemReport, rows []int, m *model.Multi) *classesReport {
	r := &classesReport{Status: solver.Converged, Lambda: head.in.spec.Lambda, problemReport: head, model: m}
	for k, one := range m.Models {
		r.Classes = append(r.Classes, classReport{m.Name(k), rows[k], newFitNumbers(one), one.Run})
		if status := one.Certificate.Status; r.Status == solver.Converged {
			r.Status = status
		}
	}
	return r
}

func (r *classesReport) table() (f facts) {
	r.addTo(&f)
	f.add("lambda", "%g", r.Lambda)
	steps := 0
	for _, c := range r.Classes {
		steps += c.Run.NewtonSteps
	}
	f.add("run", "%s, %s in %s, in %.3g s (reading %.3g s)", statusWord(r.Status), plural(steps, "Newton step"), plural(len(r.Classes), "fit"), r.Seconds, r.ReadSeconds)
	addAccuracy(&f, r.Accuracy)
	r.addFiles(&f, "graph")
	return f
}

// text is for people: a table of a line to each class below what was fitted, and what its
// words mean.
func (r *classesReport) text() string {
	t, text := r.lines(), r.table().String()+"\n"
	if len(t.Rows) > manyClasses && !r.verbose {
		text += fmt.Sprintf("The %d of %s with the largest gaps; --verbose lists all.\n", manyClasses, plural(len(t.Rows), "class"))
		t.Rows = r.worst(t.Rows)
	}
	text += columnsOf(t.Head, t.Rows)
	if notes := proofNotes(r.proofs(), "class"); notes != nil {
		text += "\n" + notes.String()
	}
	return text
}

// lines has one for each class.
func (r *classesReport) lines() grid {
	rows := make([][]string, len(r.Classes))
	for k, c := range r.Classes {
		rows[k] = slices.Concat(
			[]string{c.Class, grouped(c.Rows), grouped(c.NNZX), fmt.Sprintf("%.8f", c.Loss), fmt.Sprintf("%.8f", c.Objective)},
			c.gaps(), []string{statusWord(c.Status)})
	}
	return grid{slices.Concat([]string{"class", "rows", "non-zeros", "loss", "objective"}, gapColumns, []string{"status"}), rows}
}

// worst are the lines of the classes with the largest gaps, those that are not proved first.
func (r *classesReport) worst(lines [][]string) [][]string {
	order := make([]int, len(lines))
	for k := range order {
		order[k] = k
	}
	gap := func(k int) float64 {
		if v := float64(r.Classes[k].DualityGap); isFinite(v) {
			return v
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gap(j), gap(i)) })
	var out [][]string
	for _, k := range order[:manyClasses] {
		out = append(out, lines[k])
	}
	return out
}

func (r *classesReport) proofs() []proof {
	out := make([]proof, len(r.Classes))
	for k, c := range r.Classes {
		out[k] = c.proof
	}
	return out
}

func (r *classesReport) encode(w io.Writer) error { return r.model.Write(w) }

func (r *classesReport) draw(io.Writer) error { return errOneGraph }

// errOneGraph refuses a picture of one model where there are several.
var errOneGraph = usagef("--svg draws one model, and several classes have one each; --report FILE has all of them")

// page explains the models; err is what the command ends with.
func (r *classesReport) page(e *env, err error) (*page, error) {
	p := e.newPage("train", r.name)
	p.Facts, p.Table, p.Each = r.table(), r.lines(), "class"
	p.judgeAll(r.proofs(), "class", err)
	m := manyModel{r.model}
	return p, errors.Join(p.measure(m, r.in.data, r.in.beyond()), p.show("", m, r.in.spec.Graph))
}

// fitClasses trains a model for each class. Without a result there is an error.
func (c *trainCmd) fitClasses(e *env, data *sparse.Dataset, start time.Time) (fitResult, error) {
	k := len(data.Classes.Values)
	if name, remedy := c.unfitted(); name != "" {
		return nil, usagef("labels of %s take no %s: %s", plural(k, "class"), name, remedy)
	}
	if c.SVG != "" {
		return nil, errOneGraph
	}
	if err := c.specFlags().check(&c.rowFlags); err != nil {
		return nil, err
	}
	head, err := c.begin(e, data, start, fits{atOnce: min(k, threadsOf(c.Threads)), scored: c.Report != ""})
	if err != nil {
		return nil, err
	}
	start = time.Now()
	defer head.in.collecting()()
	p := e.begin("fitting " + plural(k, "class"))
	head.in.spec.Tell = func(at stream.Progress) {
		p.showOf(float64(at.Class), float64(k), "class %d of %d   %s", at.Class+1, k, passes(at))
	}
	head.in.spec.Fitted = p.classes
	then := c.ranks.tally()
	m, err := model.FitMulti(e.ctx, &head.in.spec, data.X, head.in.y)
	head.rankFacts = c.ranks.told(then)
	p.end()
	err = c.Memory.unstreamed(head.in.claim, err)
	if err := e.interrupted(err, "no model written"); m == nil || c.ranks.team.Any(err != nil && e.ctx.Err() != nil) {
		return nil, about(c.Data, head.in.ofClass(err))
	}
	head.took(start)
	r := newClassesReport(head, c.ranks.classRows(data), head.in.describeAll(m))
	r.verbose = c.Verbose
	if !head.in.beyond() { // where accuracy would take one more pass
		r.Accuracy = c.ranks.accuracyOf(m, data)
	}
	for _, one := range r.Classes {
		if one.NoOptimum {
			e.warn("class %s: there is no optimum: %s", one.Class, noOptimumReason)
		}
	}
	return r, ofScales(head.in.ofClass(err), data, head.Standardized || head.in.beyond(), true)
}

// describeAll tells models of classes what package model does not know of the data.
func (s *specified) describeAll(m *model.Multi) *model.Multi {
	m.Names = s.data.Classes.Names
	for _, one := range m.Models {
		s.describe(one)
	}
	return m
}

// ofClass words an error of the fits of several classes: that of the first one, by the
// name that the data have for the class, with the number of the others.
func (s *specified) ofClass(err error) error {
	if err == nil {
		return nil
	}
	first, others := err, ""
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		first = all.Unwrap()[0]
		if n := len(all.Unwrap()) - 1; n > 0 {
			others = " and " + plural(n, "other")
		}
	}
	for k, v := range s.data.Classes.Values {
		if rest, found := strings.CutPrefix(first.Error(), fmt.Sprintf("class %v: ", v)); found {
			return rewordedError{err, fmt.Sprintf("class %s%s: %s", s.data.Classes.Name(k), others, rest)}
		}
	}
	return err
}
