package outofcore

import (
	"os"

	"golang.org/x/sys/unix"
)

// Forget has the system drop what it keeps of a file in memory, so that the next process
// reads it from the disk.
func Forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
