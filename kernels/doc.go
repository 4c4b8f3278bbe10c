// Package kernels provides the inner loops of the solver: sparse products,
// loss derivatives, projected steps and proximal maps on float64 vectors.
//
// # The numeric contract
//
// Every kernel is defined by its pure-Go reference in the generic files, and
// every faster implementation equals that reference bit for bit; only the
// payload of a NaN may differ. The same input therefore gives the same bits on
// every level, processor and number of threads:
//
//   - the sum over a sparse row has 8 lanes; nonzero k of the row goes to lane
//     k mod 8 by one fused multiply-add; lanes start at +0 and are added as
//     ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7));
//   - a sum over a dense vector is cut into chunks of 4096 elements whose sums
//     are added in order to +0; within a chunk element i goes to lane i mod 16,
//     lanes are folded by l[i]+l[i+8] and then added as above;
//   - scatter-adds run in row order, then index order;
//   - elementwise work fuses exactly where the doc comment writes FMA.
//
// # Safety
//
// Functions panic when slices disagree in length. They trust the column
// indices of Rows, which were validated when the matrix was built. Slices must
// not overlap unless the doc comment of the function says they may.
package kernels

//go:generate go run ../gen/cmd/gen -out .
