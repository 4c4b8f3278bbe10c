//go:build unix

package attack

import "syscall"

// stopSignal stops a process, continueSignal continues it.
const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)
