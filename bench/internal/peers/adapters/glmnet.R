# glmnet, at the end of a path of decreasing penalties, as its authors ask for one.
# Its objective is mean loss + lambda ((1-alpha)/2 |x|^2 + alpha |x|_1).
say <- function(...) { cat(..., "\n"); flush(stdout()) }
directory <- commandArgs(trailingOnly = TRUE)[1]
from <- function(name, what, n, size) readBin(file.path(directory, name), what, n = n, size = size, endian = "little")
number <- function(name) { # of problem.json
  text <- paste(readLines(file.path(directory, "problem.json")), collapse = " ")
  as.numeric(sub(paste0('.*"', name, '": *([-+0-9.e]+).*'), "\\1", text))
}
n <- number("n"); p <- number("p"); nnz <- number("nnz"); l1 <- number("l1"); l2 <- number("l2")
if (number("rows_of_a") > 0) { say("unable only A = I"); quit() }
suppressPackageStartupMessages({ library(Matrix); library(glmnet) })
y <- from("labels.f64", "double", n, 8)
lengths <- from("X.lengths.i32", "integer", n, 4)
x <- sparseMatrix(j = from("X.columns.i32", "integer", nnz, 4) + 1L, p = c(0, cumsum(lengths)),
  x = from("X.values.f64", "double", nnz, 8), dims = c(n, p))
x <- if (nnz > n * p / 2) as.matrix(x) else as(x, "CsparseMatrix")

total <- l1 + l2
alpha <- l1 / total
# The path begins where all coefficients are zero, or for the squared penalty high up.
first <- max(abs(as.vector(crossprod(x, y)))) / (2 * n) / max(alpha, 1e-3)
path <- exp(seq(log(max(first, total)), log(total), length.out = 20))
path[length(path)] <- total
glmnet.control(fdev = 0, devmax = 1, eps = 1e-300, mnlam = 1)

fit <- function(tolerance) {
  model <- glmnet(x, factor(y), family = "binomial", alpha = alpha, lambda = path, intercept = FALSE,
    standardize = FALSE, thresh = tolerance, maxit = 1e9)
  if (length(model$lambda) < length(path)) stop("the path ended early, at lambda ", min(model$lambda))
  model$beta[, length(path)]
}

input <- file("stdin", "r")
say("ready", 1e-3, 1e-17, as.character(packageVersion("glmnet")))
while (length(line <- readLines(input, 1)) > 0) {
  tolerance <- as.numeric(strsplit(line, " ")[[1]][2])
  invisible(gc(full = TRUE))
  before <- proc.time()
  beta <- tryCatch(suppressWarnings(fit(tolerance)), error = function(e) e)
  after <- proc.time() - before
  if (inherits(beta, "error")) { say("failed", gsub("\\s+", " ", conditionMessage(beta))); next }
  writeLines(formatC(beta, digits = 17, format = "g"), file.path(directory, "x"))
  say("done", after[["user.self"]] + after[["sys.self"]], after[["elapsed"]])
}
