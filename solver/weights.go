package solver

// BalancedWeights returns sample weights that give both classes the same total,
// with mean 1. Labels are −1 and +1.
func BalancedWeights(labels []float64) []float64 {
	var count [2]int
	for _, b := range labels {
		if b > 0 {
			count[1]++
		} else {
			count[0]++
		}
	}
	w := make([]float64, len(labels))
	for i, b := range labels {
		class := 0
		if b > 0 {
			class = 1
		}
		w[i] = float64(len(labels)) / (2 * float64(count[class]))
	}
	return w
}
