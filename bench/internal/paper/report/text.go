package report

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// shortText returns a number as text with at most the given number of digits, or "" for NaN. A number from
// 100 to 1e6 is rounded to a whole number instead.
func shortText(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v != 0 && (math.Abs(v) < 1e-3 || math.Abs(v) >= 1e6):
		return trimExponent(fmt.Sprintf("%.*e", digits-2, v))
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// csvNumber returns a number as text with at most the given number of digits, or "" for NaN. With −1 digits
// the text has as many digits as the number needs.
func csvNumber(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// trimExponent removes the plus sign and a leading zero from the exponent of a number: 1e+06 becomes 1e6.
func trimExponent(number string) string {
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(number)
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

// exponentText returns a result v of the function rate as text: the gap falls as T^−v. NaN means that too
// few gaps are above gapFloor to fit an exponent.
func exponentText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "ends at rounding"
	case v > 6:
		return fmt.Sprintf("T^−%.0f, faster than a power", v)
	}
	return fmt.Sprintf("T^−%.2f", v)
}

// String returns the ratio as text, with four decimals if it is near 1. The text of a bound begins with
// Bound.
func (r ratio) String() string {
	text := shortText(r.Value, 2)
	switch v := r.Value; {
	case math.IsInf(v, 1):
		text = "∞"
	case math.Abs(v-1) < 0.01:
		text = fmt.Sprintf("%.4f", v)
	case v >= 1e4:
		text = trimExponent(fmt.Sprintf("%.0e", v))
	}
	if r.Bound != "" {
		return r.Bound + " " + text
	}
	return text
}

func entryText(v float64) string {
	if math.IsInf(v, 1) {
		return "not reached"
	}
	return shortText(v, 3)
}

var subscript = regexp.MustCompile(`_([[:alnum:]])`)

// symbols returns text as HTML. It replaces each underscore and the letter or digit behind it by a subscript.
func symbols(text string) template.HTML {
	return template.HTML(subscript.ReplaceAllString(template.HTMLEscapeString(text), "<sub>$1</sub>"))
}
