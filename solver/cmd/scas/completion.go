package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `Examples:

    source <(scas completion bash)
    source <(scas completion zsh)
    scas completion fish | source

Run such a line when the shell starts. The shell then completes commands, flags, and
the values of flags that have only a few values.`
}

func (c *completionCmd) Run(e *env, k *kong.Context) error {
	if c.Shell == "fish" {
		return e.print(fishCompletion(k.Model))
	}
	preamble := ""
	if c.Shell == "zsh" {
		preamble = "autoload -U +X bashcompinit && bashcompinit\n"
	}
	return e.print(preamble + bashCompletion(k.Model))
}

func commandNames(n *kong.Node) (names []string) {
	for _, child := range n.Children {
		names = append(names, child.Name)
	}
	return names
}

// walkCommands calls visit for every command below n.
func walkCommands(n *kong.Node, visit func(n *kong.Node)) {
	for _, child := range n.Children {
		visit(child)
		walkCommands(child, visit)
	}
}

func flagNames(f *kong.Flag) []string {
	names := []string{"--" + f.Name}
	if f.Tag.Negatable != "" {
		names = append(names, "--no-"+f.Name)
	}
	if f.Short != 0 {
		names = append(names, "-"+string(f.Short))
	}
	return names
}

// completionsOf returns the values that completion offers for a flag, or nil if it offers none.
func completionsOf(f *kong.Flag) []string {
	if f.Enum != "" {
		return f.EnumSlice()
	}
	if completer, ok := f.Target.Interface().(interface{ completions() []string }); ok {
		return completer.completions()
	}
	return nil
}

func bashCompletion(app *kong.Application) string {
	var b strings.Builder
	b.WriteString(`_scas() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" words=""
    [ "$command" = model ] && [ "$COMP_CWORD" -gt 2 ] && command="model ${COMP_WORDS[2]}"
    [ "$COMP_CWORD" -le 1 ] && command=""
    case "$command $prev" in
`)
	var cases string
	walkCommands(app.Node, func(n *kong.Node) {
		words := commandNames(n)
		for _, f := range n.Flags {
			words = append(words, flagNames(f)...)
			if values := completionsOf(f); values != nil {
				fmt.Fprintf(&b, "    \"%s --%s\") COMPREPLY=($(compgen -W %q -- \"$cur\")); return;;\n",
					n.Path(), f.Name, strings.Join(values, " "))
			}
		}
		cases += fmt.Sprintf("    %q) words=%q;;\n", n.Path(),
			strings.Join(append(words, globalFlags(app)...), " "))
	})
	fmt.Fprintf(&b, "    esac\n    case \"$command\" in\n    \"\") words=%q;;\n%s    esac\n",
		strings.Join(append(commandNames(app.Node), globalFlags(app)...), " "), cases)
	b.WriteString(`    case "$cur" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$cur"));;
    *)  [ "$COMP_CWORD" -le 1 ] || [ "$command" = model ] && COMPREPLY=($(compgen -W "$words" -- "$cur")) || COMPREPLY=();;
    esac
}
complete -o default -F _scas scas
`)
	return b.String()
}

func globalFlags(app *kong.Application) (names []string) {
	for _, f := range app.Flags {
		names = append(names, flagNames(f)...)
	}
	return names
}

func fishCompletion(app *kong.Application) string {
	var b strings.Builder
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	walkCommands(app.Node, func(n *kong.Node) {
		commandCondition, flagCondition := "__fish_use_subcommand", "__fish_seen_subcommand_from "+n.Name
		if n.Parent != app.Node {
			commandCondition = "__fish_seen_subcommand_from " + n.Parent.Name
			flagCondition = commandCondition + "; and " + flagCondition
		}
		fmt.Fprintf(&b, "complete -c scas -n %s -a %s -d %s\n", quote(commandCondition), n.Name,
			quote(n.Help))
		for _, f := range n.Flags {
			fmt.Fprintf(&b, "complete -c scas -n %s -l %s", quote(flagCondition), f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %c", f.Short)
			}
			if !f.IsBool() {
				b.WriteString(" -r")
			}
			if values := completionsOf(f); values != nil {
				fmt.Fprintf(&b, " -f -a %s", quote(strings.Join(values, " ")))
			}
			summary, _, _ := strings.Cut(f.Help, ". ")
			fmt.Fprintf(&b, " -d %s\n", quote(summary))
			if f.Tag.Negatable != "" {
				fmt.Fprintf(&b, "complete -c scas -n %s -l no-%s\n", quote(flagCondition), f.Name)
			}
		}
	})
	return b.String()
}
