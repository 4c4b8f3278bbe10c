package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"
)

// csvText returns records as CSV.
func csvText(records [][]string) string {
	var b strings.Builder
	_ = csv.NewWriter(&b).WriteAll(records) // a strings.Builder returns no errors
	return b.String()
}

// short returns a number with few digits; NaN gives an empty text.
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

// fitted returns an exponent as text, and says so if gaps fall faster than every power.
func fitted(v float64) string {
	switch {
	case math.IsNaN(v):
		return "ends at rounding"
	case v > 6:
		return fmt.Sprintf("T^−%.0f, faster than a power", v)
	}
	return fmt.Sprintf("T^−%.2f", v)
}

// ratioText returns a ratio with enough digits to show that it is not 1.
func ratioText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v-1) < 0.01:
		return fmt.Sprintf("%.4f", v)
	case v >= 1e5:
		return fmt.Sprintf("%.0e", v)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return short(v, 2)
}

// entryText returns the value of an entry as text.
func entryText(v float64) string {
	if math.IsInf(v, 1) {
		return "not reached"
	}
	return short(v, 3)
}
