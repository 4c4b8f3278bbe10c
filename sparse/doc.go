// Package sparse reads, stores and writes data: an immutable matrix in compressed sparse
// row format (CSR), the file formats of data sets, deterministic random splits, column
// statistics and seeded synthetic problems. It knows nothing about losses or
// optimisation. Graphs over features are in the sub-package graph.
//
// Read [Dataset] and [CSR] first. [Read], [ReadFile], [Write] and [WriteFile] handle
// every [Format]; a [Builder] makes a Dataset from rows that a program has.
//
// A matrix is validated once, when it is built: columns are strictly increasing within
// each row and in range, and values are finite. Kernels rely on that without further
// checks, so there is no way to obtain an invalid *CSR or to change one. Rows of files
// larger than memory (ReadOptions.Beyond) are the exception: their user must validate
// them with CSR.Check before the first use.
//
// Every computation gives the same bits on every architecture: sums have a fixed order,
// products are fused only where math.FMA is written, and random numbers do not depend on
// the Go version.
//
// # How to add a file format
//
//   - format.go: a constant of type Format with its description, the file endings in
//     FormatOf's comment, and a line in fileFormats
//   - a file FORMAT.go with two functions: read, which returns a Dataset and calls
//     Dataset.labelled for its labels, and write
//   - format_test.go: TestWriteFile writes and reads every format; state there what the
//     format loses
//   - formats_fuzz_test.go: a fuzz test that compares read with a simple reader
//   - solver/cmd/scas/format.go and README.md: its name and ending
package sparse
