// Package sparse holds everything scas knows about data: an immutable
// compressed-sparse-row matrix, the forms of files that data have, deterministic splits,
// column statistics and seeded synthetic problems. Read, ReadFile, Write and WriteFile take
// every Format; a Builder takes rows that a program has. The package knows nothing about
// losses or optimisation. Graphs over features are in the sub-package graph.
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
