package pages

import "golang.org/x/sys/unix"

// advise asks for large pages for the memory at the addresses start to end − 1. Both start and end must be
// multiples of the size of a small page. If the operating system refuses, the memory has small pages.
func advise(start, end uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_HUGEPAGE)
}
