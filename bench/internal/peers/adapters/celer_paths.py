"""celer's paths: celer_path, for the logistic loss with the proximal Newton method that its
LogisticRegression has by default. Its objectives are mean squared loss / 2 + alpha |x|_1 and
the sum of the logistic losses + alpha |x|_1."""

import sys
import warnings

from peer import Problem, serve_paths, unable

losses = ("squared", "logistic")
problem = Problem(sys.argv[1], {"path": losses, "cv": losses})
if problem.intercept:
    unable("no intercept in its paths")
problem.load()

import celer

warnings.filterwarnings("ignore")  # about convergence, which the objective shows


def path(X, y, tolerance):
    if problem.loss == "squared":
        alphas, options = problem.lambdas / 2, dict(pb="lasso")
    else:
        alphas, options = problem.lambdas * len(y), dict(pb="logreg", use_PN=True)
    return celer.celer_path(X, y, alphas=alphas, tol=tolerance, max_iter=200, **options)[1].T


serve_paths(problem, celer.__version__, (1e-3, 1e-12), path)
