//go:build !linux

package main

func peakMain() {} // the tests of memory run only on Linux
