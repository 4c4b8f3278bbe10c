package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVocabulary compares testdata/vocabulary.keys with the JSON that commands print.
func TestVocabulary(t *testing.T) {
	table := readVocabulary(t)
	commands := map[string]map[string]bool{} // the commands that printed each key
	var walk func(command, key string, v any)
	walk = func(command, key string, v any) {
		if key != "" {
			if commands[key] == nil {
				commands[key] = map[string]bool{}
			}
			commands[key][command] = true
			want, known := table[key]
			got := jsonType(v)
			if want.kind == "numbers by column" && got == "object" {
				got = want.kind
			}
			switch {
			case !known:
				t.Errorf("%s: %s of type %s is not in the vocabulary", command, key, got)
			case got == "list" && strings.HasPrefix(want.kind, got): // an empty list: any type of elements
			case got != want.kind && !(got == "null" && strings.HasSuffix(want.kind, " or null")) && got+" or null" != want.kind:
				t.Errorf("%s: %s is of type %s, not %s", command, key, got, want.kind)
			case !slices.Contains(want.commands, command) && !slices.Contains(want.commands, command+"?"):
				t.Errorf("%s prints %s, which is not in the vocabulary of this command", command, key)
			}
		}
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				if o, ok := e.(map[string]any); ok {
					walk(command, "", o)
				}
			}
		case map[string]any:
			if table[key].kind == "numbers by column" {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(command, name, v[name])
			}
		}
	}
	for _, args := range vocabularyRuns(t) {
		out := ""
		if args[0] == "ranks" {
			args = args[1:]
			rank0 := onRanks(t, 2, args...)[0]
			out = rank0.out
			if rank0.code != exitOK {
				t.Fatalf("%v on ranks: %s", args, rank0.stderr)
			}
		} else {
			out, _ = succeed(t, args...)
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatalf("%v: %v in %s", args, err, out)
		}
		walk(args[0], "", v)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		for _, command := range table[key].commands {
			if !strings.HasSuffix(command, "?") && !commands[key][command] {
				t.Errorf("no run of %s printed %s", command, key)
			}
		}
	}
}

// jsonType returns the type of a value in JSON, in the words of testdata/vocabulary.keys.
func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case float64:
		return "number"
	case string:
		return "text"
	case []any:
		if len(v) == 0 {
			return "list"
		}
		return "list of " +
			map[string]string{
				"number": "numbers", "text": "texts", "object": "objects",
				"list of numbers": "lists of numbers",
			}[jsonType(v[0])]
	}
	return "object"
}

// A vocabularyEntry has the type and the commands of a key in testdata/vocabulary.keys.
type vocabularyEntry struct {
	kind     string
	commands []string // a name that ends in ? is a command that prints the key only in some cases
}

func readVocabulary(t *testing.T) map[string]vocabularyEntry {
	t.Helper()
	text, err := os.ReadFile("testdata/vocabulary.keys")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]vocabularyEntry{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			t.Fatalf("vocabulary.keys: %q: want key | type | commands | meaning", line)
		}
		key := strings.TrimSpace(cells[0])
		if _, isDuplicate := table[key]; isDuplicate {
			t.Errorf("vocabulary.keys has %s twice", key)
		}
		table[key] = vocabularyEntry{strings.TrimSpace(cells[1]), strings.Fields(cells[2])}
	}
	return table
}

// vocabularyRuns returns command lines that together print the JSON keys in testdata/vocabulary.keys. If the
// file has a ? after a command, the command need not print the key. A command line that begins with the word
// ranks is for two ranks.
func vocabularyRuns(t *testing.T) (runs [][]string) {
	t.Helper()
	dir := t.TempDir()
	writeFile := func(name, text string) string { return writeText(t, dir, name, text) }
	var plainTable, richTable, classTable, countTable strings.Builder
	plainTable.WriteString("label,a,b,c\n")
	richTable.WriteString("label,a,b,soil,date,o\n")
	classTable.WriteString("label,a,b,c\n")
	countTable.WriteString("label,a,b,c\n")
	for i := range 36 {
		a, b, c := (7*i)%11, (5*i)%13, (3*i)%7
		class := (a + b + 3*(i*i%7)) / 10 % 2
		fmt.Fprintf(&plainTable, "%d,%d,%d,%d\n", class, a, b, c)
		cell := fmt.Sprint(a)
		if i == 3 {
			cell = ""
		}
		fmt.Fprintf(&richTable, "%s,%s,%d,%s,2020-01-0%d,0.%d\n",
			[]string{"no", "yes"}[class], cell, b, []string{"clay", "7", "loam"}[i%3], i%2+1, i%5)
		fmt.Fprintf(&classTable, "%s,%d,%d,%d\n", []string{"ash", "elm", "oak"}[(a+b)/3%3], a, b, c)
		fmt.Fprintf(&countTable, "%d,%d,%d,%d\n", (a+c)/3, a, b, c)
	}
	twoClasses := writeFile("two.csv", plainTable.String())
	tableFile := writeFile("table.csv", richTable.String())
	classesFile := writeFile("classes.csv", classTable.String())
	countsFile := writeFile("counts.csv", countTable.String())
	otherTable := writeFile("other.csv", strings.Replace(richTable.String(), ",loam,", ",sand,", 1))
	edges, groups := writeFile("edges.txt", "1 2\n2 3\n"), writeFile("groups.txt", "1 2\n")
	freeFactors := writeFile("free.txt", "1\n0\n1\n")
	bounds := writeFile("bounds.txt", "2 -1 inf\n")
	zeroFactors := writeFile("none.txt", "0\n0\n0\n")
	weights := writeFile("weights.txt", strings.Repeat("1\n", 35)+"2\n")
	libsvm := writeFile("two.svm", strings.Repeat("1 1:1 2:3\n0 1:2 3:1\n1 1:3 2:2\n0 2:1 3:2\n", 5))
	tableArgs := strings.Fields("--missing mean --offset-column o " + tableFile)
	for _, command := range []string{"train", "cv", "path"} {
		baseFlags := []string{"--lambda", "0.05"}
		if command != "train" {
			baseFlags = strings.Fields("--lambdas 4 --ratio 0.1")
		}
		if command == "cv" {
			baseFlags = append(baseFlags, "--folds", "3")
		}
		add := func(flags ...string) {
			runs = append(runs, slices.Concat([]string{command, "--json"}, baseFlags, flags))
		}
		out := func(name string) string { return filepath.Join(dir, command+name) }
		add(twoClasses, "-o", out(".two"))
		add("--graph", edges, "--fusion", "2", "--l2y", "0.1", "--mu", "0.1", "--domain", "box:-9,9", "--svg",
			out(".svg"), "-o", out(".graph"), twoClasses)
		add("--groups", groups, "--report", out(".html"), "-o", out(".groups"), twoClasses)
		add("--l1-ratio", "0.5", "--no-intercept", "--class-weights", "balanced", "-o", out(".net"), twoClasses)
		add("--sample-weights", weights, twoClasses)
		add("--penalty-factors", freeFactors, libsvm)
		add("--bounds", bounds, libsvm)
		add(append(tableArgs, "-o", out(".table"))...)
		add(classesFile, "-o", out(".classes"))
		add("--loss", "huber:2", countsFile, "-o", out(".huber"))
		add("--loss", "poisson", countsFile, "-o", out(".counts"))
	}
	runs = append(runs,
		strings.Fields("train --json --method scas --verbose --no-intercept --mu 0.1 --passes 20 "+twoClasses),
		strings.Fields("train --json --method scas --graph chain --verbose --domain ball:3 --no-intercept --mu 0.1 --no-standardize --float32 --output average --passes 20 "+twoClasses+" -o "+filepath.Join(dir, "train.scas")),
		[]string{
			"train", "--json", "--lambda", "10", "--graph", edges, "--penalty-factors", zeroFactors, "-o",
			filepath.Join(dir, "train.tied"), twoClasses,
		},
		strings.Fields("train --json --start "+filepath.Join(dir, "train.two")+" "+twoClasses),
		strings.Fields("train --json --method svrg --batch-size 2 --passes 20 "+twoClasses),
		strings.Fields("ranks train --json "+libsvm),
		strings.Fields("ranks path --json --lambdas 2 --ratio 0.1 "+libsvm),
		strings.Fields("ranks cv --json --lambdas 2 --ratio 0.1 --folds 2 "+libsvm),
	)
	addPredict := func(model, data string) {
		runs = append(runs,
			[]string{"predict", "--json", "--metrics", "-m", filepath.Join(dir, model), "-o", filepath.Join(dir, "out"), data})
	}
	addPredict("train.two", twoClasses)
	addPredict("train.table", otherTable)
	addPredict("train.classes", classesFile)
	addPredict("train.counts", countsFile)
	for _, name := range []string{
		"train.table", "train.classes", "train.graph", "train.groups", "train.net", "train.huber",
		"train.scas", "train.tied",
	} {
		runs = append(runs, []string{"model", "show", "--json", filepath.Join(dir, name)})
	}
	liblinear := writeFile("liblinear", "solver_type L1R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1\n0\n")
	runs = append(runs, []string{"model", "show", "--json", liblinear})
	runs = append(runs,
		[]string{
			"predict", "--json", "--ignore-labels", "-m", filepath.Join(dir, "train.two"), "-o",
			filepath.Join(dir, "out"), twoClasses,
		})
	return runs
}
