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
	u := &TunedRun{Key: Key{Data: d.Name, Method: "batch", Output: Last}, Tuned: Tuned{Rho: 1e-9}}
	r, err := pr.newRunner(t.Context(), h, 0, u.Method)
	if err != nil {
		t.Fatal(err)
	}
	diverges := func() bool { // with the budget pr.Passes
		s := pr.settings(u, &r.traits)
		s.Passes = pr.Passes
		_, err := minimize(t.Context(), h.trainProblem(0), s, nil)
		return diverged(err)
	}
	for pr.Passes = 6; !diverges(); pr.Passes++ {
		if pr.Passes == 30 {
			t.Fatal("no budget ends beyond all bounds")
		}
	}
	run, err := r.follow(t.Context(), u)
	if err != nil || run.failure != "" {
		t.Fatal(err, run.failure)
	}
	if budgetEnd := run.budgetEnd[Last]; budgetEnd.Passes > pr.Passes || budgetEnd.Objective <= run.states[0][Last].Objective {
		t.Errorf("within %g passes %+v, which began at %g", pr.Passes, budgetEnd, run.states[0][Last].Objective)
	}
}
