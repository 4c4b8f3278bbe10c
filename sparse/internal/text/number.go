// Package text reads and writes text. Its functions for numbers are fast enough for large data files.
//
// A buffer of bytes must end in a separator, such as a line feed, followed by at least Pad bytes of any
// content, because loops do not test for the end of the buffer.
package text

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Pad is the number of bytes that must follow the last separator of a buffer.
const Pad = 16

// pow10[n] is 10^n, for all n for which float64 represents 10^n exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// upow10[n] is 10^n.
var upow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// separators marks the bytes that may follow a token: blanks, line ends and the start of a comment.
var separators = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '\v': true, '\f': true, '#': true}

// IsSeparator reports whether c ends a token.
func IsSeparator(c byte) bool { return separators[c] }

// TokenEnd returns the position of the first separator of b at or after i.
func TokenEnd(b []byte, i int) int { return tokenEnd(b, i, &separators) }

func tokenEnd(b []byte, i int, separators *[256]bool) int {
	for !separators[b[i]] {
		i++
	}
	return i
}

// Digits reads up to 8 decimal digits at b[i:] and returns their number and their value. It processes 8
// bytes at once. Let y be a byte XOR '0'. Then y or y+0x76 has its high bit set unless the byte is a digit.
// Only a byte that is no digit causes a carry in this addition. The carry changes only bytes after this byte.
func Digits(b []byte, i int) (n int, v uint64) {
	y := binary.LittleEndian.Uint64(b[i:]) ^ 0x3030303030303030
	nonDigits := (y + 0x7676767676767676 | y) & 0x8080808080808080
	n = bits.TrailingZeros64(nonDigits) >> 3
	y <<= 64 - 8*uint(n) // drops the bytes after the digits, and fills up with leading zeros
	y = y*10 + y>>8      // joins digits to pairs; the next line joins the pairs
	v = ((y&0x000000FF000000FF)*0x000F424000000064 + (y>>16&0x000000FF000000FF)*0x0000271000000001) >> 32
	return n, v
}

// Float reads the decimal number that begins at b[i] and ends at a separator, whose position is end. v is
// exactly the value that strconv.ParseFloat returns. ok is false if the token is not a finite decimal
// number, for example if it is hexadecimal, NaN or too large for float64.
func Float(b []byte, i int) (v float64, end int, ok bool) { return FloatUntil(b, i, &separators) }

// FloatUntil is Float for the given separators.
func FloatUntil(b []byte, i int, separators *[256]bool) (v float64, end int, ok bool) {
	start := i
	neg := b[i] == '-'
	if neg || b[i] == '+' {
		i++
	}
	if digit := uint64(b[i] - '0'); digit <= 9 && b[i+1] == '.' { // one digit, a point and 1 to 7 digits
		if n, m := Digits(b, i+2); uint(n-1) < 7 && separators[b[i+2+n]] {
			v = float64(digit*upow10[n]+m) / pow10[n]
			if neg {
				v = -v
			}
			return v, i + 2 + n, true
		}
	}
	digitCount, m := Digits(b, i)
	i += digitCount
	if separators[b[i]] && uint(digitCount-1) < 8 { // an integer of 1 to 8 digits
		if neg {
			return -float64(m), i, true
		}
		return float64(m), i, true
	}
	n, exp := digitCount, 0
	for digitCount == 8 && n <= 16 {
		var d uint64
		digitCount, d = Digits(b, i)
		m = m*upow10[digitCount] + d
		i, n = i+digitCount, n+digitCount
	}
	if b[i] == '.' {
		i++
		for fracDigits := 8; fracDigits == 8 && n <= 16; {
			var d uint64
			fracDigits, d = Digits(b, i)
			m = m*upow10[fracDigits] + d
			i, n, exp = i+fracDigits, n+fracDigits, exp-fracDigits
		}
	}
	if n == 0 {
		return 0, tokenEnd(b, start, separators), false
	}
	if b[i]|0x20 == 'e' {
		e, expEnd, isExp := parseExponent(b, i+1)
		if isExp {
			exp, i = exp+e, expEnd
		}
	}
	// If m and the power of ten are exact, one rounding gives the right value.
	if separators[b[i]] && n <= 19 && m <= 1<<53 && uint(exp+22) <= 44 {
		v = timesPow10(m, exp)
		if neg {
			v = -v
		}
		return v, i, true
	}
	return slowFloat(b, start, separators)
}

// timesPow10 returns m * 10^exp for exp from -22 to 22.
func timesPow10(m uint64, exp int) float64 {
	if exp < 0 {
		return float64(m) / pow10[-exp]
	}
	return float64(m) * pow10[exp]
}

// parseExponent reads an exponent of 1 to 4 digits, with or without a sign. ok is false for any other text.
func parseExponent(b []byte, i int) (e, end int, ok bool) {
	neg := b[i] == '-'
	if neg || b[i] == '+' {
		i++
	}
	n, v := Digits(b, i)
	if n < 1 || n > 4 {
		return 0, i, false
	}
	if neg {
		return -int(v), i + n, true
	}
	return int(v), i + n, true
}

// slowFloat parses a token by strconv. ok is false if the token is not a finite decimal number.
func slowFloat(b []byte, start int, separators *[256]bool) (v float64, end int, ok bool) {
	end = tokenEnd(b, start, separators)
	token := string(b[start:end])
	v, err := strconv.ParseFloat(token, 64)
	if err != nil || math.IsInf(v, 0) || strings.Trim(token, "0123456789+-.eE") != "" {
		return 0, end, false
	}
	return v, end, true
}
