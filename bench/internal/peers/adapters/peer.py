"""What the Python adapters share: the problem as arrays, and the protocol, which
bench/README.md describes."""

import json
import os
import sys
import time

# numpy is imported where it is needed: what a peer cannot solve it says before that.


def say(*words):
    print(*words, flush=True)


def unable(reason):
    """Ends the adapter: the problem is not one that the peer solves."""
    say("unable", reason)
    sys.exit(0)


class Problem:
    """The problem of a directory: n, p, l1, l2, identity, rows_of_a, and when loaded
    labels y, -1 and 1, X and A as CSR matrices, A being None for the identity."""

    def __init__(self, directory):
        self.directory = directory
        with open(os.path.join(directory, "problem.json")) as f:
            for name, value in json.load(f).items():
                setattr(self, name, value)

    def load(self):
        self.y = self.read("labels.f64", "float64")
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
        """X in the form in which it takes less space."""
        return self.X.toarray() if self.X.nnz > self.n * self.p / 2 else self.X


def serve(problem, version, ladder, fit):
    """Answers requests for fits until the input ends. fit takes a tolerance and
    returns the coefficients; it alone is timed."""
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
        np.savetxt(os.path.join(problem.directory, "x"), np.ravel(x), fmt="%.17g")
        say("done", cpu, wall)
