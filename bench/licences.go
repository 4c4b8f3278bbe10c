package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/program"
	"github.com/scas-admm/scas/bench/race"
)

type licencesCmd struct{}

// Help returns the text that bench licences --help adds to the list of flags.
func (licencesCmd) Help() string {
	return `Lists the modules linked into the program, with their versions and licences, by the
licence files in their source. The exit code is 1 if a module has no
licence, a licence that is not known, or one that is not accepted.`
}

func (licencesCmd) Run(e *race.Env) error {
	list, err := modules(e.Ctx, program.Path)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.Path, m.Version, joinOrNone(m.licences))
	}
	return errors.Join(w.Flush(), checkLicences(list))
}

// A module is a Go module that is linked into a program.
type module struct {
	Path, Version string
	Dir           string   // directory of its source
	licences      []string // names of the licences in its licence files, as in classify, or "unknown (FILE)"
}

// modules returns the modules of all packages that are linked into the given packages, in the order of their
// paths. They include this module, and the standard library as a module with the path go.
func modules(ctx context.Context, packages ...string) ([]module, error) {
	out, err := goCommand(ctx, append([]string{"list", "-deps", "-json=Module"}, packages...)...)
	if err != nil {
		return nil, err
	}
	goroot, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	list := []module{{Path: "go", Version: "standard library", Dir: strings.TrimSpace(string(goroot))}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ Module *module }
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !seen[p.Module.Path] {
			seen[p.Module.Path] = true
			list = append(list, *p.Module)
		}
	}
	for k := range list {
		list[k].licences, err = licencesIn(list[k].Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list[k].Path, err)
		}
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return out, nil
}

// licencesIn returns the names of the licences in the licence files of a module's root directory.
func licencesIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() ||
			!strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") &&
				!strings.HasPrefix(name, "UNLICENSE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		licences := classify(string(text))
		if len(licences) == 0 {
			licences = []string{"unknown (" + e.Name() + ")"}
		}
		names = append(names, licences...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// phrases has texts that identify licences, in lower case and with single spaces.
var phrases = []struct{ name, phrase string }{
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"BSD", "redistribution and use in source and binary forms"},
	{"Apache-2.0", "apache license version 2.0"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"FTL", "your choice of exactly one of the following two licenses: * the freetype license"},
	{"CC-BY-4.0", "creative commons attribution 4.0 international"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
	{"MPL", "mozilla public license"},
	{"AGPL", "gnu affero general public license version"},
	{"LGPL", "gnu lesser general public license version"},
	{"GPL", "gnu general public license version"},
}

// accepted are the licences under which the program may be distributed.
var accepted = []string{
	"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "OFL-1.1", "FTL", "CC-BY-4.0", "Unlicense",
}

// classify returns the names of the licences in a text. They are SPDX names, but MPL, AGPL, LGPL and GPL have
// no version.
func classify(text string) (names []string) {
	text = strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("#", " ", "//", " ").Replace(text)), " "))
	for _, p := range phrases {
		name := p.name
		if !strings.Contains(text, p.phrase) {
			continue
		}
		if name == "BSD" {
			name = "BSD-2-Clause"
			if strings.Contains(text, "neither the name") ||
				strings.Contains(text, "may not be used to endorse") ||
				strings.Contains(text, "contributors may be used to endorse") {
				name = "BSD-3-Clause"
			}
		}
		names = append(names, name)
	}
	return names
}

// checkLicences returns an error that names the modules without a licence, and the modules with a licence
// that is unknown or not accepted.
func checkLicences(list []module) error {
	var errs []error
	for _, m := range list {
		bad := slices.ContainsFunc(m.licences,
			func(name string) bool { return !slices.Contains(accepted, name) })
		if bad || len(m.licences) == 0 {
			errs = append(errs,
				fmt.Errorf("%s %s: licence %s: expected %s",
					m.Path, m.Version, joinOrNone(m.licences), strings.Join(accepted, ", ")))
		}
	}
	return errors.Join(errs...)
}

func joinOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}
