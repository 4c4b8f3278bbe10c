package attack

import (
	"maps"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/program"
)

// TestSeedDeterminesFiles checks that equal seeds give a job the same old files.
func TestSeedDeterminesFiles(t *testing.T) {
	j := job{outputs: map[string][]byte{}}
	for _, name := range strings.Fields("a b c d e f g h i j k l") {
		j.outputs[name] = nil
	}
	g := &testbed{dir: t.TempDir(), jobs: []job{j}}
	first, err := g.prepare(newRNG(1))
	if err != nil {
		t.Fatal(err)
	}
	second, err := g.prepare(newRNG(1))
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(first.oldFiles, second.oldFiles) {
		t.Errorf("%v, then %v", first.oldFiles, second.oldFiles)
	}
}

// TestLeftOut checks that a trial that this machine cannot run does not count as survived.
func TestLeftOut(t *testing.T) {
	r := &KindResult{Kind: Kind{Name: "faults"}, OutcomeCounts: map[string]int{}}
	r.count(&testbed{}, 1, "", skip("no strace"))
	r.count(&testbed{}, 2, "refused", nil)
	if text := Table([]*KindResult{r}); !strings.Contains(text, "\nfaults  1      1         0 ") ||
		!strings.Contains(text, "refused 1; left out: 1") {
		t.Error(text)
	}
}

// TestCheckFiles checks that a file that the program should not have written, changed or deleted is an error.
func TestCheckFiles(t *testing.T) {
	inputs := t.TempDir()
	if err := writeFiles(inputs, map[string]string{"mid.svm": ""}); err != nil {
		t.Fatal(err)
	}
	g := &testbed{inputDir: inputs}
	for _, c := range []struct {
		oldFiles, files map[string]string
		code            int
		fault           string // part of the error; empty if there is none
	}{
		{map[string]string{"o1": old, "o2": old}, map[string]string{"o1": "new", "o2": old}, exitOK, ""},
		{nil, map[string]string{"o1": "new"}, exitNotConverged, ""},
		{map[string]string{"o1": old}, map[string]string{"o1": "new"}, exitIO, "o1"},
		{nil, map[string]string{"o2": "new"}, exitOK, "left o2"},
		{map[string]string{"o2": old}, map[string]string{"o2": "new"}, exitOK, "o2"},
		{nil, map[string]string{"o1": ""}, exitOK, "o1 is empty"},
		{map[string]string{"o1": old}, nil, exitOK, "o1 is gone"},
		{map[string]string{"o1": old, "o2": old}, map[string]string{"o1": old}, exitIO, "o2 is gone"},
	} {
		dir := t.TempDir()
		if err := writeFiles(dir, c.files); err != nil {
			t.Fatal(err)
		}
		err := g.checkFiles(dir, c.oldFiles, []string{"train", "-o", "o1"}, &program.Ending{Code: c.code})
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%v, then %v, exit code %d: %v, want an error with %q", c.oldFiles, c.files, c.code, err, c.fault)
		}
	}
}

// TestFlagsIn checks that the flags of a command and the kinds of their values are found in its help.
func TestFlagsIn(t *testing.T) {
	help := `Fit a model. --seed=N is explained below.

  -h, --help              Show help.
  --[no-]intercept        Fit an intercept, see
                          --lambda=F.
      --threads=N         Threads.
      --lambda=F          Factor.
  -m, --model=FILE        Model.
  -o, --output=FILE       Output.
`
	var got []string
	for _, f := range flagsIn(help, "train") {
		got = append(got, f.name)
		if (f.values == nil) != strings.Contains(f.name, "intercept") {
			t.Errorf("values of %s: %v", f.name, f.values)
		}
	}
	if want := "--intercept --no-intercept --threads --lambda -o"; strings.Join(got, " ") != want {
		t.Errorf("flags %v, want %s", got, want)
	}
}
