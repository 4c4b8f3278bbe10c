package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scas-admm/scas/solver/model"
)

// This file reports how often a model predicts one class for rows of another class.

// manyClasses is the number of classes above which reports are shorter. maxMapped is the largest number of
// classes in a heat map.
const manyClasses, maxMapped = 20, 400

// A confusionTable holds the metrics of a model of several classes.
type confusionTable model.ClassMetrics

func (m *confusionTable) addTo(f *summary) {
	if m.AUC != nil {
		f.add("AUC", "%.8g, the mean over the classes against the rest", *m.AUC)
	} else {
		f.add("AUC", "none: a class is absent")
	}
	f.add("macro F1", "%.8g", m.F1)
	if len(m.Classes) > manyClasses {
		m.addWorstClasses(f)
		return
	}
	for _, c := range m.Classes {
		f.add("class "+c.Class, "precision %.8g, recall %.8g, F1 %.8g, %s", c.Precision, c.Recall, c.F1, rowsOfWeight(c.Rows))
	}
	for k, row := range m.Confusion {
		predictedText := ""
		for j, count := range row {
			if count > 0 {
				predictedText += fmt.Sprintf(", %s called %s", formatWeight(count), m.Classes[j].Class)
			}
		}
		f.addIf(predictedText != "", "of "+m.Classes[k].Class, "%s", predictedText[min(2, len(predictedText)):])
	}
}

// A confusion counts the rows of one class that the model predicts to be of another class.
type confusion struct {
	class, predicted int // index of the class of the rows, and of the predicted class
	rows             float64
	share            float64 // rows divided by the number of all rows of the class
}

// confusions returns the confusions with at least one row, in decreasing order of their rows.
func (m *confusionTable) confusions() (list []confusion) {
	for k, row := range m.Confusion {
		for j, rows := range row {
			if j != k && rows > 0 {
				list = append(list, confusion{k, j, rows, rows / m.Classes[k].Rows})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b confusion) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(b.share, a.share))
	})
	return list
}

func (m *confusionTable) addWorstClasses(f *summary) {
	order := m.byF1()
	worstClass, bestClass := m.Classes[order[0]], m.Classes[order[len(order)-1]]
	f.add("classes", "F1 from %.4g (%s) to %.4g (%s)",
		worstClass.F1, worstClass.Class, bestClass.F1, bestClass.Class)
	confusions := m.confusions()
	if len(confusions) == 0 {
		f.add("confused", "no two classes")
		return
	}
	for k, c := range confusions[:min(manyClasses, len(confusions))] {
		name := ""
		if k == 0 {
			name = "confused"
		}
		f.add(name, "%s called %s: %s of %s (%.3g %%)", m.Classes[c.class].Class, m.Classes[c.predicted].Class, formatWeight(c.rows), rowsOfWeight(m.Classes[c.class].Rows), 100*c.share)
	}
	if omitted := len(confusions) - manyClasses; omitted > 0 {
		f.add("", "and %s more, none of more rows; scas predict --metrics --json has all", groupDigits(omitted))
	}
}

// byF1 returns the indices of the classes in increasing order of F1.
func (m *confusionTable) byF1() []int {
	order := sequence(0, len(m.Classes))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.Classes[i].F1, m.Classes[j].F1) })
	return order
}

// heatMap draws the confusion table as SVG. The colour of the cell in row i and column j shows which share
// of the rows of class i the model predicts to be of class j. With more than maxMapped classes it returns "".
func (m *confusionTable) heatMap() template.HTML {
	k := len(m.Classes)
	if k > maxMapped {
		return ""
	}
	cellSize := math.Max(2, math.Min(22, math.Round(640/float64(k))))
	nameStep := int(math.Ceil(13 / cellSize)) // a name needs a height of 13 pixels
	longestName := 0
	for _, c := range m.Classes {
		longestName = max(longestName, utf8.RuneCountInString(shortenName(c.Class)))
	}
	leftMargin, side := 24+6.2*float64(longestName), cellSize*float64(k)
	top := leftMargin
	width, height := math.Max(leftMargin+side+12, leftMargin+390), top+side+58
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>Which classes are predicted</title>\n<g fill=\"#333333\">\n")
	for i := 0; i < k; i += nameStep {
		centre, name := cellSize*(float64(i)+0.5), template.HTMLEscapeString(shortenName(m.Classes[i].Class))
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
			leftMargin-5, top+centre+4, name)
		fmt.Fprintf(&b, "<text transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>\n",
			leftMargin+centre+4, top-5, name)
	}
	fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"12\">called</text><text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"end\">class of the row</text>\n</g>\n", leftMargin, top)
	fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#ffffff\" stroke=\"#bbbbbb\"/>\n", leftMargin, top, side, side)
	for i, row := range m.Confusion {
		for j, rows := range row {
			if rows == 0 {
				continue
			}
			share := rows / m.Classes[i].Rows
			fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%g\" height=\"%g\" fill=\"%s\"><title>%s called %s: %s of %s</title></rect>\n", leftMargin+cellSize*float64(j), top+cellSize*float64(i), cellSize, cellSize,
				cellColour(share, i == j), template.HTMLEscapeString(m.Classes[i].Class), template.HTMLEscapeString(m.Classes[j].Class), formatWeight(rows), rowsOfWeight(m.Classes[i].Rows))
		}
	}
	y := top + side + 16
	for line, correct := range []bool{true, false} {
		x, y := leftMargin+70, y+18*float64(line)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#333333\">%s</text>", leftMargin, y+10, map[bool]string{true: "right", false: "wrong"}[correct])
		for _, share := range []float64{0.01, 0.1, 0.25, 0.5, 1} {
			fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"12\" fill=\"%s\" stroke=\"#bbbbbb\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#333333\">%.0f %%</text>", x, y, cellColour(share, correct), x+18, y+10, 100*share)
			x += 60
		}
		b.WriteByte('\n')
	}
	b.WriteString("</svg>\n")
	return template.HTML(b.String()) // the class names have been escaped
}

// cellColour returns the colour of a cell of the heat map, such as #d55e00. share is from 0 to 1; its square
// root makes small shares visible.
func cellColour(share float64, correct bool) string {
	ink := [3]float64{0xd5, 0x5e, 0x00}
	if correct {
		ink = [3]float64{0x00, 0x72, 0xb2}
	}
	var b strings.Builder
	b.WriteByte('#')
	for _, v := range ink {
		fmt.Fprintf(&b, "%02x", int(math.Round(255+(v-255)*math.Sqrt(share))))
	}
	return b.String()
}
