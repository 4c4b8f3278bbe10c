//go:build unix

package kernels

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/unix"
)

// guards has memory between inaccessible pages; an access to such a page is a fault.
type guards struct {
	t        *testing.T
	mappings map[int][][]byte // by the size between the pages
}

// each calls f twice: with a source whose arguments begin right after an inaccessible page, and with one
// whose arguments end right before such a page. The next call of each uses the same memory.
func (g guards) each(f func(s source)) {
	pageSize := unix.Getpagesize()
	for _, atEnd := range []bool{false, true} {
		used := map[int]int{} // number of mappings in use, by size
		s := sources[0]
		s.alloc = func(size int) unsafe.Pointer {
			bodySize := (size + pageSize - 1) / pageSize * pageSize
			if used[bodySize] == len(g.mappings[bodySize]) {
				g.add(bodySize, pageSize)
			}
			m := g.mappings[bodySize][used[bodySize]]
			used[bodySize]++
			if atEnd {
				return unsafe.Pointer(&m[pageSize+bodySize-size])
			}
			return unsafe.Pointer(&m[pageSize])
		}
		f(s)
	}
}

func (g guards) add(bodySize, pageSize int) {
	const protection, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANON | unix.MAP_PRIVATE
	m, err := unix.Mmap(-1, 0, bodySize+2*pageSize, protection, flags)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			g.t.Error(err)
		}
	})
	for _, p := range [][]byte{m[:pageSize], m[pageSize+bodySize:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			g.t.Fatal(err)
		}
	}
	g.mappings[bodySize] = append(g.mappings[bodySize], m)
}

// TestBounds checks that the operations access no memory outside of their arguments.
func TestBounds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		if Active() == AVX2 && cpuid.CPU.HypervisorVendorID == cpuid.QEMU {
			t.Skip("this emulator reads all 32 bytes of a masked load, which processors do not")
		}
		g := guards{t, map[int][][]byte{}}
		for _, op := range operations {
			for _, n := range lengths {
				if n <= 250 {
					g.each(func(s source) { op.run(rand.New(rand.NewPCG(3, uint64(n))), s, n) })
				}
			}
		}
	})
}

// TestHessianBounds checks that Hessian, sumByRows and sumByPanels access no memory outside of their
// arguments and of the scratch memory. h ends with the last element of the diagonal.
func TestHessianBounds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		guards{t, map[int][][]byte{}}.each(func(s source) {
			x := &HessianScratch{spans: place(s, make([]span, spanRows))}
			x.makePanels()
			x.panel, x.tile, x.t, x.mask = place(s, x.panel), place(s, x.tile), place(s, x.t), place(s, x.mask)
			x.groupBegin, x.nextNonzero, x.nextPlace = place(s, x.groupBegin), place(s, x.nextNonzero), place(s, x.nextPlace)
			for i, c := range hessianShapes {
				rng := rand.New(rand.NewPCG(69, uint64(i)))
				rows := increasingRows(rng, sources[0], lengthsOf(rng, c.rows, c.maxNonzeros), c.p)
				rows = withDenseCols(rng, sources[0], rows, c.denseCols)
				for form := range numForms {
					if testing.Short() && c.hasTiles() && form > 0 {
						continue
					}
					_, a := inForm(rows, form)
					a = placeRows(s, a)
					weight, h := s.vector(rng, c.rows), s.zeros((c.p-1)*c.stride+c.p)
					Hessian(h, c.p, c.stride, 0, c.p, a, weight, x)
					x.sumByRows(h, c.p, c.stride, 0, c.p, a, weight)
					sumByPanels[a.form()](x, h, c.p, c.stride, 0, c.p, &a, weight)
				}
			}
		})
	})
}
