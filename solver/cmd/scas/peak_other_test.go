//go:build !linux

package main

// peakMain does nothing. Only tests that measure the memory of scas need it, and these tests run only on
// Linux; see peak_linux_test.go.
func peakMain() {}
