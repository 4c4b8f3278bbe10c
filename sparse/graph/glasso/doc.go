// Package glasso estimates sparse inverse covariance matrices by the graphical lasso: Theta minimises
//
//	-log det Theta + tr(S Theta) + rho |Theta|_1
//
// for the covariance or correlation matrix S of the features (Banerjee, El Ghaoui and d'Aspremont 2008). If
// an entry of Theta is 0, its two features are uncorrelated, given all other features; the non-zero entries
// off the diagonal are the edges of a graph. Estimate computes Theta for a given penalty rho, and
// EstimateEdges for a given number of edges. Result.Graph returns the graph.
//
// The algorithm is a proximal Newton method (Hsieh, Sustik, Dhillon and Ravikumar 2011). It solves each
// connected component of the graph whose edges are the pairs with |S_ij| > rho by itself. Every estimate
// comes with a duality gap. Read Estimate first, then newtonBlock.
package glasso
