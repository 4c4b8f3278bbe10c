//go:build !linux

package outofcore

import "errors"

// Forget is for Linux alone.
func Forget(string) error { return errors.New("outofcore: this system is not told to forget files") }
