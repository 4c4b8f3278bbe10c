//go:build !linux

package pages

func advise(_, _ uintptr) {}
