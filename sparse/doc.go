// Package sparse reads, stores and writes data: an immutable matrix in compressed sparse
// row format (CSR), the file formats of data sets, deterministic random splits, column
// statistics and seeded synthetic problems. Losses and optimisation are not part of it.
// Graphs over features are in the sub-package graph.
//
// Read [Dataset] and [CSR] first. [Read], [ReadFile], [Write] and [WriteFile] handle
// every [Format]; a [Builder] makes a Dataset from rows that a program has.
//
// A matrix is validated when it is built from data: columns are strictly increasing within
// each row and in range, and values are finite. Kernels rely on that without further
// checks. The exception is a file larger than memory (ReadOptions.Beyond): the caller must
// validate its rows with CSR.Check before the first use.
//
// Every computation gives the same bits on every architecture: sums have a fixed order,
// only package kernels uses fused multiply-add, and random numbers do not depend on the Go
// version.
//
// # How to add a file format
//
//   - format.go: a constant of type Format with its description; the file endings in the
//     comment of FormatOf; what the format loses in the comment of WriteFile; and a line in
//     fileFormats, whose field convert may be nil
//   - a file FORMAT.go with two functions, read and write, as in matrixmarket.go
//   - readoptions.go: if the format always contains labels, ReadOptions.forFile must refuse
//     a LabelsFile
//   - format_test.go: TestFormatOf, TestWriteFile, TestHugeSizes and, for a sparse format,
//     TestIgnoreBeyond
//   - formats_fuzz_test.go: a fuzz test that compares read with a simple reader
//   - README.md, and the places that git grep -nwi 'np[yz]' '*.go' finds in solver/cmd/scas
//     and bench/internal/attack
//
// What read must do:
//
//   - It reads its input as a stream of decompressed bytes, or gets all of it from readText or
//     from decompressor.randomAccess.
//   - It calls ReadOptions.checkMemory before it allocates memory for a size that the file
//     states. A file of one line may state 2^31 rows.
//   - An error in the data is a *ParseError with the file, and with the line, column and
//     token if the format has lines.
//   - It applies Features and IgnoreBeyond of ReadOptions and, if the file names its features, Names. It sets
//     the labels and Dataset.Stats, except Compression and Bytes. newData does all this.
//
// A write function takes the labels from Dataset.OriginalLabels.
package sparse
