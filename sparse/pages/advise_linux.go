package pages

import "golang.org/x/sys/unix"

// advise asks for large pages for the addresses from start to end − 1, which must be multiples of the size of
// a small page. An error changes nothing but the speed.
func advise(start, end uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_HUGEPAGE)
}
