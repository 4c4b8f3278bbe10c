// Package model fits, stores and applies linear models: what package solver minimises,
// with what people expect around it.
//
// A [Spec] says what is minimised over coefficients b and an intercept c:
//
//	(1/Σω) Σᵢ ωᵢ φ(xᵢ'b + c + oᵢ; yᵢ) + Lambda·R(b) + (Mu/2) Σⱼ (sⱼbⱼ)²
//
//	R(b) = Σⱼ fⱼ sⱼ|bⱼ|                                      by default
//	     = Σⱼ fⱼ (r sⱼ|bⱼ| + ½(1 − r) sⱼ² bⱼ²)               ElasticNet, r = L1Ratio
//	     = Σₖ wₖ |(s·b)_k|₂                                  GroupLasso
//	     = Σⱼ fⱼ sⱼ|bⱼ| + Fusion Σ_(i,j,w) |w| |sᵢbᵢ − sign(w) sⱼbⱼ|   with a Graph
//	     = |A (s·b)|₁, or of groups of its rows               with a matrix A
//
// Features in no group of a GroupLasso are not penalised. A Domain confines b, for example to
// numbers that are not negative.
//
// ω are sample weights times class weights, o offsets, f penalty factors, and s the
// standard deviations of the features where they are standardised, else 1. φ is the
// logistic loss by default; [solver.Squared] and [solver.Huber] have no factor ½, and
// [solver.Poisson] is half the deviance, o the logarithms of exposures. The
// intercept is not penalised and in no graph, so centring the features would change
// nothing but its value: data are never centred. Coefficients are those of the data as
// given, whatever is standardised.
//
// [Fit] returns a [Model] with a proof of how far from the optimum it is at most:
//
//	m, err := model.Fit(ctx, &model.Spec{Lambda: 0.01}, x, y)
//	label, err := m.Predict(indices, values)
//
// [FitData], [CVData] and [PathData] take a [sparse.Dataset], as sparse.ReadFile and a
// sparse.Builder return it, and the model knows the names and the words of its table.
//
// The labels are numbers if Spec.Loss is for numbers, else classes. Two classes are one problem.
// Of more classes each is fitted against the rest, and the Model has a [Column] of coefficients
// for each; it is the same type, in the same file, with the same methods. A [Scorer] predicts
// records, such as objects of JSON, by the names of their values.
//
// Spec.Settings are those of package solver. By default a proximal Newton method fits; Settings.Method
// names another one, of package solver or baseline, which minimises the same. A part of a Spec that a
// method does not take is a [MethodError].
//
// [Path] goes through many lambdas, each proved, and [CV] chooses one by cross-validation. With
// Spec.Comm, Fit, Path, CV and LambdaMax take rows that processes have in parts. Equal data,
// specification and seed give equal bits.
package model
