//go:build !linux

package main

// peakMain does nothing: the tests that measure the memory of scas with it run only on Linux. See
// peak_linux_test.go.
func peakMain() {}
