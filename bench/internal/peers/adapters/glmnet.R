# glmnet and cv.glmnet. The objective is mean loss + lambda ((1-alpha)/2 |x|^2 + alpha |x|_1), with
# half the squared loss. A fit is the end of a path of decreasing penalties, as glmnet's authors recommend.
say <- function(...) { cat(..., "\n"); flush(stdout()) }
directory <- commandArgs(trailingOnly = TRUE)[1]
from <- function(name, what, n, size) readBin(file.path(directory, name), what, n = n, size = size, endian = "little")
description <- paste(readLines(file.path(directory, "problem.json")), collapse = " ")
value <- function(name) sub(paste0('.*"', name, '": *"?([^",}]*[^",} ]).*'), "\\1", description)
number <- function(name) as.numeric(value(name))
n <- number("n"); p <- number("p"); nnz <- number("nnz"); l1 <- number("l1"); l2 <- number("l2")
task <- value("task"); loss <- value("loss")
if (number("rows_of_a") > 0) { say("unable only A = I"); quit() }
if (!loss %in% c("logistic", "squared")) { say("unable no", loss, "loss"); quit() }
suppressPackageStartupMessages({ library(Matrix); library(glmnet) })
y <- from("labels.f64", "double", n, 8)
lengths <- from("X.lengths.i32", "integer", n, 4)
x <- sparseMatrix(j = from("X.columns.i32", "integer", nnz, 4) + 1L, p = c(0, cumsum(lengths)),
  x = from("X.values.f64", "double", nnz, 8), dims = c(n, p))
x <- if (nnz > n * p / 2) as.matrix(x) else as(x, "CsparseMatrix")

total <- l1 + l2
alpha <- l1 / total
path <- from("lambdas.f64", "double", number("lambdas"), 8)
if (task == "fit") {
  # At the first penalty all coefficients are zero. Without an L1 term, the first penalty is large.
  first <- max(abs(as.vector(crossprod(x, y)))) / (2 * n) / max(alpha, 1e-3)
  path <- exp(seq(log(max(first, total)), log(total), length.out = 20))
  path[length(path)] <- total
}
glmnet.control(fdev = 0, devmax = 1, eps = 1e-300, mnlam = 1)
classes <- loss == "logistic"
target <- if (classes) factor(y) else y
intercept <- value("intercept") == "true"
folds <- if (task == "cv") from("folds.i32", "integer", n, 4) + 1L

solve <- function(solver, tolerance, ...) {
  solver(x, target, family = if (classes) "binomial" else "gaussian", alpha = alpha,
    lambda = if (classes) path else path / 2, intercept = intercept, standardize = value("standardize") == "true", thresh = tolerance, maxit = 1e9, ...)
}
fit <- function(tolerance) {
  found <- if (task == "cv") solve(cv.glmnet, tolerance, foldid = folds)
  model <- if (task == "cv") found$glmnet.fit else solve(glmnet, tolerance)
  if (length(model$lambda) < length(path)) stop("the path ended early, at lambda ", min(model$lambda))
  list(model = model, curve = if (classes) found$cvm / 2 else found$cvm)
}

input <- file("stdin", "r")
say("ready", if (task == "cv") 1e-4 else 1e-3, 1e-17, as.character(packageVersion("glmnet")))
while (length(line <- readLines(input, 1)) > 0) {
  tolerance <- as.numeric(strsplit(line, " ")[[1]][2])
  invisible(gc(full = TRUE))
  before <- proc.time()
  found <- tryCatch(suppressWarnings(fit(tolerance)), error = function(e) e)
  after <- proc.time() - before
  if (after[["user.self"]] < 0.02 && !inherits(found, "error")) { # the clock counts milliseconds
    before <- proc.time()
    for (k in 1:20) suppressWarnings(fit(tolerance))
    after <- (proc.time() - before) / 20
  }
  if (inherits(found, "error")) { say("failed", gsub("\\s+", " ", conditionMessage(found))); next }
  beta <- as.matrix(found$model$beta)
  if (intercept) beta <- rbind(beta, found$model$a0)
  if (task == "fit") beta <- beta[, length(path)]
  writeBin(as.vector(beta), file.path(directory, "x.f64"), size = 8, endian = "little")
  if (task == "cv") writeLines(formatC(found$curve, digits = 17, format = "g"), file.path(directory, "curve"))
  say("done", after[["user.self"]] + after[["sys.self"]], after[["elapsed"]])
}
