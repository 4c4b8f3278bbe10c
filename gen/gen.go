// Package gen writes the amd64 assembly of package kernels.
//
// Each kernel is written as one Go function. Its parameters are a description of the instruction
// set (isa) and, for some kernels, the storage form of the nonzeros (storage). The function calls
// methods of an emitter, which emit the common parts: loops over vectors with a mask for the last
// elements, sums in the order of the numeric contract of package kernels, products with sparse rows,
// exponentials. The avo library allocates the registers and prints the assembly. Generate reads the
// layout of structs from the declarations in package kernels, and returns the generated files. A test
// compares them with the files in the repository. Read dense.go first, then stream.go.
//
// # How to add
//
// After each of these changes run go generate ./kernels, go test -short ./gen ./kernels and go test -short
// -tags purego ./kernels. For a new kernel, edit:
//
//   - kernels/set.go: a field of the type set, and its value in the variable generic. A kernel that exists
//     for each storage form is a field of rowSet instead
//   - kernels/generic_*.go: the function that is this value. It defines the bits of the kernel
//   - kernels/block.go: for each assembly call a function that is not inlined, with a name that ends with
//     Block
//   - kernels: the exported function that calls the kernel, as in dense.go. It checks lengths, reports its
//     reads and writes to the race detector, and cuts the work: a sum into pieces of chunk elements, other
//     work into pieces of maxWork.
//   - gen: a method of emitter, as in dense.go, with the name of the field, and the method in families
//     (gen.go). The helpers for it are in stream.go (loops over vectors) and arith.go (arithmetic);
//     constants.go has the names of constants.
//   - kernels/equal_test.go: a line in operations (TestEveryKernel requires it), and the new value of
//     golden, which TestEqual then prints. The new value is right only if TestEqual passed before the
//     line was added.
//   - kernels/preempt_test.go: the kernel with its bound in spy.set, and a line in TestBoundedWork
//   - kernels/contract_test.go (overlaps, inputs, allocations) and check_test.go (wrong arguments): the lists of
//     calls. No test fails if a kernel is missing in these lists.
//   - bench/internal/suite and bench/internal/naive, to measure it: a line in onVectors or onRows, and a
//     plain loop
//
// For a new storage form, edit:
//
//   - kernels/rows.go: a field of Rows; forms.go: the list of forms, formTexts, form, and the type of a stored
//     number in column or value
//   - kernels/set.go: the array rows in generic; hessian_panel.go: sumByPanels
//   - gen/storage.go: a variable for its columns or values, in columnForms or valueForms, in the order of the
//     method form
//   - other code that reads rows: git grep -w 'Idx16\|Val32' lists it in kernels, sparse/csr.go (where a
//     matrix gets its form), solver/internal and bench/internal/suite
//   - kernels/forms_test.go: formNames and inForm; equal_test.go: a storedOp for the form, and the new value
//     of golden as for a new kernel. Columns of fewer than 16 bits need fewer columns in TestForms,
//     TestRuns and hessianShapes.
//
// A new instruction set must have vectors of 4 or 8 lanes on amd64. Kernels in avx2Kernels (gen.go) and some
// parts of the emitter use 256-bit registers in every set, so a set below AVX2 needs new code for them.
// Edit:
//
//   - gen: a file with its isa, as avx512.go, and the list isas (isa.go), in ascending order of level
//   - kernels/level.go: a constant of type Level in the same order, with the name that isa.name has, and the
//     name of the level in levelNames
//   - kernels/level_amd64.go: the generated set in availableSets; an entry in features for each new processor
//     feature; a condition in capable if kernels may use vector registers above 15, because the list of
//     features that avo makes is then not complete
//   - kernels/level_test.go: the names in TestParseLevel; level_amd64_test.go: in TestNeeds, the features
//     that kernels of the level may need
//   - kernels/hessian_panel.go: perTile in panelsFaster, a cost that must be measured
//   - kernels/emulate_test.go: a processor that has the instruction set, if QEMU emulates one
//   - the name of the level: git grep -w avx512 lists the comments, help texts, tests and the README that
//     name all levels
package gen

import (
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// program is the name of the generator in the first line of each generated file.
const program = "scas/gen"

// A family is a group of kernels whose assembly is written to one file.
type family struct {
	name    string
	kernels []func(*emitter, *isa)
}

var families = []family{
	{"rows", avx2Kernels(append(formKernels((*emitter).margins), formKernels((*emitter).scatter)...)...)},
	{"dense", []func(*emitter, *isa){
		(*emitter).dot, (*emitter).axpy, (*emitter).clip, (*emitter).proxDual,
	}},
	{
		"slopes",
		[]func(*emitter, *isa){
			(*emitter).logisticSlopes, (*emitter).squaredSlopes, (*emitter).poissonSlopes,
			(*emitter).logisticFenchel, (*emitter).poissonFenchel,
		},
	},
	{"elements", []func(*emitter, *isa){(*emitter).innerDense, (*emitter).innerBox}},
	{"lazy", avx2Kernels((*emitter).innerLazy)},
	{"decay", []func(*emitter, *isa){(*emitter).innerDecay}},
	{"rotated", []func(*emitter, *isa){(*emitter).innerRotated, (*emitter).innerRotatedBall}},
	{"hessian", append(avx2Kernels(formKernels((*emitter).hessian)...), (*emitter).hessianPanel)},
}

// formKernels returns a function for each storage form. The function calls f to emit the kernel for its form.
func formKernels(f func(*emitter, *isa, *storage)) []func(*emitter, *isa) {
	var functions []func(*emitter, *isa)
	for _, s := range storages {
		functions = append(functions, func(e *emitter, t *isa) {
			f(e, t, s)
		})
	}
	return functions
}

// avx2Kernels returns functions that emit the given kernels for AVX2 only; higher levels use the same
// assembly. Wider vectors do not make these kernels faster.
func avx2Kernels(kernels ...func(*emitter, *isa)) []func(*emitter, *isa) {
	var functions []func(*emitter, *isa)
	for _, f := range kernels {
		functions = append(functions, func(e *emitter, t *isa) {
			if t == &avx2 {
				f(e, t)
				return
			}
			s := e.entries[len(e.entries)-1]
			s.isa = t
			e.entries = append(e.entries, s)
		})
	}
	return functions
}

// Generate returns the content of the generated files of package kernels by file name. It reads the
// other files of the package in the directory dir.
func Generate(dir string) (map[string][]byte, error) {
	pkg, err := declarations(dir)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	files := map[string][]byte{}
	var kernels []setEntry
	for _, fam := range families {
		group, err := fam.build(files, pkg)
		if err != nil {
			return nil, fmt.Errorf("gen: %s: %w", fam.name, err)
		}
		kernels = append(kernels, group...)
	}
	files["zsets_amd64.go"], err = goSets(kernels)
	if err != nil {
		return nil, fmt.Errorf("gen: sets: %w", err)
	}
	return files, nil
}

// build adds the assembly file and the Go file of a family to files, and returns the kernels of the
// family.
func (fam family) build(files map[string][]byte, pkg *types.Package) ([]setEntry, error) {
	e := newEmitter(pkg)
	for _, k := range fam.kernels {
		for _, t := range isas {
			k(e, t)
		}
	}
	f, err := e.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Concat(pass.Compile, checks).Execute(f); err != nil {
		return nil, err
	}
	cfg := printer.Config{Name: program, Pkg: "kernels"}
	files["z"+fam.name+"_amd64.s"], err = printer.NewGoAsm(cfg).Print(f)
	if err != nil {
		return nil, err
	}
	files["z"+fam.name+"_amd64.go"], err = printer.NewStubs(cfg).Print(f)
	if err != nil {
		return nil, err
	}
	features := map[string][]string{}
	for _, fn := range f.Functions() {
		features[fn.Name] = fn.ISA
	}
	for i, s := range e.entries {
		e.entries[i].features = features[s.function]
	}
	return e.entries, nil
}

// goSets returns the source of zsets_amd64.go: for every instruction set a table of the kernels,
// and the processor features that they need.
func goSets(kernels []setEntry) ([]byte, error) {
	var b strings.Builder
	b.WriteString("// Code generated by " + program + ". DO NOT EDIT.\n\n//go:build !purego\n\npackage kernels\n")
	for _, t := range isas {
		fmt.Fprintf(&b, "\nvar set%s = set{\n\tlevel: %s,\n", t.name, t.name)
		rowSets := map[*storage]string{}
		var features []string
		for _, k := range kernels {
			if k.isa != t {
				continue
			}
			features = append(features, k.features...)
			field := fmt.Sprintf("%s: %s,", k.field, k.function)
			if k.form != nil {
				rowSets[k.form] += field
			} else {
				fmt.Fprintln(&b, field)
			}
		}
		fmt.Fprintln(&b, "rows: [numForms]rowSet{")
		for _, form := range storages {
			fmt.Fprintf(&b, "{%s},\n", rowSets[form])
		}
		slices.Sort(features)
		fmt.Fprintf(&b, "},\nneeds: %#v,\n}\n", slices.Compact(features))
	}
	return format.Source([]byte(b.String()))
}
