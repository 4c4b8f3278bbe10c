package scasfile

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A Writer writes a file. The caller writes the sections in order, calls EndSection after each section, and
// Close at the end.
type Writer struct {
	dst           io.Writer
	position      int64  // number of bytes written
	blockChecksum uint32 // checksum of the current block so far
	checksums     []byte // checksums of the blocks before the current one
}

// NewWriter writes the header of a file.
func NewWriter(dst io.Writer, h *Header) (*Writer, error) {
	_, err := dst.Write(h.encode())
	return &Writer{dst: dst, position: page}, err
}

// Write writes bytes of the current section.
func (w *Writer) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		part := p[:min(int64(len(p)), block-(w.position-page)%block)]
		var k int
		k, err = w.dst.Write(part)
		n += k
		w.blockChecksum = crc32.Update(w.blockChecksum, castagnoli, part)
		w.position += int64(len(part))
		if (w.position-page)%block == 0 {
			w.endBlock()
		}
		p = p[len(part):]
	}
	return n, err
}

func (w *Writer) endBlock() {
	w.checksums = binary.LittleEndian.AppendUint32(w.checksums, w.blockChecksum)
	w.blockChecksum = 0
}

// EndSection ends a section. It writes zeros up to the next multiple of 4096 bytes, where the next section
// begins.
func (w *Writer) EndSection() error {
	_, err := w.Write(make([]byte, (page-w.position%page)%page))
	return err
}

// Close ends the file: it writes the checksums. It does not close the writer that NewWriter received.
func (w *Writer) Close() error {
	if (w.position-page)%block != 0 {
		w.endBlock()
	}
	w.checksums = binary.LittleEndian.AppendUint32(w.checksums, crc32.Checksum(w.checksums, castagnoli))
	_, err := w.dst.Write(w.checksums)
	return err
}

// WriteNumbers writes v as little-endian numbers.
func WriteNumbers[T Number](w io.Writer, v []T) error {
	if littleEndian {
		_, err := w.Write(bytesOf(v))
		return err
	}
	return binary.Write(w, binary.LittleEndian, v)
}
