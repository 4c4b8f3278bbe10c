package pages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise asks for large pages for those parts of b that are whole pages. An error changes nothing but the
// speed.
func advise(b []byte) {
	unaligned := int(uintptr(unsafe.Pointer(&b[0])) % pageSize)
	first := (pageSize - unaligned) % pageSize
	end := len(b) - (unaligned+len(b))%pageSize
	if first < end {
		_ = unix.Madvise(b[first:end], unix.MADV_HUGEPAGE)
	}
}
