"""scikit-learn's lasso_path. Its objective is mean squared loss / 2 + alpha |x|_1. For the
logistic loss scikit-learn has no path: LogisticRegressionCV returns the paths of the folds, but
not the path of all rows."""

import sys
import warnings

from peer import Problem, serve_paths, unable

problem = Problem(sys.argv[1], {"path": ("squared",), "cv": ("squared",)})
if problem.intercept:
    unable("no intercept in its paths")
problem.load()

import sklearn
from sklearn.linear_model import lasso_path

warnings.filterwarnings("ignore")  # about convergence, which the objective shows


def path(X, y, tolerance):
    return lasso_path(X, y, alphas=problem.lambdas / 2, tol=tolerance, max_iter=10**6)[1].T


serve_paths(problem, sklearn.__version__, (1e-1 if problem.task == "cv" else 1e-2, 1e-12), path)
