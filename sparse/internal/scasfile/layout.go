// Package scasfile reads and writes .scas files, the binary format for data sets: a matrix in compressed
// sparse row format, with labels. A mapped file can be used as a matrix without parsing.
//
// Numbers are little-endian. Sections begin at multiples of 4096 bytes, with zeros before them:
//
//	offset  bytes  what
//	0       8      89 53 43 41 53 0d 0a 1a, which a transfer as text would change
//	8       4      version, 2
//	12      4      01020304 hexadecimal, whose bytes are 04 03 02 01
//	16      8      rows n
//	24      8      columns p
//	32      8      entries m
//	40      4      labels: 0 for none; 1 for numbers; 2 for −1 and +1, which stand for the labels at 48 and 56
//	44      4      number of the first column in the text that was converted, 0 or 1
//	48      8      label that −1 stands for, float64
//	56      8      label that +1 stands for, float64
//	64      8      bytes of the section meta
//	72      4020   0
//	4092    4      CRC-32C of the 4092 bytes before
//	4096    4 m    columns of the entries, int32, from 0, increasing in each row
//	        8 m    values of the entries, float64, finite
//	        8 n+8  row pointers, int64: row i has the entries from number ptr[i] to ptr[i+1] − 1
//	        8 n    labels, float64, if there are any
//	               meta: a JSON object. Its list features, if there is one, names the columns. Its text
//	               label, if there is one, names the labels. Its list classes, if there is one, has the
//	               words for which the labels stand, in byte order: the label k stands for word k,
//	               counted from 0
//	        4 k    CRC-32C of each of the k blocks of 1 MiB from byte 4096 to here; the last block may
//	               be shorter; this list begins at a multiple of 4096, as sections do
//	        4      CRC-32C of the 4 k bytes before
//
// The length of a file follows from its header.
package scasfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Magic begins every file.
const Magic = "\x89SCAS\r\n\x1a"

const (
	version   = 2
	byteOrder = 0x01020304
	page      = 4096    // alignment of sections, and length of the header
	block     = 1 << 20 // size of a block in bytes: one checksum covers it
	checksum  = 4       // size of a checksum, in bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Labelling says how the labels of a file are stored.
type Labelling uint32

// The values of Labelling.
const (
	Unlabelled Labelling = iota
	Numbers
	Signs // −1 and +1, which stand for Header.Negative and Header.Positive
)

func (l Labelling) labelCount(rows int64) int64 {
	if l == Unlabelled {
		return 0
	}
	return rows
}

// A Header is the header of a file after its first 16 bytes. The file has the fields in this order.
type Header struct {
	Rows, Cols, NNZ    int64
	Labelling          Labelling
	IndexBase          uint32  // number of the first column in the text that was converted: 0 or 1
	Negative, Positive float64 // original labels, if Labelling is Signs
	MetaBytes          int64   // length of the section meta in bytes
}

// span is a range of bytes of a file.
type span struct{ start, end int64 }

// layout has the positions of the sections of a file; checksums is the list of checksums.
type layout struct {
	idx, val, ptr, labels, meta, checksums span
	size                                   int64 // length of the file
}

// layout returns the positions of the sections. h must be valid.
func (h *Header) layout() (l layout) {
	end := int64(page)
	put := func(s *span, bytes int64) {
		s.start = (end + page - 1) / page * page
		s.end = s.start + bytes
		end = s.end
	}
	put(&l.idx, 4*h.NNZ)
	put(&l.val, 8*h.NNZ)
	put(&l.ptr, 8*(h.Rows+1))
	put(&l.labels, 8*h.Labelling.labelCount(h.Rows))
	put(&l.meta, h.MetaBytes)
	put(&l.checksums, 0)
	l.checksums.end += checksum * ((l.checksums.start - page + block - 1) / block)
	l.size = l.checksums.end + checksum
	return l
}

func (h *Header) encode() []byte {
	b, le := make([]byte, page), binary.LittleEndian
	copy(b, Magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], byteOrder)
	_, _ = binary.Encode(b[16:], le, h) // b is long enough
	le.PutUint32(b[page-checksum:], crc32.Checksum(b[:page-checksum], castagnoli))
	return b
}

// maxCount is the largest number of rows, columns or entries that a header may state, and the largest number
// of bytes of the section meta. For numbers up to maxCount, the computed sizes of sections do not overflow.
const maxCount = 1 << 48

// decode parses b, the header of a file of the given size.
func decode(b []byte, size int64) (*Header, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < len(Magic) || string(b[:len(Magic)]) != Magic:
		return nil, errors.New("this is no .scas file: expected one that scas convert wrote")
	case len(b) < page:
		return nil, errors.New("truncated: the file ends within its header, convert the data again")
	case le.Uint32(b[8:]) != version:
		return nil, fmt.Errorf("version %d of the format: expected version %d, convert the data again",
			le.Uint32(b[8:]), version)
	case le.Uint32(b[12:]) != byteOrder:
		return nil, errors.New("the order of bytes is not little-endian: convert the data again")
	case crc32.Checksum(b[:page-checksum], castagnoli) != le.Uint32(b[page-checksum:]):
		return nil, errors.New("damaged: the checksum of the header is wrong, convert the data again")
	}
	h := &Header{}
	_, _ = binary.Decode(b[16:], le, h) // b is long enough
	for _, v := range []int64{h.Rows, h.Cols, h.NNZ, h.MetaBytes} {
		if v < 0 || v > maxCount {
			return nil, fmt.Errorf("the header has %d rows, %d columns, %d entries and %d bytes of names: expected numbers from 0 to 2^48", h.Rows, h.Cols, h.NNZ, h.MetaBytes)
		}
	}
	if h.Labelling == Signs && !(isFinite(h.Negative) && isFinite(h.Positive)) {
		return nil, fmt.Errorf("the header says that −1 and +1 stand for the labels %v and %v: expected finite numbers", h.Negative, h.Positive)
	}
	if h.Labelling > Signs || h.IndexBase > 1 {
		return nil, fmt.Errorf("the header has labels of kind %d and columns from %d on: expected 0..2 and 0..1", h.Labelling, h.IndexBase)
	}
	switch want := h.layout().size; {
	case size < want:
		return nil, fmt.Errorf("truncated: %d bytes of the %d that the header states, convert the data again",
			size, want)
	case size > want:
		return nil, fmt.Errorf("%d bytes, more than the %d that the header states: convert the data again",
			size, want)
	}
	return h, nil
}
