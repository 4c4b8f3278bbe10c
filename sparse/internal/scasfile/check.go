package scasfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/scas-admm/scas/sparse/faults"
)

// checkBytes is the approximate number of bytes that CheckPart checks at a time.
const checkBytes = 8 << 20

// Check checks the whole file. See CheckPart for release.
func (f *File) Check(release bool) error {
	if err := f.CheckPart(0, int(f.Rows), release); err != nil {
		return err
	}
	return f.checkBlocks(span{page, f.checksums.start}) // the blocks that CheckPart has not checked
}

// CheckPart is CheckRows for many rows, on all processors. If release is true, it releases the memory of
// rows after their check.
func (f *File) CheckPart(lo, hi int, release bool) error {
	step := int(max(1, f.Rows/(f.size/checkBytes+1))) // rows to check at a time
	partCount := (hi - lo + step - 1) / step
	errs := make([]error, partCount)
	faults.Each(0, partCount, func() func(k int) {
		return func(k int) {
			partLo := lo + k*step
			partHi := min(partLo+step, hi)
			errs[k] = f.CheckRows(partLo, partHi)
			if release {
				f.Release(partLo, partHi)
			}
		}
	})
	return cmp.Or(errs...)
}

// CheckMeta checks the section meta, and that the last row ends with the last entry.
func (f *File) CheckMeta() error {
	if err := f.checkBlocks(span{f.ptr.end - 8, f.ptr.end}); err != nil {
		return err
	}
	if lastEnd := f.Ptr[len(f.Ptr)-1]; lastEnd != f.NNZ {
		return fmt.Errorf("the last row ends with entry %d: expected %d", lastEnd, f.NNZ)
	}
	return f.checkBlocks(f.meta)
}

// CheckRows checks rows lo to hi−1. The checksums that cover them must be right, columns must be in range
// and increasing, values must be finite, and row pointers and labels must be valid.
func (f *File) CheckRows(lo, hi int) error {
	if err := f.checkBlocks(span{f.ptr.start + 8*int64(lo), f.ptr.start + 8*int64(hi+1)}); err != nil {
		return err
	}
	if f.Ptr[0] != 0 || f.Ptr[len(f.Ptr)-1] != f.NNZ {
		return fmt.Errorf("rows from entry %d to %d: expected 0 to %d", f.Ptr[0], f.Ptr[len(f.Ptr)-1], f.NNZ)
	}
	for i := lo; i < hi; i++ {
		if start, end := f.Ptr[i], f.Ptr[i+1]; start < 0 || end < start || end > f.NNZ {
			return fmt.Errorf("row %d has entries from %d to %d: expected increasing numbers up to %d",
				i+1, start, end, f.NNZ)
		}
	}
	var err error
	f.eachPart(lo, hi, func(s span) {
		if err == nil {
			err = f.checkBlocks(s)
		}
	})
	for i := lo; i < hi && err == nil; i++ {
		err = f.checkRow(i)
	}
	return err
}

// checkRow checks a row whose row pointers are valid.
func (f *File) checkRow(i int) error {
	idx, val := f.Idx[f.Ptr[i]:f.Ptr[i+1]], f.Val[f.Ptr[i]:f.Ptr[i+1]]
	val = val[:len(idx)]
	prev, finite := int32(-1), true
	for k, j := range idx {
		if j <= prev || int64(j) >= f.Cols {
			return fmt.Errorf("row %d has column %d after %d: expected increasing numbers below %d",
				i+1, j, prev, f.Cols)
		}
		prev = j
		finite = finite && isFinite(val[k])
	}
	if !finite {
		return fmt.Errorf("row %d has a value that is not finite: expected numbers", i+1)
	}
	return f.checkLabel(i)
}

// CheckLabels checks only the labels of rows lo to hi−1.
func (f *File) CheckLabels(lo, hi int) error {
	if f.Labels == nil {
		return nil
	}
	err := f.checkBlocks(f.labelSpan(lo, hi))
	for i := lo; i < hi && err == nil; i++ {
		err = f.checkLabel(i)
	}
	return err
}

func (f *File) checkLabel(i int) error {
	if f.Labels == nil {
		return nil
	}
	b := f.Labels[i]
	if !isFinite(b) || f.Header.Labelling == Signs && b != 1 && b != -1 {
		return fmt.Errorf("row %d has label %v: expected a finite number, −1 or +1 where the header says so",
			i+1, b)
	}
	return nil
}

func isFinite(v float64) bool {
	const exponent = 0x7ff << 52
	return math.Float64bits(v)&exponent != exponent
}

// checkBlocks compares the blocks of 1 MiB that overlap s with their checksums, except blocks that it has
// already compared.
func (f *File) checkBlocks(s span) error {
	if s.start >= s.end {
		return nil
	}
	for k := (s.start - page) / block; k <= (s.end-1-page)/block; k++ {
		if f.checked[k].Load() {
			continue
		}
		start := page + k*block
		end := min(start+block, f.checksums.start)
		want := binary.LittleEndian.Uint32(f.data[f.checksums.start+checksum*k:])
		if crc32.Checksum(f.data[start:end], castagnoli) != want {
			return fmt.Errorf("damaged: bytes %d to %d are not what was written, their checksum is wrong; convert the data again", start, end-1)
		}
		f.checked[k].Store(true)
	}
	return nil
}
