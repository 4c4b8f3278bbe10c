package kernels

import (
	"os"
	"strings"
	"testing"
)

// eachLevel runs f at every level of this machine. It fails if the environment variable
// SCAS_REQUIRE names a level that this machine does not have.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	requireLevels(t)
	level := Active()
	defer use(t, level)
	for _, l := range Available() {
		use(t, l)
		t.Run(l.String(), f)
	}
}

func use(t testing.TB, l Level) {
	t.Helper()
	if err := Use(l); err != nil {
		t.Fatal(err)
	}
}

// requireLevels fails the test if this machine does not have a level that SCAS_REQUIRE names.
func requireLevels(t *testing.T) {
	t.Helper()
	for name := range strings.SplitSeq(os.Getenv("SCAS_REQUIRE"), ",") {
		if name == "" {
			continue
		}
		l, err := ParseLevel(name)
		if err == nil {
			_, err = lookup(l)
		}
		if err != nil {
			t.Fatalf("required by SCAS_REQUIRE: %v", err)
		}
	}
}
