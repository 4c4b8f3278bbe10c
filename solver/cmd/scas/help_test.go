package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// TestHelpFits checks the help of each command. In the output of --help-all, each flag belongs to a group,
// and each group fits on a screen of 80 columns and 24 lines. For commands in mainFlags, the output of --help
// has at most 80 lines.
func TestHelpFits(t *testing.T) {
	const columns, lines, shortLines = 80, 24, 80
	for _, node := range leafCommands(t) {
		command := strings.Fields(node.FullPath())[1:]
		for _, name := range mainFlags[node.Name] {
			if !slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == name }) {
				t.Errorf("%v has no flag --%s", command, name)
			}
		}
		shortHelp, _ := succeed(t, append(command, "--help")...)
		if n := strings.Count(shortHelp, "\n"); mainFlags[node.Name] != nil && n > shortLines {
			t.Errorf("%v --help: %d lines", command, n)
		}
		out, _ := succeed(t, append(command, "--help-all")...)
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%v --help: %d columns: %s", command, n, line)
			}
		}
		_, flags, found := strings.Cut(out, "\nFlags:\n")
		if !found {
			t.Fatalf("%v --help lists no flags:\n%s", command, out)
		}
		title, lineCount := "Flags:", 1
		end := func() {
			if lineCount > lines {
				t.Errorf("%v --help: %d lines from %q on, more than %d", command, lineCount, title, lines)
			}
		}
		for line := range strings.Lines(strings.TrimSpace(flags)) {
			if line != "\n" && line[0] != ' ' {
				end()
				title, lineCount = strings.TrimSpace(line), 0
			}
			if line != "\n" {
				lineCount++
			}
		}
		end()
		for _, flag := range node.Flags {
			if flag.Group == nil {
				t.Errorf("%v: --%s belongs to no group", command, flag.Name)
			}
		}
	}
}

// leafCommands returns the commands that have no subcommands.
func leafCommands(t testing.TB) []*kong.Node {
	t.Helper()
	parser, err := kong.New(new(app), addCommands([]string{"completion"}), helpTexts())
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(true)
}
