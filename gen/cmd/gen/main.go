// Gen writes the generated files of package kernels into the working directory, which must be the directory
// of this package: go generate ./kernels runs it.
package main

import (
	"log"
	"os"

	"github.com/scas-admm/scas/gen"
)

func main() {
	log.SetFlags(0)
	files, err := gen.Generate(".")
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			log.Fatal("gen: ", err)
		}
	}
}
