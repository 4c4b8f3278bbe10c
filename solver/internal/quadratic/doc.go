// Package quadratic minimises a quadratic function plus a penalty. It knows neither losses nor
// labels: package exact makes such a problem in each step of the proximal Newton method.
//
// A [Separable] problem has a penalty and bounds on single coordinates. It is solved by
// coordinate descent, which finds out which coordinates are zero, in turn with Newton steps on the
// coordinates that are not, as in Hsieh et al. 2014 (QUIC) and Yuan, Ho, Lin 2012 (newGLMNET).
// Without limits and bounds it is a linear system, and is solved as one.
// The matrix is either formed ([Dense]) or given by the columns of Z in Z'Z ([Columns]).
//
// A [Coupled] problem has a penalty of A u, such as differences along the edges of a graph, or
// groups, or any of the sets. It is solved by a primal-dual path-following method on a dense or banded
// matrix. Its Exact then reads off which rows of A u are zero, and makes these zeros and ties exact.
package quadratic
