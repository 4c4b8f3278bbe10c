package torture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// sideAttack gives scas train files of groups, weights and offsets, and compares with those
// that a naive reader writes anew.
type sideAttack struct{ g *ground }

func beginSide(_ context.Context, g *ground) (attack, error) { return trial((&sideAttack{g}).try), nil }

const (
	sideRows     = 6
	sideFeatures = 5
)

// sideWords are the words of the lines of such a file.
func sideWords(text string) (lines [][]string, err error) {
	if text, err = plainText(text); err != nil {
		return nil, err
	}
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines, nil
}

// naiveWeights reads weights, of which one at least is not 0, and writes them anew.
func naiveWeights(text string) (string, error) {
	anew, total, negative, err := naiveColumn(text)
	if err == nil && (negative || total == 0 || !finite(total)) {
		err = refusedAt(0)
	}
	return anew, err
}

// naiveOffsets reads offsets and writes them anew.
func naiveOffsets(text string) (string, error) {
	anew, _, _, err := naiveColumn(text)
	return anew, err
}

// naiveColumn reads a number for every row.
func naiveColumn(text string) (anew string, total float64, negative bool, err error) {
	lines, err := sideWords(text)
	if err != nil || len(lines) != sideRows {
		return "", 0, false, refusedAt(0)
	}
	var b strings.Builder
	for _, words := range lines {
		v, ok := number(words[0])
		if !ok || len(words) > 1 {
			return "", 0, false, refusedAt(0)
		}
		total += v
		negative = negative || v < 0
		fmt.Fprintf(&b, "%v\n", v)
	}
	return b.String(), total, negative, nil
}

// naiveGroups reads groups and writes them anew.
func naiveGroups(text string) (string, error) {
	lines, err := sideWords(text)
	if err != nil || len(lines) == 0 {
		return "", refusedAt(0)
	}
	var b strings.Builder
	seen := map[int64]bool{}
	for _, words := range lines {
		for _, w := range words {
			v, ok := whole(w, sideFeatures)
			if !ok || v < 1 || seen[v] {
				return "", refusedAt(0)
			}
			seen[v] = true
			fmt.Fprintf(&b, " %d", v)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// sideText is a valid file of groups, or of weights or offsets.
func sideText(rng *rand.Rand, flag string) string {
	var b strings.Builder
	if flag != "--groups" {
		for range sideRows {
			value := numeral(rng)
			if flag == "--sample-weights" {
				value = strings.TrimPrefix(value, "-")
			}
			b.WriteString(value + pick(rng, "\n", "\n", " # of a row\n", "\n\n"))
		}
		return b.String()
	}
	for _, j := range rng.Perm(sideFeatures) {
		fmt.Fprintf(&b, "%d%s", j+1, pick(rng, " ", "\n", "\t"))
	}
	return b.String()
}

// try trains with a file, damaged or not, and with the same written anew.
func (a *sideAttack) try(ctx context.Context, seed uint64) (string, error) {
	rng := random(seed)
	flag := pick(rng, "--groups", "--sample-weights", "--offset")
	naive := map[string]func(string) (string, error){"--groups": naiveGroups, "--sample-weights": naiveWeights, "--offset": naiveOffsets}[flag]
	text := damaged(rng, sideText(rng, flag))
	if isCompressed(text) {
		return "refused", nil
	}
	anew, wantErr := naive(text)
	first, out, err := a.train(ctx, flag, text)
	if err != nil {
		return "", err
	}
	refused := first.code == exitIO || first.code == exitNotFinite && strings.Contains(first.stderr, ": expected")
	switch {
	case refused != (wantErr != nil):
		return "", fmt.Errorf("%s: exit code %d, the naive reader has %v: %s, file %s", flag, first.code, wantErr, head(first.stderr), quoted(text))
	case refused && !strings.Contains(first.stderr, "side"):
		return "", fmt.Errorf("%s: %s does not name the file", flag, first.stderr)
	case refused:
		return "refused", nil
	}
	second, want, err := a.train(ctx, flag, anew)
	if err != nil {
		return "", err
	}
	if first.code != second.code || !bytes.Equal(out, want) {
		return "", fmt.Errorf("%s: exit codes %d and %d, or other models, than for %q: file %s", flag, first.code, second.code, anew, quoted(text))
	}
	return "accepted", nil
}

// train trains with a file and returns the model.
func (a *sideAttack) train(ctx context.Context, flag, text string) (*ending, []byte, error) {
	dir, err := a.g.room("side")
	if err != nil {
		return nil, nil, err
	}
	defer remove(dir)
	data := "1 1:1 2:2 3:0.5\n-1 1:-1 3:1\n1 2:1 5:1\n-1 1:0.5 2:-3\n1 4:2\n-1 4:1 5:-2\n"
	if err := put(dir, map[string]string{"data": data, "side": text}); err != nil {
		return nil, nil, err
	}
	e, err := a.g.call(ctx, call{dir: dir, args: []string{"train", "--lambda", "0.01", flag, "side", "-o", "m", "data"}})
	if err != nil {
		return nil, nil, err
	}
	out, err := os.ReadFile(filepath.Join(dir, "m"))
	if os.IsNotExist(err) {
		err = nil
	}
	if err == nil {
		err = e.orderly()
	}
	return e, out, err
}
