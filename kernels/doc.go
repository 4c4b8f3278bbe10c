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
//   - an element of a Hessian takes its rows in order, whatever tile it is in;
//   - elementwise work fuses exactly where the doc comment writes FMA.
//
// Eight lanes for sparse rows were chosen by measurement: on a Zen 5 core rows of
// 14 nonzeros took 0.23 ns a nonzero with 8 lanes and with 4, rows of 75 took
// 0.30 and 0.29; 8 lanes are one AVX-512 register and halve the chain of a row
// that is waited for.
//
// # Storage forms
//
// Rows may keep columns in 32 or 16 bits and values in 64, 32 or no bits. A form
// changes the loads and nothing else, so where it keeps the numbers it keeps the
// bits of every result. Margins and Gradient exist once per form; the fused inner
// loops decode a row into a Scratch, off the chain of dependent operations, and
// exist once.
//
// # Accuracy
//
// The exponential is within 1.25 ulp, the logistic slope within 2.1 and the
// logistic loss within 1.6 ulp of the exact value for |margin| <= 708; tests hold
// them to math/big. A sum of n products is within the usual gamma_n bound of
// the exact one.
//
// # Levels
//
// Generic is portable Go. AVX2 needs AVX2 and FMA, AVX512 the whole of
// x86-64-v4. The highest level the processor offers is used; the environment
// variable SCAS_LEVEL (generic, avx2 or avx512) chooses another at start, Use
// later; a value that cannot be honoured is an error (EnvError), never ignored.
// The build tag purego leaves Generic alone. What a level needs is read off its
// instructions by the generator and checked before it is offered.
// Without fused multiply-add hardware Generic is right but slow.
//
// # Safety
//
// Functions panic when slices disagree in length, or are shorter than the columns
// of Rows. They trust the column indices themselves and the row pointers between
// the first and the last, which were validated when the matrix was built (for
// those from elsewhere there is Rows.Check). Slices must not overlap unless the doc
// comment of the function says they may: calls on rows panic if they do, calls on
// vectors alone, which take some nanoseconds, do not look, write nothing outside
// and may give other numbers at every level. Nothing allocates. Kernels may run in any number of goroutines on different outputs;
// the race detector sees what they read and write. One assembly call is bounded
// to 65536 nonzeros or elements, with a pre-emption point between calls; a
// longer row is cut with its lanes kept, which changes no bit. The fused inner
// loops stop after the step that reaches that bound and allocate nothing if
// Steps has a Scratch.
//
// # Why assembly
//
// The experimental package simd/archsimd of Go 1.26 has no gather and no
// scatter, changes between releases and hides behind an experiment flag. When
// it gains them and leaves the experiment it should replace this assembly: the
// contract above does not name an instruction. Until then package gen writes
// each kernel once and emits it for every instruction set.
package kernels

//go:generate go run ../gen/cmd/gen -out .
