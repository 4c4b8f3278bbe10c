// Package sparse holds everything scas knows about data: an immutable
// compressed-sparse-row matrix, readers and writers of LIBSVM text, of tables (CSV, TSV),
// of NumPy's and SciPy's arrays (npy, npz), of the Matrix Market and of other coordinate
// ("rows cols nnz") matrix files, of a binary form that is mapped (scas), deterministic splits, column statistics and seeded
// synthetic problems. Read and ReadFile choose by the ending of a name. It knows nothing
// about losses or optimisation. Graphs over features are in the sub-package graph.
//
// A matrix is validated once, when it is built: columns strictly increasing
// within each row and in range, values finite. Kernels rely on that and check
// nothing again, so there is no way to obtain a *CSR that breaks it and no way
// to change one afterwards. Rows of files larger than memory (ReadOptions.Beyond) are
// validated by who goes through them, before use: CSR.Check.
//
// Every computation here gives the same bits on every architecture: sums have
// a fixed order, products are never fused unless math.FMA says so, and random
// draws do not depend on the Go version.
package sparse
