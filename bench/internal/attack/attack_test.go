package attack

import (
	"maps"
	"strings"
	"testing"
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
