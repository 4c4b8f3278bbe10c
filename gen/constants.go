package gen

import (
	"fmt"
	"go/format"
	"math"
	"strings"
)

// A constant is a number that the pure-Go reference and the assembly share.
// Both are written from this table, so they cannot drift apart.
type constant struct {
	name  string
	value float64
	note  string
}

// constants is the table. The polynomials are minimax fits found by a Remez
// exchange in 60-digit decimal arithmetic and then rounded to float64.
var constants = []constant{
	{"expMax", 708, "exp(-708) is the last power with a normal float64"},
	{"expMagic", 0x1.8p52 + 1023, "1.5*2^52 rounds to an integer; 1023 is the exponent bias"},
	{"negLog2E", -0x1.71547652b82fep+0, "-1/ln 2"},
	{"ln2Hi", 0x1.62e42fefa3800p-1, "ln 2 cut to 42 bits, so that n*ln2Hi is exact"},
	{"ln2Lo", 0x1.ef35793c76730p-45, "ln 2 - ln2Hi"},

	{"exp0", 0x1.000000000000bp-1, "(exp(r)-1-r)/r² on |r| <= ln(2)/2, degree 9"},
	{"exp1", 0x1.5555555555561p-3, "error of exp 3.5e-18"},
	{"exp2", 0x1.5555555550039p-5, ""},
	{"exp3", 0x1.111111110d63cp-7, ""},
	{"exp4", 0x1.6c16c185a5b38p-10, ""},
	{"exp5", 0x1.a01a01bae197dp-13, ""},
	{"exp6", 0x1.a019969778d4bp-16, ""},
	{"exp7", 0x1.71dddfcd47b9bp-19, ""},
	{"exp8", 0x1.28b04614baa7bp-22, ""},
	{"exp9", 0x1.af85858a5c6a8p-26, ""},

	{"log0", 0x1.555555555554fp-1, "(log((1+s)/(1-s))-2s)/s³ as a polynomial of s² <= 1/25, degree 7"},
	{"log1", 0x1.999999999c0f7p-2, "error times s² 2.8e-19"},
	{"log2", 0x1.24924921ec0dcp-2, ""},
	{"log3", 0x1.c71c7488d8a84p-3, ""},
	{"log4", 0x1.745c4c7afa1adp-3, ""},
	{"log5", 0x1.3b358bac524dcp-3, ""},
	{"log6", 0x1.0dcf13e1fdeb0p-3, ""},
	{"log7", 0x1.1b69eb849b37ep-3, ""},

	{"lazyFloor", 0x1p-7, "Alpha below which a lazy run stops, so that w is formed before it loses digits to u growing like 1/Alpha"},
}

// plain holds the constants that need no name in Go.
var plain = map[string]uint64{
	"one":     math.Float64bits(1),
	"two":     math.Float64bits(2),
	"half":    math.Float64bits(0.5),
	"signBit": 1 << 63,
	"absBits": 1<<63 - 1,
}

// bits returns the bit pattern of a constant, and whether there is one.
func bits(name string) (uint64, bool) {
	for _, c := range constants {
		if c.name == name {
			return math.Float64bits(c.value), true
		}
	}
	b, ok := plain[name]
	return b, ok
}

// goConstants writes the table as a Go file.
func goConstants() ([]byte, error) {
	var b strings.Builder
	b.WriteString(header + "package kernels\n\nconst (\n")
	for _, c := range constants {
		fmt.Fprintf(&b, "\t%s = %s // %#016x %.17g", c.name, hex(c.value), math.Float64bits(c.value), c.value)
		if c.note != "" {
			b.WriteString(": " + c.note)
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n")
	b.WriteString(goDecayCells())
	return format.Source([]byte(b.String()))
}

func hex(x float64) string { return fmt.Sprintf("%x", x) }
