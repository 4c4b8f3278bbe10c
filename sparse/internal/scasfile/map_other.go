//go:build !unix

package scasfile

import "os"

// mapFile reports that this system maps no files; Open then reads the file.
func mapFile(*os.File, int64) ([]byte, bool) { return nil, false }

func unmap([]byte) error { return nil }

func willNeed([]byte) {}

func dontNeed([]byte) {}
