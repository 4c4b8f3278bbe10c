// Package graph provides graphs whose nodes are the features of a model: weighted graphs
// over the columns of a data matrix, and the constraint matrices A of the graph-guided
// fused lasso (Kim, Sohn and Xing 2009) made from them. Read [Graph] first.
//
// An edge between features i and j with weight w is the row |w| (x_i - sign(w) x_j) of the
// incidence matrix G. The penalty |G x|_1 pulls the coefficient x_i towards sign(w) x_j, with
// strength |w|. The matrix A = [G; I] adds the penalty of the lasso.
//
// Graphs are read from edge lists and Matrix Market files, given by a formula (Chain, Grid), or
// made from a Covariance, which comes from data or from a file. Threshold, Strongest and KNearest
// join correlated features. PublishedRecipe computes the graph that published programs of
// stochastic ADMM use. Package glasso estimates a sparse inverse covariance matrix. Package draw
// makes pictures of graphs.
package graph
