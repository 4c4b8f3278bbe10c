//go:build !unix

package scasfile

import "os"

// mapFile returns false, because this package maps files only on Unix.
func mapFile(*os.File, int64) ([]byte, bool) { return nil, false }

func unmap([]byte) error { return nil }

func willNeed([]byte) {}

func dontNeed([]byte) {}
