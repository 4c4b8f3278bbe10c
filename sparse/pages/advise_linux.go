package pages

import "golang.org/x/sys/unix"

// advise asks for large pages for the parts of the heap in which the size bytes from start lie. An error
// changes nothing but the speed.
func advise(start, size uintptr) {
	first, end := start&^(chunkSize-1), (start+size+chunkSize-1)&^(chunkSize-1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, first, end-first, unix.MADV_HUGEPAGE)
}
