package solver

import (
	"context"
	"log/slog"
)

func (r *Run) log(level slog.Level, message string, attributes ...slog.Attr) {
	if l := r.Settings.Logger; l != nil {
		l.LogAttrs(context.WithoutCancel(r.ctx), level, message, attributes...)
	}
}

func (r *Run) logBegin() {
	n, p := r.Problem.Data.Dims()
	l, _ := r.product.Dims()
	r.log(slog.LevelInfo, "solver: begin", slog.String("name", r.Stats.Name), slog.String("method", r.Stats.Method),
		slog.Int("rows", n), slog.Int("features", p), slog.Int64("nonzeros", r.Problem.Data.NNZ()), slog.Int("rows_of_a", l),
		slog.Float64("goal", r.goal))
}

func (r *Run) logIteration() {
	r.log(slog.LevelDebug, "solver: iteration", slog.Int("outer", r.Stats.OuterIterations), slog.Float64("passes", r.Stats.Passes),
		slog.Float64("eta", r.Stats.Eta), slog.Int("halvings", r.Stats.StepHalvings), slog.Int("newton_steps", r.Stats.NewtonSteps), slog.Float64("gap", r.gap))
}

func (r *Run) logEnd(res *Result, err error) {
	attributes := []slog.Attr{slog.String("status", string(res.Status)), slog.Float64("objective", res.At.Objective), slog.Float64("gap", res.DualityGap),
		slog.Float64("passes", res.Stats.Passes), slog.Int("newton_steps", res.Stats.NewtonSteps), slog.Float64("rho", res.Stats.Rho), slog.Float64("seconds", res.Stats.Seconds)}
	level := slog.LevelInfo
	if err != nil {
		level, attributes = slog.LevelWarn, append(attributes, slog.String("error", err.Error()))
	}
	r.log(level, "solver: end", attributes...)
}
