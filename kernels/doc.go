// Package kernels provides the inner loops of the solver: sparse products, derivatives of
// losses, Hessians, inner steps of SCAS-ADMM and proximal maps on float64 vectors.
//
// Each kernel has three parts: an exported function, which checks the arguments; a definition in
// portable Go, in generic_*.go; and assembly in z*_amd64.s, which package gen writes. Read [Rows] and
// [Margins] first. The documentation of package gen lists what to change for a new kernel, storage form or
// instruction set.
//
// # The numeric contract
//
// Every kernel is defined by its pure-Go reference in generic_*.go, and every faster implementation
// gives the same bits as the reference; only the sign and payload of a NaN may differ. The same input
// therefore gives the same bits at every level, on every processor and with any number of threads. The
// reference follows these rules:
//
//   - the sum over a sparse row has 8 partial sums, called lanes; nonzero k of the row goes to lane
//     k mod 8 by one fused multiply-add; lanes start at +0 and are added as
//     ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7));
//   - a sum over a dense vector is cut into chunks of 4096 elements; the sums of the chunks are added,
//     in order, to +0; within a chunk element i goes to lane i mod 16; the 16 lanes become 8 by
//     l[i]+l[i+8], which are added as for a sparse row; only InnerRotated with a ball has 8 lanes
//     in place of 16;
//   - Gradient adds to an element in the order of the rows, and within a row in the order of the
//     nonzeros;
//   - the terms of an element of a Hessian are added in row order, however the work is divided;
//   - elementwise loops fuse a product and a sum where the doc comment writes FMA.
//
// Eight lanes fill one AVX-512 register. Compared with 4 lanes, they halve the chain of dependent
// additions, which saves time if the processor must wait for the sum of a row.
//
// # Storage forms
//
// Rows keep columns in 32 or 16 bits and values in 64 or 32 bits, or no values if all are
// 1. A storage form changes only how the numbers are loaded, not the arithmetic: if the
// form represents the numbers exactly, every result has the same bits. Margins, Gradient and
// Hessian have one kernel for each form. An inner loop on sparse rows (see Steps) has one kernel
// for all forms, whose assembly first decodes the row into a Scratch.
//
// # Accuracy
//
// If the absolute value of the margin is at most 708, errors are at most
//
//   - 1.25 ulp in ExpNeg,
//   - 2 ulp in Exp,
//   - 2.1 ulp in the slope of the logistic loss,
//   - 1.6 ulp in the logistic loss.
//
// Tests compare these functions with math/big. Without overflow and underflow, the error of a sum of n
// products is at most gamma_n = n u/(1 - n u) times the sum of their absolute values, where u = 2^-53.
//
// # Levels
//
// A level is one implementation of all kernels. Generic is portable Go. AVX2 needs AVX2, FMA
// and BMI1; AVX512 needs the whole of x86-64-v4. The package starts with the highest level
// that the processor offers, or with the one that the environment variable SCAS_LEVEL
// names (generic, avx2 or avx512); Use changes it later. EnvError returns an error if
// SCAS_LEVEL names an unknown level or one that the machine lacks. With the build tag
// purego there is only Generic. The generator lists the processor features that the kernels of a
// level need, and a level is offered only if the processor has them all.
// Without fused multiply-add hardware Generic gives the same bits but is slow.
//
// # Safety
//
// Functions panic if the lengths of slices disagree, or if a vector has fewer elements than Rows has
// columns. They trust the column indices, and all row pointers except the first and the last; package
// sparse checks these.
//
// An output must not overlap another argument unless the doc comment of the function allows it.
// Functions on rows panic if it does. Most functions on vectors alone do not check this, to save
// time; their results may then differ between levels.
//
// Kernels may run in any number of goroutines with different outputs, and the race detector sees
// what they read and write. The scheduler cannot pre-empt assembly, so one assembly call processes
// about 65536 nonzeros or elements at most, or a single longer step of an inner loop. Kernels
// allocate no memory except scratch memory: see Scratch and HessianScratch.
//
// # Why assembly
//
// The experimental package simd/archsimd of Go 1.26 has no gather and no scatter, and may
// change between releases. Once it has these instructions and is no longer an experiment, it
// should replace this assembly.
package kernels

//go:generate go run ../gen/cmd/gen
