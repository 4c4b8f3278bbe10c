//go:build !linux

package main

func peakMain() {} // does nothing, because the tests of memory run only on Linux
