package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// This file rewords errors of package kong about the command line, and says where to find help.

// pathOf returns the path of the command that was parsed, such as "model show", or "" if there was none.
func pathOf(c *kong.Context) string {
	if node := c.Selected(); node != nil {
		return node.Path()
	}
	return ""
}

// helpAdvice returns the line about help that follows a usage error.
func (e *env) helpAdvice() string {
	if e.command == "" {
		return "Run `scas --help` for the commands, `scas COMMAND --help` for their flags."
	}
	return fmt.Sprintf("Run `scas %s --help` for help.", e.command)
}

// rewordParseError returns err, with advice if the command line has one of some common mistakes.
func rewordParseError(err *kong.ParseError) error {
	path, node := pathOf(err.Context), err.Context.Selected()
	if node == nil {
		node = err.Context.Model.Node
	}
	text, names := err.Error(), commandNames(node)
	argument, unexpected := strings.CutPrefix(text, "unexpected argument ")
	switch {
	case unexpected && names != nil:
		text = "there is no command " + strings.TrimSpace(path+" "+argument)
		if !strings.Contains(argument, ", did you mean ") {
			text += "; there are " + strings.Join(names, ", ")
		}
	case (path == "path" || path == "cv") && strings.HasPrefix(text, "unknown flag --lambda,"):
		text = fmt.Sprintf("unknown flag --lambda: scas %s fits many lambdas, see --lambdas; for a single one give scas train --lambda F", path)
	case path == "predict" && unexpected:
		text += ": give one file of DATA, and the model as -m FILE"
	case path == "train" && strings.HasPrefix(text, "--output must be one of"):
		text += "; for the file of the model give -o FILE"
	default:
		return err
	}
	return errors.New(text)
}
