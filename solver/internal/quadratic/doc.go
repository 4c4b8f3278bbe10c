// Package quadratic minimises a convex quadratic function plus a penalty:
//
//	minimise over u   g'(u − x) + (u − x)'H(u − x)/2 + penalty(u).
//
// Such a problem is one step of the proximal Newton method of package exact.
//
// There are three kinds of problems, each with its own algorithm:
//
// A [Separable] problem has penalties and bounds on single coordinates. Sweeps of coordinate descent find out
// which coordinates are zero or at a bound; Newton steps minimise over the other coordinates (Hsieh et al.
// 2014, QUIC; Yuan, Ho, Lin 2012, newGLMNET). Sweeps and Newton steps alternate. The matrix is stored with
// all its entries ([Dense], solved by a Cholesky factorisation), or is X'WX plus a diagonal matrix, given by
// columns of X and a diagonal W ([Columns], solved by conjugate gradients).
//
// A [Grouped] problem has norms of groups of coordinates as its penalty. Sweeps of proximal steps over the
// groups find out which groups are zero; Newton steps minimise over the other coordinates.
//
// A [Coupled] problem is one of three kinds: it has a penalty of A u, for example of the differences along
// the edges of a graph; its penalty has norms of groups of entries of A u; or its set is no product of
// intervals, such as a ball. A primal-dual path-following (interior-point) method solves it. The matrix is
// stored, with a Cholesky factor, or is an [Implicit], solved by conjugate gradients.
// [Coupled.MakeExact] then makes the zeros and ties (coefficients that are equal, up to a fixed factor) of the
// solution exact.
//
// The first algorithm is in separable.go; dense.go and columns.go have its two matrices. eliminated.go
// eliminates the coordinate FreeIndex, such as an intercept, and support.go factors a Dense matrix for Newton
// steps. The second algorithm is in grouped.go. The third is in coupled.go (Solve), smoothing.go and
// barriers.go; implicit.go has its second matrix. Linear systems with a stored matrix are solved by system.go.
// Zeros and ties are in exact.go and partition.go.
package quadratic
