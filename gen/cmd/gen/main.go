// Gen writes the generated files of package kernels: go generate ./kernels runs it.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/gen"
)

func main() {
	log.SetFlags(0)
	// flag.CommandLine cannot be used, because avo/build defines -out, -stubs, -pkg and more in it.
	fs := flag.NewFlagSet("gen", flag.ExitOnError)
	out := fs.String("out", ".", "directory of package kernels")
	_ = fs.Parse(os.Args[1:]) // exits on error
	files, err := gen.Generate(*out)
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(*out, name), data, 0o666); err != nil {
			log.Fatal("gen: ", err)
		}
	}
}
