//go:build !linux

package main

func peakMain() {} // what tests of memory ask for, which are for Linux
