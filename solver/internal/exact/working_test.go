package exact

import (
	"cmp"
	"slices"
	"testing"
)

// TestAppendLargest compares appendLargest with a stable sort, for ratios with many ties.
func TestAppendLargest(t *testing.T) {
	g := generator(1)
	for room := range 12 {
		candidates := make([]candidate, 10)
		for i := range candidates {
			candidates[i] = candidate{int32(i), float64(g.intN(4))}
		}
		sorted := slices.Clone(candidates)
		slices.SortStableFunc(sorted, func(a, b candidate) int { return cmp.Compare(b.ratio, a.ratio) })
		want := []int32{99}
		for _, c := range sorted[:min(room, len(sorted))] {
			want = append(want, c.col)
		}
		got := appendLargest([]int32{99}, candidates, room)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("room %d: columns %v of %v, want %v", room, got, candidates, want)
		}
	}
}
