package report

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strings"
)

// short returns a number as text with the given number of digits, or "" for NaN.
func short(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v != 0 && (math.Abs(v) < 1e-3 || math.Abs(v) >= 1e6):
		return exponent(fmt.Sprintf("%.*e", digits-2, v))
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// exponent removes the plus sign and the leading zero from the exponent of a number.
func exponent(number string) string {
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

// exponentText returns a fitted exponent as text, or says that no exponent could be fitted.
func exponentText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "ends at rounding"
	case v > 6:
		return fmt.Sprintf("T^−%.0f, faster than a power", v)
	}
	return fmt.Sprintf("T^−%.2f", v)
}

// String returns the ratio with enough digits to show that it is not 1.
func (r ratio) String() string {
	text := short(r.Value, 2)
	switch v := r.Value; {
	case math.IsInf(v, 1):
		text = "∞"
	case math.Abs(v-1) < 0.01:
		text = fmt.Sprintf("%.4f", v)
	case v >= 1e4:
		text = exponent(fmt.Sprintf("%.0e", v))
	}
	if kind := r.kind(); kind != "" {
		return kind + " " + text
	}
	return text
}

// kind says in words whether the ratio is a bound.
func (r ratio) kind() string {
	switch {
	case r.AtLeast:
		return "at least"
	case r.AtMost:
		return "at most"
	}
	return ""
}

// entryText returns the value of one side of a claim as text: "not reached" for +Inf.
func entryText(v float64) string {
	if math.IsInf(v, 1) {
		return "not reached"
	}
	return short(v, 3)
}

var subscript = regexp.MustCompile(`_([[:alnum:]])`)

// symbols returns text as HTML, with the letter or digit after each underscore as a subscript.
func symbols(text string) template.HTML {
	return template.HTML(subscript.ReplaceAllString(template.HTMLEscapeString(text), "<sub>$1</sub>"))
}
