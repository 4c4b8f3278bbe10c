package graph

import "testing"

func TestStatistics(t *testing.T) {
	g, err := New(7, []Edge{{0, 1, 1}, {1, 2, -1}, {5, 4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := Statistics{Nodes: 7, Edges: 3, Components: 2, Largest: 3, Isolated: 2, MaxDegree: 2, Negative: 1}
	if got := g.Statistics(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Chain(0).Statistics(); got != (Statistics{}) {
		t.Errorf("of no nodes: %+v", got)
	}
}
