"""scikit-learn's LogisticRegression with the solver named by the first argument.
Its objective is C sum loss + (1-r)/2 |x|^2 + r |x|_1."""

import sys
import warnings

from peer import Problem, serve, unable

solver, problem = sys.argv[1], Problem(sys.argv[2], {"fit": ("logistic",)})
if not problem.identity:
    unable("only A = I")
both, l1 = problem.l1 > 0 and problem.l2 > 0, problem.l1 > 0
if both and solver != "saga":
    unable("no elastic net")
if l1 and solver in ("lbfgs", "newton-cholesky"):
    unable("only a squared penalty")
problem.load()

import sklearn
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")  # about convergence, which the objective shows

total = problem.l1 + problem.l2
options = dict(solver=solver, C=1 / (problem.n * total), fit_intercept=False, max_iter=10**7, random_state=1)
options["penalty"] = "elasticnet" if both else "l1" if l1 else "l2"
if both:
    options["l1_ratio"] = problem.l1 / total
ladder = {
    "saga": (1e-1, 1e-10),
    "liblinear": (1e-1, 1e-10),
    "lbfgs": (1e-1 * problem.n, 1e-12 * problem.n),
    "newton-cholesky": (1e-1, 1e-10),
}[solver]
X = problem.data()


def fit(tolerance):
    return LogisticRegression(tol=tolerance, **options).fit(X, problem.y).coef_


serve(problem, sklearn.__version__, ladder, fit)
