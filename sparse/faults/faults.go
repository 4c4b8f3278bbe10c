// Package faults provides goroutines that may read mapped files. If another program shortens a
// mapped file, reading beyond its new end can be a fault. debug.SetPanicOnFault(true) turns the
// faults of one goroutine into panics, from which only this goroutine can recover. A Group passes
// these panics to the goroutine that waits for the Group.
package faults

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Group is a sync.WaitGroup whose Wait panics if a goroutine had a memory fault. Other panics
// end the program, as in any goroutine.
type Group struct {
	wg    sync.WaitGroup
	once  sync.Once
	fault any
}

// Go calls do in a new goroutine, with the caller's setting of debug.SetPanicOnFault.
func (g *Group) Go(do func()) {
	panicOnFault := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(panicOnFault)
	g.wg.Go(func() {
		debug.SetPanicOnFault(panicOnFault)
		defer func() {
			r := recover()
			if _, isFault := Address(r); isFault {
				g.once.Do(func() { g.fault = r })
			} else if r != nil {
				panic(r)
			}
		}()
		do()
	})
}

// Wait waits for all goroutines, and panics if one of them had a memory fault.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.fault != nil {
		panic(g.fault)
	}
}

// Each runs tasks 0 to count−1 on several goroutines of a Group and waits for them. threads is the
// largest number of goroutines; 0 means one per processor. If threads or count is 1, the tasks run on
// the caller's goroutine. Tasks begin in increasing order. Each calls start once for each goroutine,
// before the goroutine begins, to get the function task that runs the tasks of this goroutine.
func Each(threads, count int, start func() (task func(k int))) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	threads = min(threads, count)
	if threads == 1 {
		task := start()
		for k := range count {
			task(k)
		}
		return
	}
	var nextTask atomic.Int64
	var g Group
	for range threads {
		task := start()
		g.Go(func() {
			for k := int(nextTask.Add(1)) - 1; k < count; k = int(nextTask.Add(1)) - 1 {
				task(k)
			}
		})
	}
	g.Wait()
}

// Address returns the address of a recovered fault. isFault is false if the recovered value is not
// a fault.
func Address(recovered any) (addr uintptr, isFault bool) {
	if _, ok := recovered.(runtime.Error); !ok {
		return 0, false
	}
	fault, isFault := recovered.(interface{ Addr() uintptr })
	if isFault {
		addr = fault.Addr()
	}
	return addr, isFault
}
