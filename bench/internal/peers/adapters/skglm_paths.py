"""skglm's Lasso and SparseLogisticRegression, from one lambda to the next with warm starts.
Their objectives are mean squared loss / 2 + alpha |x|_1 and mean logistic loss + alpha |x|_1."""

import sys
import warnings

from peer import Problem, by_columns, serve_paths

losses = ("squared", "logistic")
problem = Problem(sys.argv[1], {"path": losses, "cv": losses}).load()

import numpy as np
import skglm

warnings.filterwarnings("ignore")  # about convergence, which the objective shows


def path(X, y, tolerance, lambdas=problem.lambdas):
    options = dict(tol=tolerance, max_iter=1000, fit_intercept=problem.intercept, warm_start=True)
    if problem.loss == "squared":
        model, lambdas = skglm.Lasso(**options), lambdas / 2
    else:
        model = skglm.SparseLogisticRegression(**options)
    rows = []
    for alpha in lambdas:
        model.alpha = alpha
        model.fit(X, y)
        rows.append(np.append(np.ravel(model.coef_), np.ravel(model.intercept_) if problem.intercept else []))
    return np.array(rows)


# skglm compiles its code at the first call. This short path of few rows calls all of the code, so that
# compiling takes no measured time.
least = problem.y == problem.y.min()
few = np.concatenate((np.flatnonzero(least)[:50], np.flatnonzero(~least)[:50]))
path(by_columns(problem.data()[few]), problem.y[few], 1e-6, problem.lambdas[-2:])
serve_paths(problem, skglm.__version__, (1e-1 if problem.task == "cv" else 1e-2, 1e-12), path)
