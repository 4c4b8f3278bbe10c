package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

var helpOptions = kong.HelpOptions{
	Compact: true, WrapUpperBound: 80, ValueFormatter: kong.DefaultHelpValueFormatter,
}

// mainFlags lists the flags that --help shows. It has an entry for each command with more flags than one
// screen can hold; --help-all shows the others.
var mainFlags = map[string][]string{
	"train": append([]string{"lambda", "model"}, mainFitFlags...),
	"path":  append([]string{"lambdas", "output", "svg"}, mainFitFlags...),
	"cv":    append([]string{"lambdas", "metric", "choose", "model", "svg"}, mainFitFlags...),
}

var mainFitFlags = strings.Fields("loss graph intercept standardize label missing report json")

// printHelp prints the help of --help. For the commands in mainFlags it prints only the examples and the main
// flags.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	command := ctx.Selected()
	if command == nil || mainFlags[command.Name] == nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, f := range command.Flags {
		f.Hidden = !slices.Contains(mainFlags[command.Name], f.Name)
	}
	paragraphs := strings.Split(command.Detail, "\n\n") // the first two are the examples
	command.Detail = strings.Join(paragraphs[:2], "\n\n")
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout,
		"\nRun \"scas %s --help-all\" for all flags, and for what the command does and prints.\n",
		command.Name)
	return err
}

// A helpAllFlag is the flag --help-all.
type helpAllFlag bool

// BeforeReset prints the whole help of the command, and ends scas. Package kong calls it if the flag is
// given.
func (helpAllFlag) BeforeReset(ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(helpOptions, ctx); err != nil {
		return err
	}
	ctx.Kong.Exit(exitOK)
	return nil
}
