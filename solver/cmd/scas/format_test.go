package main

import (
	"bytes"
	"math"
	"testing"
)

func TestSummary(t *testing.T) {
	var f summary
	f.add("a", "%d", 1)
	f.addBlank()
	f.add("long name", "%s", plural(2, "entry"))
	f.add("", "%s", plural(int64(1234567), "row"))
	const want = "a           1\n\nlong name   2 entries\n            1,234,567 rows\n"
	if got := f.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 1234567: "1,234,567"} {
		if got := groupDigits(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestNumberInJSON(t *testing.T) {
	var b bytes.Buffer
	if err := printJSON(&b, []number{0.1, number(math.NaN()), number(math.Inf(-1))}); err != nil {
		t.Fatal(err)
	}
	if want := "[\n  0.1,\n  null,\n  null\n]\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
