//go:build !race

package kernels

func raceRead[T any](s []T)                   {}
func raceWrite(s []float64)                   {}
func raceReadRows(a Rows)                     {}
func raceReadSampled(a Rows, sampled []int32) {}
