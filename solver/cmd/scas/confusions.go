package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
		f.add("class "+c.Class, "precision %.8g, recall %.8g, F1 %.8g, %s",
			c.Precision, c.Recall, c.F1, rowsOfWeight(c.Rows))
	}
	for k, row := range m.Confusion {
		predictedText := ""
		for j, count := range row {
			if count > 0 {
				predictedText += fmt.Sprintf(", %s called %s", formatWeight(count), m.Classes[j].Class)
			}
		}
		f.addIf(predictedText != "", "of "+m.Classes[k].Class, "%s",
			predictedText[min(2, len(predictedText)):])
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
		f.add(name, "%s called %s: %s of %s (%.3g %%)",
			m.Classes[c.class].Class, m.Classes[c.predicted].Class, formatWeight(c.rows),
			rowsOfWeight(m.Classes[c.class].Rows), 100*c.share)
	}
	if omitted := len(confusions) - manyClasses; omitted > 0 {
		f.add("", "and %s more, none of more rows; scas predict --metrics --json has all",
			groupDigits(omitted))
	}
}

// byF1 returns the indices of the classes in increasing order of F1.
func (m *confusionTable) byF1() []int {
	order := sequence(0, len(m.Classes))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.Classes[i].F1, m.Classes[j].F1) })
	return order
}

// A heatMap is a picture of a confusion table: a grid with a row for each class and a column for each
// predicted class. The first row and the first column of the grid have the names, so class 0 has row 2 and
// column 2.
type heatMap struct {
	Classes int
	Names   []heatName
	Cells   []heatCell // the cells with rows
}

// A heatName is the name of the class that has row number Line and column number Line of the grid.
type heatName struct {
	Line int
	Name string
}

// A heatCell is a cell of the grid. Percent is the share of the rows of the cell's class that are predicted
// to be of the class of the cell's column.
type heatCell struct {
	Row, Column int
	Percent     float64
	Title       string
}

// heatMap returns the heat map of m, or nil if there are more than maxMapped classes.
func (m *confusionTable) heatMap() *heatMap {
	const widest, nameHeight = 640, 13 // pixels of the grid and of a name, as in page.tmpl
	if len(m.Classes) > maxMapped {
		return nil
	}
	h := &heatMap{Classes: len(m.Classes)}
	step := 1 + nameHeight*len(m.Classes)/widest // with many classes, there is no room for all names
	for i := 0; i < len(m.Classes); i += step {
		h.Names = append(h.Names, heatName{i + 2, shortenName(m.Classes[i].Class)})
	}
	for i, row := range m.Confusion {
		class := m.Classes[i]
		for j, rows := range row {
			if rows > 0 {
				title := fmt.Sprintf("%s called %s: %s of %s", class.Class, m.Classes[j].Class,
					formatWeight(rows), rowsOfWeight(class.Rows))
				h.Cells = append(h.Cells, heatCell{i + 2, j + 2, 100 * rows / class.Rows, title})
			}
		}
	}
	return h
}

// Legend returns the percentages whose colours page.tmpl explains below the grid.
func (h *heatMap) Legend() []float64 { return []float64{1, 10, 25, 50, 100} }

// opacity returns the opacity of a cell in CSS. The square root makes small percentages visible.
func opacity(percent float64) string { return fmt.Sprintf("%.3f", math.Sqrt(percent/100)) }
