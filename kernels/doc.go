// Package kernels provides the inner loops of the solver: sparse products, derivatives of
// losses, Hessians, projected gradient steps and proximal maps on float64 vectors.
//
// The file of a kernel holds the exported function, which checks its arguments;
// generic_*.go holds its definition in portable Go; z*_amd64.s holds assembly, which
// package gen writes. Read [Rows] and [Margins] first. The documentation of package gen
// lists what to change for a new kernel, storage form or instruction set.
//
// # The numeric contract
//
// Every kernel is defined by its pure-Go reference in the generic files, and
// every faster implementation equals that reference bit for bit; only the
// sign and payload of a NaN may differ. The same input therefore gives the same bits at every
// level, on every processor and with any number of threads:
//
//   - the sum over a sparse row has 8 lanes; nonzero k of the row goes to lane
//     k mod 8 by one fused multiply-add; lanes start at +0 and are added as
//     ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7));
//   - a sum over a dense vector is cut into chunks of 4096 elements whose sums
//     are added in order to +0; within a chunk element i goes to lane i mod 16,
//     lanes are folded by l[i]+l[i+8] and then added as above;
//   - Gradient adds to an element in row order, then index order;
//   - the terms of an element of a Hessian are added in row order, however the work is divided;
//   - elementwise work fuses exactly where the doc comment writes FMA.
//
// Eight lanes for sparse rows were chosen by measurement on a Zen 5 core. Rows of 14
// nonzeros took 0.23 ns a nonzero with 8 lanes and with 4; rows of 75 took 0.30 and 0.29.
// Eight lanes fill one AVX-512 register. They also halve the chain of dependent
// additions, which counts where the processor waits for the sum of one row.
//
// # Storage forms
//
// Rows keep columns in 32 or 16 bits and values in 64 or 32 bits, or no values if all are
// 1. A storage form changes only how the numbers are loaded, not the arithmetic: if the
// form holds the numbers exactly, every result has the same bits. Margins, Gradient and
// Hessian have one kernel for each form. The fused inner loops have one kernel for all
// forms: they first decode a row into a Scratch, while the processor waits for earlier
// results.
//
// # Accuracy
//
// For |margin| <= 708 the exponential is within 1.25 ulp of the exact value, the logistic
// slope within 2.1 ulp and the logistic loss within 1.6 ulp; tests compare them with
// math/big. A sum of n products satisfies the usual bound gamma_n.
//
// # Levels
//
// A level is one implementation of all kernels. Generic is portable Go. AVX2 needs AVX2
// and FMA; AVX512 needs the whole of x86-64-v4. The package starts with the highest level
// that the processor offers, or with the one that the environment variable SCAS_LEVEL
// names (generic, avx2 or avx512); Use changes it later. EnvError returns an error if
// SCAS_LEVEL names an unknown level or one that the machine lacks. With the build tag
// purego there is only Generic. The generator lists the processor features that each
// kernel's instructions need, and a level is offered only if the processor has them all.
// Without fused multiply-add hardware Generic gives the same bits but is slow.
//
// # Safety
//
// Functions panic if the lengths of slices disagree, or if a slice is shorter than the
// columns of Rows. They trust the column indices and the inner row pointers, which package sparse
// checks.
//
// Slices must not overlap unless the doc comment of the function allows it. Functions on
// rows panic if they do. Functions on vectors alone take some nanoseconds and do not
// check: with overlapping slices they write nothing outside of them, but their results
// may differ between levels.
//
// Kernels may run in any number of goroutines with different outputs, and the race detector sees
// what they read and write. One assembly call processes at most 65536 nonzeros or elements, and the
// scheduler can pre-empt between calls. A longer row is cut, and its lanes are kept from one call
// to the next, which changes no bit. A fused inner loop stops after the step that reaches the
// bound. Kernels allocate memory only in these cases: a fused inner loop has no Scratch in Steps,
// or a row of more than 16384 nonzeros; Hessian has no HessianScratch, or uses panels for the first
// time.
//
// # Why assembly
//
// The experimental package simd/archsimd of Go 1.26 has no gather and no scatter, may
// change between releases, and needs an experiment flag. Once it has these instructions
// and is no longer an experiment, it should replace this assembly: the contract above
// names no instruction. Package gen writes each kernel once and emits it for every
// instruction set.
package kernels

//go:generate go run ../gen/cmd/gen -out .
