// Package faults is for goroutines that read mapped files. Where such a file shrinks, reading
// what is gone is a fault. After debug.SetPanicOnFault(true) a fault is a panic that the
// goroutine can recover from, but other goroutines end the program: a Group carries the setting
// to its goroutines, and their faults back to the one that waits for them.
package faults

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// A Group is a sync.WaitGroup whose Wait panics with a fault of one of the goroutines. Other
// panics end the program, as in any goroutine.
type Group struct {
	wg    sync.WaitGroup
	once  sync.Once
	fault any
}

// Go calls do in a goroutine, in which faults are panics if they are here.
func (g *Group) Go(do func()) {
	panics := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(panics)
	g.wg.Go(func() {
		debug.SetPanicOnFault(panics)
		defer func() {
			r := recover()
			if _, fault := Address(r); fault {
				g.once.Do(func() { g.fault = r })
			} else if r != nil {
				panic(r)
			}
		}()
		do()
	})
}

// Wait waits for all goroutines.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.fault != nil {
		panic(g.fault)
	}
}

// Address returns the address of a fault, if that is what was recovered.
func Address(recovered any) (addr uintptr, fault bool) {
	if _, ok := recovered.(runtime.Error); !ok {
		return 0, false
	}
	at, fault := recovered.(interface{ Addr() uintptr })
	if fault {
		addr = at.Addr()
	}
	return addr, fault
}
