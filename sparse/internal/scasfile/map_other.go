//go:build !unix

package scasfile

import "os"

// mapFile maps no file here: Open reads it.
func mapFile(*os.File, int64) ([]byte, bool) { return nil, false }

func unmap([]byte) error { return nil }

func willNeed([]byte) {}

func dontNeed([]byte) {}
