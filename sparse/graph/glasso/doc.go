// Package glasso estimates sparse inverse covariance matrices: Theta minimises
//
//	-log det Theta + tr(S Theta) + rho |Theta|_1
//
// for the covariance or correlation matrix S of the features (Banerjee, El Ghaoui
// and d'Aspremont 2008, the graphical lasso). Two features whose entry of Theta is
// 0 have nothing in common that the others do not explain, so the others make a
// graph: Estimate finds Theta for a penalty rho, EstimateEdges for about a number
// of edges, and Result.Graph makes the graph.
//
// Everything about the optimisation is here: the proximal Newton method, its
// duality gap, which every estimate comes with, and the search for a penalty. The
// covariance and its screening into components are those of package graph.
package glasso
