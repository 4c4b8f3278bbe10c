//go:build !unix

package attack

import "os"

// On this system a process cannot be stopped and continued, so an interrupt replaces both signals.
var stopSignal, continueSignal = os.Interrupt, os.Interrupt
