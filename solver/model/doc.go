// Package model fits linear models, stores them in files, and predicts with them. It adds labels,
// intercepts, standardised features, paths and cross-validation to the problems of package solver.
//
// A [Spec] says what is minimised over coefficients b and an intercept c, for rows xᵢ with labels yᵢ:
//
//	(1/Σω) Σᵢ ωᵢ φ(xᵢ'b + c + oᵢ; yᵢ) + Lambda·R(b) + (Mu/2) Σⱼ (sⱼbⱼ)²
//
//	R(b) = Σⱼ fⱼ sⱼ|bⱼ|                                      by default
//	     = Σⱼ fⱼ (r sⱼ|bⱼ| + ½(1 − r) sⱼ² bⱼ²)               ElasticNet, r = L1Ratio
//	     = Σₖ wₖ |(s·b)_k|₂                                  GroupLasso
//	     = |A (s·b)|₁, or norms of groups of its entries      with a matrix A
//
// s·b has the entries sⱼbⱼ, and (s·b)_k has the entries of group k. wₖ is the weight of the group. Features
// in no group are not penalised. A Graph adds to the first two R(b) the term
//
//	Fusion Σ_(i,j,w) |w| |sᵢbᵢ − sign(w) sⱼbⱼ|
//
// where (i,j,w) is an edge of weight w between the features i and j. A Domain confines b, for example to
// numbers that are not negative.
//
// ω are the sample weights times the class weights, o the offsets, and f the penalty factors. s are the
// standard deviations of the features, or 1; see [Standardize]. φ is the logistic loss by default.
// [solver.Squared] and [solver.Huber] have no factor ½. [solver.Poisson] is half the deviance; its offsets
// may be logarithms of exposures. The intercept is not penalised and is in no graph. Data are not centred.
// Coefficients apply to the data as given, even if the features were standardised.
//
// [Fit] returns a [Model]. For each of its columns, Certificate.Gap bounds the objective minus the optimum:
//
//	m, err := model.Fit(ctx, &model.Spec{Lambda: 0.01}, x, y)
//	label, err := m.Predict(indices, values)
//
// [FitData], [CVData] and [PathData] take a [sparse.Dataset], which sparse.ReadFile and sparse.Builder
// return. The model then keeps the names of the columns of a table, and the names of its classes.
// [Model.PredictData] predicts a Dataset that was read with [Model.ReadOptions].
//
// Labels are numbers if Spec.Loss is a loss for numbers, and classes otherwise. Two classes are one problem.
// With more classes, each class is fitted against the rest, and the Model has a [Column] of coefficients for
// each class. A [Scorer] predicts records, such as JSON objects, whose values have the names of the columns.
//
// Spec.Settings are the settings of package solver. The default method is a proximal Newton method.
// Settings.Method chooses another method for the same problem, such as one of package solver or baseline.
//
// [Path] fits a sequence of lambdas, and [CV] chooses a lambda by cross-validation. With Spec.Comm, the rows
// of Fit, Path, CV and LambdaMax are divided among processes. Unless a fit is ended early, equal data,
// specification and seed give results that are equal bit for bit.
package model
