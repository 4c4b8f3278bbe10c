package model

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
)

// mappedMany are data of four classes, in memory and mapped, with weights and offsets of
// their rows.
func mappedMany(t *testing.T, n int) (whole, back *sparse.Dataset, weights, offsets []float64) {
	t.Helper()
	made, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: 16, NonzerosPerRow: 6, Noise: 1, Seed: 1, Regression: true})
	if err != nil {
		t.Fatal(err)
	}
	whole = &sparse.Dataset{X: made.X, Labels: made.Labels}
	weights, offsets = make([]float64, n), make([]float64, n)
	for i, v := range made.Labels {
		whole.Labels[i] = 5 * math.Max(-1, math.Min(math.Floor(v/3), 2))
		weights[i], offsets[i] = float64(i%3), float64(i%5)/2-1
	}
	return whole, remapped(t, whole, false), weights, offsets
}

// TestStreamedMulti: models of classes fitted to data that are gone through in pieces are
// those of the data in memory.
func TestStreamedMulti(t *testing.T) {
	whole, back, weights, offsets := mappedMany(t, 20000)
	for name, spec := range map[string]Spec{
		"lasso": {}, "weights": {SampleWeights: weights, Offsets: offsets}, "balanced": {Balanced: true, Penalty: ElasticNet{0.5}},
		"class weights": {ClassWeights: map[float64]float64{5: 3}, Loss: solver.SquaredHinge{}},
	} {
		spec.Lambda = 2e-3
		want, err := FitMulti(context.Background(), &spec, whole.X, whole.Labels)
		if err != nil {
			t.Fatal(err)
		}
		var told []int
		spec.Memory = 2 << 20
		spec.Tell = func(at stream.Progress) {
			if len(told) == 0 || told[len(told)-1] != at.Class {
				told = append(told, at.Class)
			}
		}
		got, err := FitMulti(context.Background(), &spec, back.X, back.Labels)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Classes) != 4 || len(told) != 4 || told[3] != 3 {
			t.Errorf("%s: classes %v, told of %v", name, got.Classes, told)
		}
		for k, m := range got.Models {
			c, w := m.Certificate, want.Models[k].Certificate
			if math.Abs(c.Objective-w.Objective) > c.Gap+w.Gap || c.Status != solver.Converged || m.Run.Method != "streamed-newton" || m.Labels != want.Models[k].Labels {
				t.Errorf("%s, class %v: %+v of %v, in memory %+v of %v", name, got.Classes[k], c, m.Labels, w, want.Models[k].Labels)
			}
		}
	}
}

// TestStreamedMultiRefuses: what is not for several classes is refused, and a fit that ends
// before every class has a point has no models.
func TestStreamedMultiRefuses(t *testing.T) {
	_, back, _, _ := mappedMany(t, 3000)
	memory := Settings{Memory: 1 << 20}
	labels := append([]float64(nil), back.Labels...)
	labels[7] = math.NaN()
	late := memory
	late.TimeLimit = time.Nanosecond
	for want, c := range map[string]struct {
		y    []float64
		spec Spec
		kind error
	}{
		"label NaN of row 7":         {labels, Spec{Settings: memory}, nil},
		"2999 labels":                {labels[1:], Spec{Settings: memory}, nil},
		"fits have no Method":        {back.Labels, Spec{Settings: Settings{Memory: 1, Method: solver.SCASK{}}}, stream.ErrNotStreamed},
		"is for numbers":             {back.Labels, Spec{Settings: memory, Loss: solver.Squared{}}, nil},
		"the time limit came before": {back.Labels, Spec{Settings: late}, solver.ErrNotConverged},
	} {
		m, err := FitMulti(context.Background(), &c.spec, back.X, c.y)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	spec := &Spec{Lambda: 1e-3, Settings: memory}
	spec.Tell = func(at stream.Progress) {
		if at.Class == 2 {
			cancel()
		}
	}
	if m, err := FitMulti(ctx, spec, back.X, back.Labels); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", m, err)
	}
}
