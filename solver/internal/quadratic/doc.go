// Package quadratic minimises a convex quadratic function plus a penalty. Such a problem is one step of the
// proximal Newton method of package exact.
//
// There are two kinds of problems, each with its own algorithm:
//
// A [Separable] problem has penalties and bounds on single coordinates. Sweeps of coordinate descent find
// out which coordinates are zero or at a bound; Newton steps minimise over the other ones (Hsieh
// et al. 2014, QUIC; Yuan, Ho, Lin 2012, newGLMNET). Sweeps and Newton steps alternate. A Newton step treats
// the signs of the coordinates as constant. So its end has multipliers, and proves a lower bound of the
// minimum, even if coordinates cross zero. Without penalties and bounds the problem is a linear system, and
// only Newton steps are made. An intercept is eliminated (eliminated.go). The matrix is either formed
// ([Dense], solved by a Cholesky factorisation) or is Z'Z, given by the columns of Z ([Columns], solved by
// conjugate gradients).
//
// A [Coupled] problem has a penalty of A u, for example of the differences along the edges of a graph, or
// norms of groups, or any set of package term. It is solved by a primal-dual path-following
// (interior-point) method with a full or band Cholesky factor. [Coupled.MakeExact] then makes the zeros and
// ties of the solution exact.
//
// To read: separable.go for the first algorithm; coupled.go (Solve), smoothing.go and barriers.go for
// the second; exact.go, structure.go and partition.go for zeros and ties.
package quadratic
