"""CVXOPT's primal-dual interior-point method for convex programs, solvers.cp:
minimise f(x) + l1 sum t subject to -t <= A x <= t."""

import sys

from peer import Problem, serve, unable

problem = Problem(sys.argv[1], {"fit": ("logistic",)})
n, p = problem.n, problem.p
l = (p if problem.identity else problem.rows_of_a) if problem.l1 > 0 else 0
if p + l > 1500:
    unable("its systems are dense: at most 1,500 variables")
problem.load()

import cvxopt
import numpy as np
import scipy.sparse
from cvxopt import matrix, solvers, spmatrix

A = scipy.sparse.identity(p, format="csr") if problem.A is None else problem.A
Z = problem.X.multiply(problem.y[:, None]).tocsr()
if n * p <= 10**8 and Z.nnz > n * p / 20:
    Z = Z.toarray()  # a dense product is faster than one of sparse rows


def F(u=None, weights=None):
    if u is None:
        return 0, matrix(0.0, (p + l, 1))
    u = np.array(u).ravel()
    x, margin = u[:p], Z @ u[:p]
    value = np.logaddexp(0, -margin).mean() + problem.l2 / 2 * x @ x + problem.l1 * u[p:].sum()
    s = np.exp(-np.logaddexp(0, margin))
    gradient = np.concatenate((-(Z.T @ s) / n + problem.l2 * x, np.full(l, problem.l1)))
    if weights is None:
        return matrix(value), matrix(gradient).T
    curvature = s * (1 - s) / n
    if scipy.sparse.issparse(Z):
        top = (Z.T @ Z.multiply(curvature[:, None]).tocsr()).toarray()
    else:
        top = Z.T @ (Z * curvature[:, None])
    H = np.zeros((p + l, p + l))
    H[:p, :p] = weights[0] * (top + problem.l2 * np.eye(p))
    return matrix(value), matrix(gradient).T, matrix(H)


def constraints():
    if l == 0:
        return {}
    one = scipy.sparse.identity(l)
    G = scipy.sparse.bmat([[A, -one], [-A, -one]]).tocoo()
    return dict(G=spmatrix(G.data.tolist(), G.row.tolist(), G.col.tolist(), G.shape), h=matrix(0.0, (2 * l, 1)))


limits = constraints()
solvers.options.update(show_progress=False, maxiters=300)


def fit(tolerance):
    solvers.options.update(abstol=tolerance, reltol=tolerance, feastol=tolerance)
    return np.array(solvers.cp(F, **limits)["x"]).ravel()[:p]


serve(problem, cvxopt.__version__, (1e-2, 1e-10), fit)
