"""liblinear's library itself, on its own sparse rows, with its primal or its dual solvers by
the first argument. Only train() is timed, which liblinear-train calls after it has read its
file. The objectives are |x|_1 + C sum loss (-s 5, -s 6) and |x|^2/2 + C sum loss (the others)."""

import ctypes
import ctypes.util
import sys

from peer import Problem, serve, unable

problem = Problem(sys.argv[2], {"fit": ("logistic", "squared hinge")})
if not problem.identity:
    unable("only A = I")
if problem.l1 > 0 and problem.l2 > 0:
    unable("no elastic net")
solvers = {  # primal with the L1 penalty, primal and dual with the squared penalty
    "logistic": {"l1 primal": 6, "l2 primal": 0, "l2 dual": 7},
    "squared hinge": {"l1 primal": 5, "l2 primal": 2, "l2 dual": 1},
}[problem.loss]
solver = solvers.get(f"{'l1' if problem.l1 > 0 else 'l2'} {sys.argv[1]}")
if solver is None:
    unable("no dual solver with the L1 penalty")
import numpy as np

problem.load()
library = ctypes.CDLL(ctypes.util.find_library("linear"))
version = ctypes.c_int.in_dll(library, "liblinear_version").value
assert version == 230, f"the structures of liblinear {version} are not those of 230"


class Parameter(ctypes.Structure):
    _fields_ = [
        ("solver_type", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
        ("nr_weight", ctypes.c_int), ("weight_label", ctypes.c_void_p), ("weight", ctypes.c_void_p),
        ("p", ctypes.c_double), ("init_sol", ctypes.c_void_p),
    ]


class Rows(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("n", ctypes.c_int), ("y", ctypes.c_void_p), ("x", ctypes.c_void_p), ("bias", ctypes.c_double)]


class Model(ctypes.Structure):
    _fields_ = [
        ("param", Parameter), ("nr_class", ctypes.c_int), ("nr_feature", ctypes.c_int),
        ("w", ctypes.POINTER(ctypes.c_double)), ("label", ctypes.POINTER(ctypes.c_int)), ("bias", ctypes.c_double),
    ]


silent = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
library.set_print_string_function(silent)
library.train.restype = ctypes.POINTER(Model)
library.train.argtypes = [ctypes.POINTER(Rows), ctypes.POINTER(Parameter)]
library.free_and_destroy_model.argtypes = [ctypes.POINTER(ctypes.POINTER(Model))]

# Rows of (index from 1, value); an index of -1 ends each row.
X = problem.X
nodes = np.zeros(X.nnz + problem.n, dtype=np.dtype([("index", np.int32), ("value", np.float64)], align=True))
starts = X.indptr[:-1].astype(np.int64) + np.arange(problem.n)
places = np.ones(len(nodes), dtype=bool)
places[X.indptr[1:].astype(np.int64) + np.arange(problem.n)] = False
nodes["index"] = -1
nodes["index"][places], nodes["value"][places] = X.indices + 1, X.data
pointers = (nodes.ctypes.data + nodes.itemsize * starts).astype(np.uint64)
rows = Rows(problem.n, problem.p, problem.y.ctypes.data, pointers.ctypes.data, -1.0)
weight = problem.l1 if problem.l1 > 0 else problem.l2


def fit(tolerance):
    ctypes.CDLL(None).srand(1)  # as at the start of liblinear-train
    parameter = Parameter(solver, tolerance, 1 / (problem.n * weight), 0, None, None, 0.1, None)
    model = library.train(ctypes.byref(rows), ctypes.byref(parameter))
    x = np.ctypeslib.as_array(model.contents.w, (problem.p,)) * model.contents.label[0]
    library.free_and_destroy_model(ctypes.byref(model))
    return x


serve(problem, f"{version / 100:.2f} -s {solver}", (1e-1, 1e-10), fit)
