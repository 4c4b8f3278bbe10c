package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// declarations returns what package kernels declares in dir. It ignores function bodies,
// imports and generated files, because they may contain errors before the files are generated.
func declarations(dir string) (*types.Package, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "z") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	cfg := types.Config{IgnoreFuncBodies: true, Sizes: gotypes.Sizes, Error: func(error) {}}
	pkg, _ := cfg.Check("kernels", fset, files, nil) // errors are expected: imports are not loaded
	return pkg, nil
}

// A pointer is a register that holds the address of a struct.
type pointer struct {
	reg.GPVirtual
	elem types.Type // the type of the struct
}

// loadPointers loads all pointer parameters into registers.
func (e *emitter) loadPointers(params *types.Tuple) {
	e.pointers = map[string]pointer{}
	for p := range params.Variables() {
		if t, ok := p.Type().(*types.Pointer); ok {
			r := e.GP64()
			e.Load(e.Param(p.Name()), r)
			e.pointers[p.Name()] = pointer{r, t.Elem()}
		}
	}
}

// param returns a parameter or, for a path such as a.Label, a field of the struct to which the
// pointer a points. The path to a field of an embedded struct does not name that struct.
func (e *emitter) param(path string) gotypes.Component {
	name, fields, ok := strings.Cut(path, ".")
	if !ok {
		return e.Param(name)
	}
	p := e.pointers[name]
	t, mem := p.elem, operand.Mem{Base: p.GPVirtual}
	for field := range strings.SplitSeq(fields, ".") {
		_, index, _ := types.LookupFieldOrMethod(t, true, e.pkg, field)
		if len(index) == 0 {
			panic(fmt.Sprintf("gen: %s: no field %s", path, field)) // a misspelt path in this package
		}
		for _, i := range index {
			s := t.Underlying().(*types.Struct)
			mem, t = mem.Offset(offset(s, i)), s.Field(i).Type()
		}
	}
	return gotypes.NewComponent(t.Underlying(), mem)
}

// offset returns the byte offset of field i of a struct.
func offset(s *types.Struct, i int) int {
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	return int(gotypes.Sizes.Offsetsof(fields)[i])
}
