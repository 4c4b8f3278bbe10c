//go:build !linux

package main

func peakMain() {} // used by tests of memory, which run only on Linux
