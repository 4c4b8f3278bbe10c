package main

import (
	"fmt"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

func (e *env) warnOfColumns(d *sparse.Dataset) {
	const many = 10
	if d.Table == nil {
		return
	}
	n := d.Stats.Rows
	for _, c := range d.Table.Categorical {
		quotedColumn := shellWord(escapeCommas(c.Column))
		switch {
		case c.Unknown > 0:
			e.warn("column %s: %s of categories that the model does not know, such as %q; they count as none",
				c.Column, plural(c.Unknown, "value"), c.Example)
		case 2*c.Numbers > c.Categories && c.Line > 0:
			e.warn("column %s is taken for categories, since line %d has %q, but %s of its %s are numbers: correct that line (what is missing is an empty cell or NA; see --missing), or give --categorical %s if they are categories",
				c.Column, c.Line, c.First, groupDigits(c.Numbers), plural(c.Categories, "different value"),
				quotedColumn)
		case c.Like != "" && c.Line > 0:
			e.warn("column %s has %s in %s that look like %s, such as %q: %s, or leave the column out with --drop %s, or give --categorical %s if they are categories",
				c.Column, plural(c.Categories, "category"), plural(n, "row"), c.Like, c.First,
				map[string]string{
					"dates":   "replace them by numbers, such as days since some day",
					"amounts": "write them as numbers, without signs and marks of thousands",
				}[c.Like], quotedColumn, quotedColumn)
		case c.Categories > many && 2*c.Categories >= n:
			e.warn("column %s has %s in %s: if these are identifiers, leave it out with --drop",
				c.Column, plural(c.Categories, "category"), plural(n, "row"))
		}
	}
}

// escapeCommas puts a backslash before each comma in the name of a column, because the lists of --drop and
// --categorical are separated by commas.
func escapeCommas(name string) string { return strings.ReplaceAll(name, ",", `\,`) }

func addColumns(f *summary, d *sparse.Dataset) {
	t := d.Table
	f.addIf(d.Names == nil && d.Stats.IndexBase == sparse.ZeroBased, "", "features are counted from 0")
	if t == nil {
		return
	}
	labelText := "no column has labels"
	if t.Label != "" {
		labelText = "labels are column " + t.Label +
			map[string]string{
				"last": ", the last (--label names another)", "named": " (--label names another)",
			}[t.Found]
	}
	f.add("columns", "%s; %s of numbers", labelText, plural(t.Numbers, "other"))
	var columns []string
	for _, c := range t.Categorical {
		columns = append(columns, fmt.Sprintf("%s (%s)", c.Column, groupDigits(c.Categories)))
	}
	f.addIf(columns != nil, "", "categories: %s, each a feature COLUMN=CATEGORY", firstNames(columns))
	f.addIf(t.Absent > 0, "", "%s taken for none of them", plural(t.Absent, "missing category"))
	f.addIf(t.Filled > 0, "", "%s filled, %s", plural(t.Filled, "missing number"), map[sparse.Missing]string{
		sparse.MissingMean: "by the mean of the column", sparse.MissingMedian: "by the median of the column",
		sparse.MissingZero: "by 0",
	}[t.Missing])
}

// addWordLabels adds the number that stands for each word, if the labels are words. If they are not, words is
// nil.
func addWordLabels(f *summary, words []string) {
	f.addIf(words != nil, "", "labels are words: %s", classNumberText(words))
}

func classNumberText(classes []string) string {
	parts := make([]string, len(classes))
	for k, name := range classes {
		parts[k] = fmt.Sprintf("%d is %s", k, name)
	}
	return firstNames(parts)
}
