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
	_ = csv.NewWriter(&b).WriteAll(records) // a Builder does not fail
	return b.String()
}

// short writes a number for people; NaN is empty.
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

// fitted writes an exponent; gaps that fall faster than any power in sight are
// said to.
func fitted(v float64) string {
	switch {
	case math.IsNaN(v):
		return "ends at rounding"
	case v > 6:
		return fmt.Sprintf("T^−%.0f, faster than a power", v)
	}
	return fmt.Sprintf("T^−%.2f", v)
}

// gapText writes a gap for people.
func gapText(gap float64) string {
	if gap <= gapFloor {
		return fmt.Sprintf("below %.0e", gapFloor)
	}
	return fmt.Sprintf("%.2g", gap)
}
