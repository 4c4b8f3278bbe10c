package text

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkAgreement checks that ParseFloat and strconv.ParseFloat agree on a token, except that ParseFloat
// refuses hexadecimal and infinite numbers and NaN.
func checkAgreement(t *testing.T, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	wantOK := err == nil && !math.IsInf(want, 0) && !math.IsNaN(want) &&
		strings.Trim(s, "0123456789+-.eE") == ""
	got, ok := ParseFloat(s)
	if ok != wantOK || (ok && math.Float64bits(got) != math.Float64bits(want)) {
		t.Errorf("%q: got %v, %v, want %v, %v", s, got, ok, want, wantOK)
	}
}

func TestFloatAgreesWithStrconv(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "+0", "1", "-1", "+1", "12345678", "123456789", "1234567890123456789012345678901234567890",
		"0.5", ".5", "5.", ".", "-.", "+", "-", "", "1e5", "1E5", "1e+5", "1e-5", "1e", "1e+", "e5", ".e5",
		"1.e5", ".5e5", "1e5.5",
		"1e22", "1e23", "1e-22", "1e-23", "9007199254740992", "9007199254740993", "9007199254740993e0", "900719925474099.3",
		"9007199254740991e22", "9007199254740993e22", "1e308", "1.7976931348623157e308",
		"1.7976931348623159e308", "1e309", "-1e309",
		"4.9e-324", "2e-324", "1e-400", "1e0000000000000000001", "1e99999", "1e-99999", "1e12345678901234567890",
		"0.000000000000000000000000000000000001", "0.0340783599462509", "0.1234567890123456",
		"0.12345678901234567", "0.123456789012345678",
		"0.1234567812345678", "12345678.12345678", "1234567812345678.5", "12345678123456789.",
		"00000000000000000000000001", "0000000000000000.00000000000001e20",
		"nan", "NaN", "inf", "-Inf", "infinity", "0x10", "0x1p-2", "1_000", "1,5", "1:2", "--1", "+-1", "1-1",
		"1..2", "1.2.3", "１",
		"1/2", "12345678/", "1234567:", "9:", "/9", "12;4", "\x00", "1\x00", "\xff",
	} {
		checkAgreement(t, s)
	}
}

func TestFloatAgreesWithStrconvOnRandomNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	randomDigits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('0' + r.IntN(10))
		}
		return string(b)
	}
	for range 300_000 {
		var s string
		switch r.IntN(4) {
		case 0: // any float64 in its shortest form
			s = strconv.FormatFloat(math.Float64frombits(r.Uint64()), "eEfgG"[r.IntN(5)], -1, 64)
			if len(s) > 60 {
				continue
			}
		case 1: // up to 18 decimals
			s = strconv.FormatFloat(r.NormFloat64(), 'f', r.IntN(19), 64)
		case 2:
			s = randomDigits(r.IntN(22)) + "." + randomDigits(r.IntN(22))
		case 3:
			s = randomDigits(1+r.IntN(20)) + "e" + strconv.Itoa(r.IntN(80)-40)
		}
		checkAgreement(t, s)
		if t.Failed() {
			return
		}
	}
}

// TestFloatStopsAtTheSeparator checks that bytes after the separator do not matter.
func TestFloatStopsAtTheSeparator(t *testing.T) {
	for n := range 25 {
		for _, sep := range " \t\r\n#\v\f" {
			num := strings.Repeat("7", n+1)
			b := []byte(num + string(sep) + "99999999999999999999")
			v, end, ok := Float(b, 0)
			want, _ := strconv.ParseFloat(num, 64)
			if v != want || end != n+1 || !ok {
				t.Errorf("%q: %v, %d, %v", b, v, end, ok)
			}
		}
	}
}

func TestDigits(t *testing.T) {
	for c := range 256 {
		for n := range 8 {
			b := append([]byte("12345678"[:n]), byte(c))
			b = append(b, "00000000"...)
			want, wantN := 0, n
			if n > 0 {
				want, _ = strconv.Atoi(string(b[:n]))
			}
			if '0' <= c && c <= '9' {
				want, _ = strconv.Atoi(string(b[:8]))
				wantN = 8
			}
			if got, v := Digits(b, 0); got != wantN || v != uint64(want) {
				t.Errorf("%q: %d digits, %d; want %d, %d", b, got, v, wantN, want)
			}
		}
	}
}

func TestLines(t *testing.T) {
	l := NewLines("a bb\n\n # c\n\t d#e f\r\n g")
	var got []string
	for l.Next() {
		got = append(got, fmt.Sprint(l.Number, l.Fields))
	}
	want := "[1 [{1 a} {3 bb}] 4 [{3 d}] 5 [{2 g}]]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseInt(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "007": 7, "999999999999999999": 999999999999999999} {
		if v, ok := ParseInt(s); !ok || v != want {
			t.Errorf("%q: %v, %v", s, v, ok)
		}
	}
	for _, s := range []string{"", "-1", "+1", "1.0", "1e3", "1234567890123456789", "x"} {
		if v, ok := ParseInt(s); ok {
			t.Errorf("%q: %v, want a refusal", s, v)
		}
	}
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"1", "-0.5e-3", "123456789.123456789", "1e400", "nan", "0x1p3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, " \t\r\n\v\f#") {
			t.Skip("not one token")
		}
		checkAgreement(t, s)
	})
}
