//go:build !linux

package main

// peakMain does nothing, because only tests on Linux measure the memory of scas.
func peakMain() {}
