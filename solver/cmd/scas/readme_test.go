package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// readmeBlocks returns the indented blocks of README.md, in order. A block is the list of its lines.
func readmeBlocks(t *testing.T) (blocks [][]string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	lastLine := ""
	for line := range strings.Lines(string(text)) {
		code, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if indented && lastLine == "" {
			blocks = append(blocks, nil)
		}
		if indented {
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], code)
		}
		lastLine = code
		if !indented {
			lastLine = ""
		}
	}
	return blocks
}

// checkOrder checks that output has the lines of a block of README.md in the same order, except lines "...".
// The output may have other lines between them.
func checkOrder(t *testing.T, block []string, output string) {
	t.Helper()
	lines := strings.Split(output, "\n")
	for _, want := range block {
		if strings.TrimSpace(want) == "..." {
			continue
		}
		index := 0
		for index < len(lines) && strings.TrimSpace(lines[index]) != strings.TrimSpace(want) {
			index++
		}
		if index == len(lines) {
			t.Errorf("README.md: the output has no line %q at its place:\n%s", want, output)
			return
		}
		lines = lines[index+1:]
	}
}

// TestReadmeCommands checks that the commands with a9a in README.md print the lines that README.md shows.
func TestReadmeCommands(t *testing.T) {
	paperDir, blocks := filepath.Join(sparsetest.DataFile(t), "paper"), readmeBlocks(t)
	t.Chdir(t.TempDir())
	for plain, packed := range map[string]string{"a9a": "a9a.zst", "a9a.t": "a9a.t.zst"} {
		succeed(t, "convert", "--features", "123", filepath.Join(paperDir, packed), plain+".svm")
		if err := os.Rename(plain+".svm", plain); err != nil {
			t.Fatal(err)
		}
	}
	var command, printed []string
	commandCount := 0
	check := func() {
		if command != nil {
			out, errs := succeed(t, command...)
			checkOrder(t, printed, out+errs)
			commandCount++
		}
		command, printed = nil, nil
	}
	for _, block := range blocks {
		for _, line := range block {
			args, isCommand := strings.CutPrefix(line, "$ ./scas ")
			if !isCommand {
				printed = append(printed, line)
				continue
			}
			check()
			if strings.Contains(args, "a9a") {
				args, _, _ = strings.Cut(args, " > ")
				command = strings.Fields(args)
			}
		}
		check()
	}
	if commandCount != 3 {
		t.Errorf("README.md has %d commands with a9a, want 3", commandCount)
	}
}
