package sparse

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// A schema describes the columns of a table and their categories.
type schema struct {
	name          string // name of the file
	opt           *ReadOptions
	columns       []*tableColumn
	categoryCount int // number of categories of all columns together
	summary       TableSummary
	categoryBytes int64 // memory of the categories, in bytes
}

// A tableColumn is a column of a table. Its kind follows from the options, the header or its first value;
// until then it is unknownColumn.
type tableColumn struct {
	name   string
	kind   columnKind
	number int32 // provisional number of the feature (see table) if the column holds numbers
	// categories has the provisional number of the feature of each category. It leaves out categories that are missing
	// values, such as NA. Names of features in ReadOptions.Names may contain them, but no cell has such a category.
	categories   map[string]int32
	order        []string // the categories in order of first occurrence
	categoryLine int      // the line whose value made the column categorical; 0 if no value did
	// fill replaces missing numbers. It comes from TableOptions.Fill if fillGiven is true; otherwise it is
	// computed at the end of the file, by the rule TableOptions.Missing.
	fill         float64
	fillGiven    bool
	missingCount int       // number of missing values that were met while the column was not categorical
	missingLine  int       // the line of the first of these values if no fill was known for it; otherwise 0
	sum          float64   // the sum of the stored numbers; 0 if no mean is needed
	offsets      []float64 // the offset of each row; nil in all columns but the offset column
	unknownCount int       // number of values whose category has no feature in ReadOptions.Names
	example      string    // the first value whose category has no feature in ReadOptions.Names
}

type columnKind uint8

const (
	unknownColumn columnKind = iota
	numberColumn
	categoryColumn
	labelColumn
	offsetColumn
	droppedColumn // in TableOptions.Drop
	unusedColumn  // no feature in ReadOptions.Names uses it
)

// ignored reports whether the cells of a column have no meaning.
func (k columnKind) ignored() bool { return k >= droppedColumn }

// createColumns creates the columns from the cells of the first record, which is on the given
// line.
func (s *schema) createColumns(cells []cell, line int, delim byte) error {
	numberCount, names := 0, map[string]bool{}
	for c, cell := range cells {
		name := strconv.Itoa(c + 1)
		if _, isNumber := text.ParseFloat(cell.text); isNumber {
			numberCount++
		}
		if !s.opt.Table.NoHeader {
			name = string(cell.text)
		}
		switch {
		case names[name] && name != "":
			return fileErrorf(s.name, "two columns have the name %q: expected different names", name).at(line)
		case len(cells) == 1 && bytes.IndexByte(cell.text, ';') > 0:
			return fileErrorf(s.name, "one column, %q, by the delimiter %q: expected more", name, delim).
				at(line).with(Remedy{Field: "TableOptions.Delimiter", To: "the delimiter of the file"})
		}
		names[name] = true
		s.columns = append(s.columns, &tableColumn{name: name, number: int32(c)})
	}
	if numberCount == len(cells) && !s.opt.Table.NoHeader {
		return &ParseError{
			File: s.name, Line: line, Token: string(cells[0].text),
			Msg:      "the first line has nothing but numbers: expected names of the columns",
			Remedies: []Remedy{{Field: "TableOptions.NoHeader", To: "true", If: "the file has no header"}},
		}
	}
	return s.setKinds(line)
}

// findColumn returns the column with this name, or else with this number, counted from 1.
func (s *schema) findColumn(name string) (*tableColumn, *ParseError) {
	for _, col := range s.columns {
		if col.name == name {
			return col, nil
		}
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(s.columns) {
		return s.columns[k-1], nil
	}
	return nil, fileErrorf(s.name, "no column %q: expected a name, or a number from 1; the file has %s",
		name, firstNames(s.columnNames()))
}

func (s *schema) columnNames() []string {
	names := make([]string, len(s.columns))
	for c, col := range s.columns {
		names[c] = col.name
	}
	return names
}

// setKinds sets the kind of every column for which the options or the header determine it.
func (s *schema) setKinds(line int) error {
	for _, option := range []struct {
		names  []string
		kind   columnKind
		remedy Remedy // for the name of a column that is absent
	}{
		{
			s.opt.Table.Categorical, categoryColumn,
			Remedy{Field: "TableOptions.Categorical", To: "names of columns"},
		},
		{s.opt.Table.Drop, droppedColumn, Remedy{Field: "TableOptions.Drop", To: "names of columns"}},
	} {
		for _, name := range option.names {
			col, err := s.findColumn(name)
			if err != nil {
				return err.with(option.remedy)
			}
			col.kind = option.kind
		}
	}
	if err := s.findOffset(); err != nil {
		return err
	}
	if s.opt.Names != nil {
		if err := s.matchNames(); err != nil {
			return err
		}
	}
	if err := s.findLabel(); err != nil {
		return err
	}
	for c, col := range s.columns {
		if col.kind == unusedColumn {
			s.summary.Ignored = append(s.summary.Ignored, col.name)
		}
		if col.name == "" && !col.kind.ignored() {
			hint := ""
			switch c {
			case 0:
				hint = " (an index that pandas wrote?)"
			case len(s.columns) - 1:
				hint = " (does every line end with a delimiter?)"
			}
			return fileErrorf(s.name, "column %d has no name%s", c+1, hint).
				at(line).with(dropColumnRemedy(strconv.Itoa(c+1)), Remedy{To: "name the column"})
		}
		if v, hasFill := s.opt.Table.Fill[col.name]; hasFill {
			col.fill, col.fillGiven = v, true
		}
	}
	return nil
}

// findOffset sets the kind of the offset column, if the options name it.
func (s *schema) findOffset() error {
	if s.opt.Table.Offset == "" {
		return nil
	}
	col, err := s.findColumn(s.opt.Table.Offset)
	switch {
	case err != nil:
		return err.with(Remedy{Field: "TableOptions.Offset", To: "the column of the offsets"})
	case col.kind != unknownColumn || slices.Contains(s.opt.Names, col.name):
		return fileErrorf(s.name,
			"column %q cannot have the offsets: it is left out, one of categories, or a feature", col.name)
	}
	col.kind, s.summary.Offset = offsetColumn, col.name
	return nil
}

// findLabel sets the kind of the label column, if the table has one.
func (s *schema) findLabel() error {
	o := &s.opt.Table
	if o.NoLabel {
		return nil
	}
	canBeLabel := func(col *tableColumn) bool {
		if s.opt.Names != nil {
			return col.kind == unusedColumn
		}
		return col.kind != offsetColumn && col.kind != droppedColumn
	}
	choose := func(col *tableColumn, reason string) error {
		col.kind = labelColumn
		s.summary.Label, s.summary.Found = col.name, reason
		return nil
	}
	if o.Label != "" {
		col, err := s.findColumn(o.Label)
		switch {
		case err != nil && s.opt.LabelsOptional:
			return nil
		case err != nil:
			return err.with(chooseLabel)
		case !canBeLabel(col):
			return fileErrorf(s.name, "column %q cannot have the labels: it is left out or a feature",
				col.name)
		}
		return choose(col, "chosen")
	}
	for _, name := range []string{"label", "target", "y"} {
		for _, col := range s.columns {
			if strings.EqualFold(col.name, name) && canBeLabel(col) {
				return choose(col, "named")
			}
		}
	}
	lastIndex := len(s.columns) - 1
	for lastIndex > 0 && s.columns[lastIndex].kind == offsetColumn {
		lastIndex--
	}
	switch {
	case canBeLabel(s.columns[lastIndex]):
		return choose(s.columns[lastIndex], "last")
	case s.opt.LabelsOptional || s.opt.AnyLabels:
		return nil
	}
	return fileErrorf(s.name,
		"no column of labels: the last one is left out or a feature, and none is called label, target or y").
		with(chooseLabel)
}

// matchNames finds the columns of the features in ReadOptions.Names, and sets their kinds. All other
// columns, except the offset column and dropped columns, become unused columns.
func (s *schema) matchNames() error {
	byName := map[string]*tableColumn{}
	for _, col := range s.columns {
		byName[col.name] = col
	}
	usedColumns := map[*tableColumn]bool{}
	var missing []string
	for _, name := range s.opt.Names {
		if col := byName[name]; col != nil && col.kind == unknownColumn {
			col.kind = numberColumn
			usedColumns[col] = true
		}
	}
	for _, name := range s.opt.Names {
		if col := byName[name]; col != nil && usedColumns[col] && col.kind == numberColumn {
			continue
		}
		column, value, found := splitCategory(name, byName)
		col := byName[column]
		if !found || col.kind != unknownColumn && col.kind != categoryColumn {
			missing = append(missing, name)
			continue
		}
		usedColumns[col], col.kind = true, categoryColumn
		s.newCategory(col, value)
	}
	if missing != nil {
		return missingColumns(s.name, missing, s.columnNames())
	}
	for _, col := range s.columns {
		if !usedColumns[col] && col.kind != droppedColumn && col.kind != offsetColumn {
			col.kind = unusedColumn
		}
	}
	return nil
}

// splitCategory splits the name of a feature, column=value, at the last = for which the text before it
// is the name of a column. ok is false if there is no such =.
func splitCategory[C any](name string, columns map[string]C) (column, value string, ok bool) {
	for position := len(name); ; {
		position = strings.LastIndexByte(name[:position], '=')
		if position < 0 {
			return "", "", false
		}
		if _, ok := columns[name[:position]]; ok {
			return name[:position], name[position+1:], true
		}
	}
}

// newCategory adds a category to a column and returns the provisional number (see the type table) of its
// feature.
func (s *schema) newCategory(col *tableColumn, value string) int32 {
	id := int32(len(s.columns) + s.categoryCount)
	s.categoryCount++
	if col.categories == nil {
		col.categories = map[string]int32{}
	}
	if !isMissing([]byte(value)) {
		col.categories[value] = id
	}
	col.order = append(col.order, value)
	s.categoryBytes += int64(len(col.name)+2*len(value)) + 128
	return id
}

// featureOrder returns the names of the features. featureOf[m] is the index of the feature with the
// provisional number m (see the type table), or -1 if no feature has this number.
func (s *schema) featureOrder() (featureOf []int32, names []string, err error) {
	featureOf = slices.Repeat([]int32{-1}, len(s.columns)+s.categoryCount)
	if s.opt.Names != nil {
		s.orderByNames(featureOf, s.opt.Names)
		return featureOf, s.opt.Names, nil
	}
	for c, col := range s.columns {
		switch col.kind {
		case numberColumn:
			featureOf[c] = int32(len(names))
			names = append(names, col.name)
			s.summary.Numbers++
		case categoryColumn:
			values := slices.Sorted(slices.Values(col.order))
			for _, value := range values {
				featureOf[col.categories[value]] = int32(len(names))
				names = append(names, col.name+"="+value)
			}
			s.summary.Categorical = append(s.summary.Categorical, col.category())
		}
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return nil, nil, fileErrorf(s.name,
				"a column and a category of another have the name %q: expected different names",
				name).with(Remedy{To: "rename the column"})
		}
		seen[name] = true
	}
	if names == nil {
		err := fileErrorf(s.name, "no column is a feature: expected one at least beside the labels")
		if k := strings.IndexAny(s.columns[0].name, ",;\t"); len(s.columns) == 1 && k >= 0 {
			delimiter := strconv.QuoteRune(rune(s.columns[0].name[k]))
			err.with(Remedy{Field: "TableOptions.Delimiter", To: delimiter, If: "that separates the columns"})
		}
		return nil, nil, err
	}
	return featureOf, names, nil
}

// likeNumbers lists patterns of values that stand for numbers but are not decimal numbers.
var likeNumbers = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{
		"dates",
		regexp.MustCompile(`(?i)^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d\d|\d{4})|(\d\d?[ -])?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,-]+\d[\d ,-]*)([ T]\d\d?:.*)?$`),
	},
	{"amounts", regexp.MustCompile(`^[-+(]?(\p{Sc} ?[-+]?\d[\d.,']*|\d[\d.,']* ?[\p{Sc}%])\)?$`)},
}

func (col *tableColumn) category() Category {
	c := Category{Column: col.name, Categories: len(col.order)}
	for _, value := range col.order {
		if _, isNumber := text.ParseFloat(value); isNumber {
			c.Numbers++
		}
	}
	for _, kind := range likeNumbers {
		matchCount := 0
		for _, value := range col.order {
			if kind.pattern.MatchString(value) {
				matchCount++
			}
		}
		if 2*matchCount > len(col.order) {
			c.Like = kind.name
		}
	}
	if (c.Numbers > 0 || c.Like != "") && col.categoryLine > 0 {
		c.Line, c.First = col.categoryLine, col.order[0]
	}
	return c
}

// orderByNames sets featureOf[k] to the position in names of the feature with the provisional number k.
// This number is the feature's column index until the end of the file, see the type table. orderByNames
// also adds the columns to s.summary.
func (s *schema) orderByNames(featureOf []int32, names []string) {
	position := make(map[string]int32, len(names))
	for j, name := range names {
		position[name] = int32(j)
	}
	for c, col := range s.columns {
		switch col.kind {
		case numberColumn:
			featureOf[c] = position[col.name]
			s.summary.Numbers++
		case categoryColumn:
			for value, id := range col.categories {
				featureOf[id] = position[col.name+"="+value]
			}
			s.summary.Categorical = append(s.summary.Categorical,
				Category{
					Column: col.name, Categories: len(col.order), Unknown: col.unknownCount,
					Example: col.example,
				})
		}
	}
}
