package torture

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file has what the naive readers share: one number, one line and one rule after the
// other, as the documentation states them, and nothing of package sparse.

var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// number reads a finite decimal number.
func number(token string) (v float64, ok bool) {
	if !decimal.MatchString(token) {
		return 0, false
	}
	v, err := strconv.ParseFloat(token, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// whole reads a whole number of digits alone, at most limit.
func whole(token string, limit int64) (v int64, ok bool) {
	if !digits.MatchString(token) {
		return 0, false
	}
	if token = strings.TrimLeft(token, "0"); token == "" {
		return 0, true
	}
	v, err := strconv.ParseInt(token, 10, 64)
	return v, err == nil && v <= limit
}

// A refusal is a verdict against a text, about a line from 1, or 0 for the whole.
type refusal struct{ line int }

func (refusal) Error() string { return "refused" }

func refusedAt(line int) error { return refusal{line} }

// refusedLine is the line of a refusal.
func refusedLine(err error) int {
	var r refusal
	if errors.As(err, &r) {
		return r.line
	}
	return 0
}

// plainText takes the byte order mark away and refuses control characters in what is
// looked at of a file, its first 256 KiB.
func plainText(text string) (string, error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return "", refusedAt(0)
	}
	for _, c := range []byte(text[:min(len(text), 1<<18)]) {
		if c < ' ' && !strings.ContainsRune("\t\n\r\v\f", rune(c)) || c == 0x7f {
			return "", refusedAt(0)
		}
	}
	return strings.TrimPrefix(text, "\ufeff"), nil
}

// tokens are the words of a line before its comment.
func tokens(line string) []string {
	line, _, _ = strings.Cut(line, "#")
	return strings.FieldsFunc(line, func(r rune) bool { return r != utf8.RuneError && strings.ContainsRune(" \t\r\v\f", r) })
}

// odd are tokens in the place of numbers.
var odd = []string{
	"nan", "NaN", "+NaN", "-nan", "inf", "-Inf", "+infinity", "0x1p3", "0x10", "1_0", "1e400", "-1e309", "1.7976931348623159e308",
	"1.7976931348623157e308", "1e-400", "4.9e-324", "2.4e-324", "1e99999999999999999999", "1e-99999999999999999999", "0e99999999999",
	"--1", "+-1", "+1", "-0", "0", "1.2.3", "1,5", "1;5", "１", "٣", ".", "-", "+", "e5", "1e", "1e+", ".5", "5.", "1d5", "1f", "1/2", "",
	"9007199254740993", "900719925474099312345678901234567890", "0.1000000000000000055511151231257827021181583404541015625",
	"2147483647", "2147483648", "4294967296", "4294967297", "9223372036854775807", "9223372036854775808", "18446744073709551617",
	"00000001", "000000000000000000000000000000001", "99999999999999999999999", "null", "true", "1:2", ":", "%", "#", "\ufeff", "\u00a0", "\u0085",
	"1\x00", "\x1a", "\x7f", "\xff", "1#2", "'1'", "\"1\"",
}

// numeral writes a number in one of many ways.
func numeral(rng *rand.Rand) string {
	v := rng.NormFloat64()
	switch rng.IntN(8) {
	case 0:
		return strconv.Itoa(rng.IntN(20) - 10)
	case 1:
		return strconv.FormatFloat(v, 'f', rng.IntN(25), 64)
	case 2:
		return strconv.FormatFloat(math.Float64frombits(rng.Uint64()&^(1<<62)), "eEfgG"[rng.IntN(5)], rng.IntN(30)-1, 64)
	case 3:
		return "+" + strconv.FormatFloat(math.Abs(v), 'g', -1, 64)
	case 4:
		return strconv.FormatFloat(v*math.Pow(10, float64(rng.IntN(600)-300)), 'e', rng.IntN(20), 64)
	}
	return strconv.FormatFloat(v, 'g', 1+rng.IntN(17), 64)
}

// damage spoils a text in one of many ways.
func damage(rng *rand.Rand, text string) string {
	if text == "" {
		return pick(rng, odd...)
	}
	at, end := rng.IntN(len(text)), rng.IntN(len(text)+1)
	if at > end {
		at, end = end, at
	}
	at = min(at, len(text)-1)
	end = min(end, at+40)
	switch rng.IntN(16) {
	case 0:
		return text[:at] + string(rune(rng.IntN(256))) + text[at+1:]
	case 1:
		return text[:at] + string([]byte{byte(rng.IntN(256))}) + text[at:]
	case 2:
		return text[:at] + text[max(at, end):]
	case 3:
		return text[:at]
	case 4:
		return text[:max(at, end)] + text[at:]
	case 5:
		return strings.ReplaceAll(text, "\n", pick(rng, "\r\n", "\r", "\n\n", " \n", "\n\r", "\v", "\u2028"))
	case 6:
		return pick(rng, "\ufeff", "\xff\xfe", "\x00", "\n", "#", " ", "%", "\x1f\x8b\x08", "BZh", "\x28\xb5\x2f\xfd", "\ufeff\ufeff", "%%MatrixMarket ") + text
	case 7:
		return text + pick(rng, "\x00", "\x1a", "#", " ", "\\", "\n\n", "1", "\n1", "\n#\x00")
	case 8:
		return text[:at] + strings.Repeat(pick(rng, " ", "\t", "\n", "0", "# ", "\r"), 1<<rng.IntN(20)) + text[at:]
	case 9:
		lines := strings.SplitAfter(text, "\n")
		k := rng.IntN(len(lines))
		return text + lines[k]
	}
	return damageToken(rng, text)
}

// damageToken replaces, repeats, moves or removes a token.
func damageToken(rng *rand.Rand, text string) string {
	places := tokenAt.FindAllStringIndex(text, -1)
	if len(places) == 0 {
		return text + pick(rng, odd...)
	}
	place := places[rng.IntN(len(places))]
	token := text[place[0]:place[1]]
	switch rng.IntN(6) {
	case 0:
		token = ""
	case 1:
		token += pick(rng, " ", ":", ",", "\t", "\n", "#", ": ") + token
	case 2:
		token = "0" + token
	default:
		token = pick(rng, odd...)
	}
	return text[:place[0]] + token + text[place[1]:]
}

var tokenAt = regexp.MustCompile(`[^\s:]+`)

// damaged spoils a text up to some times; often not at all.
func damaged(rng *rand.Rand, text string) string {
	for range pick(rng, 0, 1, 1, 1, 2, 3) {
		text = damage(rng, text)
	}
	return text
}
