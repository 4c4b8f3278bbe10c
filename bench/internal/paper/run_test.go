package paper

import "testing"

// TestBudgetEnd checks the point TunedRun.BudgetEnd of a run that diverges. To make a batch method diverge,
// it gets a very small rho; its budget of passes is the smallest with which it diverges. BudgetEnd must lie
// within this budget, and its objective must be above the objective at the start.
func TestBudgetEnd(t *testing.T) {
	pr, d := tinySetup(t)
	d.Lambda = 0.1
	h, err := d.Halve(t.Context(), 0, pr.TuneSamples)
	if err != nil {
		t.Fatal(err)
	}
	const rho = 1e-9
	r, err := pr.newRunner(t.Context(), h, 0, "batch")
	if err != nil {
		t.Fatal(err)
	}
	diverges := func() bool { // with the budget pr.Passes
		s := pr.settings(&r.traits, 0, rho, 0)
		s.Passes = pr.Passes
		_, err := minimize(t.Context(), h.Train, s, nil)
		return diverged(err)
	}
	for pr.Passes = 6; !diverges(); pr.Passes++ {
		if pr.Passes == 30 {
			t.Fatal("no budget ends beyond all bounds")
		}
	}
	runs, err := r.follow(t.Context(), 0, rho)
	u := runs[Last]
	if err != nil || u.Failed != "" {
		t.Fatal(err, u.Failed)
	}
	if u.BudgetEnd.Passes > pr.Passes || u.BudgetEnd.Objective <= u.Points[0].Objective {
		t.Errorf("within %g passes %+v, which began at %g", pr.Passes, u.BudgetEnd, u.Points[0].Objective)
	}
}
