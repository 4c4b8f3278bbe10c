//go:build !unix

package scasfile

import "os"

// mapFile returns false, because this system maps no files.
func mapFile(*os.File, int64) ([]byte, bool) { return nil, false }

func unmap([]byte) error { return nil }

func willNeed([]byte) {}

func dontNeed([]byte) {}
