// Package graph describes which features of a model belong together: weighted
// graphs over the columns of a data matrix, and the constraint matrices A of the
// graph-guided fused lasso (Kim, Sohn and Xing 2009) made from them.
//
// An edge between features i and j with weight w asks x_i and sign(w) x_j to be
// equal, with a strength of |w|: it is the row |w| (x_i - sign(w) x_j) of the
// incidence matrix G, and A = [G; I] adds plain sparsity.
//
// Graphs are read from edge lists and Matrix Market files, known beforehand
// (Chain, Grid), or made from a Covariance, which comes from data or from a file:
// Threshold, Strongest and KNearest look at correlations, PublishedRecipe repeats
// what published codes do. Sparse inverse covariance selection, which solves an
// optimisation problem for its graph, is in glasso; pictures are in draw.
package graph
