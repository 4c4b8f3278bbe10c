"""What the Python adapters share: the problem as arrays, the protocol, which bench/README.md
describes, and cross-validation for solvers that have paths alone."""

import json
import os
import sys
import time

# numpy is imported only where it is needed, so that an adapter is quick to say that its
# solver does not solve a problem.


def say(*words):
    print(*words, flush=True)


def unable(reason):
    """Ends the adapter: its solver does not solve the problem."""
    say("unable", reason)
    sys.exit(0)


class Problem:
    """The problem of a directory, as problem.json has it. load adds the labels y, the lambdas,
    the folds, and X and A as CSR matrices; A is None for the identity. takes has the losses
    that the solver takes for each task; all other problems end the adapter."""

    def __init__(self, directory, takes):
        self.directory = directory
        with open(os.path.join(directory, "problem.json")) as f:
            for name, value in json.load(f).items():
                setattr(self, "count" if name == "lambdas" else name, value)
        if self.loss not in takes.get(self.task, ()):
            unable(f"no {self.task} with {self.loss} loss")

    def load(self):
        self.y = self.read("labels.f64", "float64")
        self.lambdas = self.read("lambdas.f64", "float64")
        self.folds = self.read("folds.i32", "int32") if self.task == "cv" else None
        self.X = self.matrix("X", self.n, self.p)
        self.A = None if self.identity else self.matrix("A", self.rows_of_a, self.p)
        return self

    def read(self, name, kind):
        import numpy as np

        return np.fromfile(os.path.join(self.directory, name), dtype=kind)

    def matrix(self, name, rows, cols):
        import numpy as np
        import scipy.sparse

        start = np.concatenate(([0], np.cumsum(self.read(name + ".lengths.i32", "int32"), dtype=np.int64)))
        if start[-1] < 2**31:
            start = start.astype(np.int32)
        parts = self.read(name + ".values.f64", "float64"), self.read(name + ".columns.i32", "int32"), start
        return scipy.sparse.csr_matrix(parts, shape=(rows, cols))

    def data(self):
        """X as a dense array or as CSR, whichever takes less space."""
        return self.X.toarray() if self.X.nnz > self.n * self.p / 2 else self.X


def by_columns(X):
    """X as a dense array with contiguous columns or as CSC, for solvers by columns."""
    import numpy as np
    import scipy.sparse

    return X.tocsc() if scipy.sparse.issparse(X) else np.asfortranarray(X)


def serve(problem, version, ladder, fit):
    """Answers requests until the input ends. fit takes a tolerance and returns the
    coefficients, a row for each lambda; for the task cv it returns also the mean losses on
    rows held out. Only fit is timed."""
    import numpy as np

    say("ready", *ladder, version)
    for line in sys.stdin:
        tolerance = float(line.split()[1])
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            x = fit(tolerance)
        except Exception as e:  # a solver that gives up is a result
            say("failed", " ".join(f"{type(e).__name__}: {e}".split()))
            continue
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if problem.task == "cv":
            x, curve = x
            np.savetxt(os.path.join(problem.directory, "curve"), curve, fmt="%.17g")
        np.ascontiguousarray(x, dtype="<f8").tofile(os.path.join(problem.directory, "x.f64"))
        say("done", cpu, wall)


def serve_paths(problem, version, ladder, path):
    """Is serve for a solver with paths: path takes X, y and a tolerance, and returns a row of
    coefficients for each lambda, with the intercept behind them if there is one. What is left
    of cross-validation and standardising is done here, and timed."""
    import numpy as np
    import scipy.sparse

    X, y, p = by_columns(problem.data()), problem.y, problem.p
    losses = {"logistic": lambda t, y: np.logaddexp(0, -y * t), "squared": lambda t, y: (y - t) ** 2}

    def solve(X, y, tolerance):
        if not problem.standardize:
            return path(X, y, tolerance)
        square = X.multiply(X) if scipy.sparse.issparse(X) else X * X
        mean = np.ravel(X.mean(axis=0))
        scale = np.sqrt(np.maximum(0, np.ravel(square.mean(axis=0)) - mean**2))
        scale[scale == 0] = 1
        Z = X @ scipy.sparse.diags(1 / scale) if scipy.sparse.issparse(X) else X / scale
        x = path(Z, y, tolerance)
        x[:, :p] /= scale
        return x

    def fit(tolerance):
        if problem.task == "path":
            return solve(X, y, tolerance)
        rows = X.tocsr() if scipy.sparse.issparse(X) else X
        total = np.zeros(problem.count)
        for k in range(problem.folds.max() + 1):
            held, rest = problem.folds == k, problem.folds != k
            x = solve(by_columns(rows[rest]), y[rest], tolerance)
            margin = rows[held] @ x[:, :p].T + (x[:, p] if problem.intercept else 0)
            total += losses[problem.loss](margin, y[held][:, None]).sum(axis=0)
        return solve(X, y, tolerance), total / problem.n

    serve(problem, version, ladder, fit)
