package scasfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/scas-admm/scas/sparse/faults"
)

// A File is an open file. If the file is mapped, the slices are views of it: they must
// not be written to, nor used after Close.
type File struct {
	Header
	Idx    []int32
	Val    []float64
	Ptr    []int64
	Labels []float64
	Meta   []byte

	layout
	data    []byte // the whole file
	mapped  bool
	path    string        // path of the file, if it is mapped
	info    os.FileInfo   // description of the mapped file, to detect changes
	checked []atomic.Bool // for each block of 1 MiB, whether its checksum was found right
}

// Open opens a file of the given size. It maps the file if r is an *os.File and the system supports it, and
// reads it otherwise. It checks only the header and the list of checksums.
func Open(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, min(size, page))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	h, err := decode(head, size)
	if err != nil {
		return nil, err
	}
	f := &File{Header: *h, layout: h.layout()}
	if file, ok := r.(*os.File); ok {
		f.data, f.mapped = mapFile(file, size)
		if f.mapped {
			f.path = file.Name()
			f.info, err = file.Stat()
			if err != nil {
				f.Close()
				return nil, err
			}
		}
	}
	if !f.mapped {
		words := make([]uint64, (size+7)/8) // uint64, so that the numbers in data are aligned
		f.data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
		if _, err := r.ReadAt(f.data, 0); err != nil && err != io.EOF {
			return nil, err
		}
	}
	err = f.Guard(func() error {
		checksums := f.data[f.checksums.start:f.checksums.end]
		if crc32.Checksum(checksums, castagnoli) != binary.LittleEndian.Uint32(f.data[f.checksums.end:]) {
			return fmt.Errorf("damaged: the checksum of the checksums, at byte %d, is wrong; convert the data again", f.checksums.end)
		}
		return nil
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	f.checked = make([]atomic.Bool, (f.checksums.end-f.checksums.start)/checksum)
	f.Idx, f.Val, f.Ptr = NumbersIn[int32](f.section(f.idx)), NumbersIn[float64](f.section(f.val)),
		NumbersIn[int64](f.section(f.ptr))
	if f.Header.Labelling != Unlabelled {
		f.Labels = NumbersIn[float64](f.section(f.labels))
	}
	f.Meta = f.section(f.meta)
	return f, nil
}

// Mapped reports whether the file is mapped.
func (f *File) Mapped() bool { return f.mapped }

// ErrChanged is the error for a mapped file whose length another program changed.
var ErrChanged = errors.New("changed while it was read: it is not as long as it was; begin again when no other program writes to it")

// Guard calls do and returns its error, or ErrChanged if reading the mapped file in do causes a memory
// fault.
func (f *File) Guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = f.Changed(r)
			if err == nil {
				panic(r)
			}
		}
	}()
	return do()
}

// Changed returns ErrChanged if recovered is a fault in the mapped file, and nil for any other panic. If
// recovered is nil, it returns ErrChanged if the length of the file has changed since it was mapped. Reading
// beyond the new end is not always a fault: the rest of the last page reads as zeros.
func (f *File) Changed(recovered any) error {
	addr, isFault := faults.Address(recovered)
	switch {
	case !f.mapped:
		return nil
	case isFault && addr-uintptr(unsafe.Pointer(unsafe.SliceData(f.data))) < uintptr(len(f.data)):
		return ErrChanged
	case recovered != nil:
		return nil
	}
	newInfo, err := os.Stat(f.path)
	if err == nil && os.SameFile(newInfo, f.info) && newInfo.Size() != f.info.Size() {
		return ErrChanged
	}
	return nil
}

// Close unmaps the file if it is mapped.
func (f *File) Close() error {
	if !f.mapped {
		return nil
	}
	f.mapped = false
	return unmap(f.data)
}

// section returns the bytes of a section.
func (f *File) section(s span) []byte { return f.data[s.start:s.end:s.end] }

// littleEndian is true if this machine is little-endian, as .scas files are.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// A Number is a type of the numbers in a file: int32 for columns, int64 for row pointers, float64 for values
// and labels.
type Number interface{ int32 | int64 | float64 }

// NumbersIn returns the numbers in b. On little-endian machines the result is a view of b, which must be
// aligned.
func NumbersIn[T Number](b []byte) []T {
	var v T
	count := len(b) / int(unsafe.Sizeof(v))
	if littleEndian {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), count)
	}
	out := make([]T, count)
	_, _ = binary.Decode(b, binary.LittleEndian, out) // b is long enough
	return out
}

// bytesOf returns the bytes of v without a copy. It is for little-endian machines.
func bytesOf[T Number](v []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(one)))
}

// eachPart calls do with the range of bytes of rows lo to hi−1 in each section. If the row pointers are
// damaged, the ranges are wrong, but not outside the file.
func (f *File) eachPart(lo, hi int, do func(s span)) {
	firstEntry := max(0, min(f.Ptr[lo], f.NNZ))
	endEntry := max(firstEntry, min(f.Ptr[hi], f.NNZ))
	do(span{f.idx.start + 4*firstEntry, f.idx.start + 4*endEntry})
	do(span{f.val.start + 8*firstEntry, f.val.start + 8*endEntry})
	do(span{f.ptr.start + 8*int64(lo), f.ptr.start + 8*int64(hi+1)})
	if f.Labels != nil {
		do(f.labelSpan(lo, hi))
	}
}

// labelSpan returns the range of bytes of the labels of rows lo to hi−1.
func (f *File) labelSpan(lo, hi int) span {
	return span{f.labels.start + 8*int64(lo), f.labels.start + 8*int64(hi)}
}

// systemPage is the size of a page of memory. On some systems it is larger than page. A range of memory that
// willNeed or dontNeed gets must begin at a multiple of it.
var systemPage = int64(os.Getpagesize())

// Prefetch asks the system to load rows lo to hi−1. It does not wait.
func (f *File) Prefetch(lo, hi int) {
	if f.mapped {
		f.eachPart(lo, hi, func(s span) { willNeed(f.data[s.start/systemPage*systemPage : s.end]) })
	}
}

// Release frees the memory of rows lo to hi−1, except pages that also hold other rows. The system reads the
// rows from the file again at their next use. Release has no effect if the file is not mapped.
func (f *File) Release(lo, hi int) {
	if f.mapped {
		f.eachPart(lo, hi, func(s span) { f.release(s) })
	}
}

// ReleaseLabels is Release for the labels only.
func (f *File) ReleaseLabels(lo, hi int) {
	if f.mapped && f.Labels != nil {
		f.release(f.labelSpan(lo, hi))
	}
}

func (f *File) release(s span) {
	if start, end := (s.start+systemPage-1)/systemPage*systemPage, s.end/systemPage*systemPage; start < end {
		dontNeed(f.data[start:end])
	}
}
