package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/dist"
)

var errDamaged = errors.New("the checkpoint cannot be read: it is damaged, or of another version")

// Save stores state in c, but only in the first process. state must be the same in all processes.
func (t *Team) Save(c dist.Checkpoint, state any) error {
	var err error
	if t.Rank() == 0 {
		var b []byte
		b, err = Encode(state)
		if err == nil {
			err = c.Save(b)
		}
	}
	return t.CommonError(err)
}

// Encode returns the bytes that Save stores: the state as package gob encodes it, and a checksum.
func Encode(state any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(state); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), checksum(b.Bytes())), nil
}

// Intact reports whether b has the checksum that Encode has appended.
func Intact(b []byte) bool {
	const sumBytes = 4
	content := b[:max(0, len(b)-sumBytes)]
	return len(b) > sumBytes && binary.LittleEndian.Uint32(b[len(content):]) == checksum(content)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// Load reads a state from c in the first process, and sets state to it in all processes. It returns false if
// c is nil or has no state.
func (t *Team) Load(c dist.Checkpoint, state any) (bool, error) {
	if c == nil {
		return false, nil
	}
	b, err := t.broadcastBytes(c.Load)
	if err != nil || len(b) == 0 {
		return false, err
	}
	if !Intact(b) {
		return false, errDamaged
	}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(state); err != nil { // it does not read the checksum
		return false, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return true, nil
}

// FirstText returns, in all processes, the text of the first process.
func (t *Team) FirstText(text string) string {
	// The error is nil, because the function that broadcastBytes calls here returns no error.
	b, _ := t.broadcastBytes(func() ([]byte, error) { return []byte(text), nil })
	return string(b)
}

// broadcastBytes calls get in the first process, and returns its bytes, or an error, in all processes.
func (t *Team) broadcastBytes(get func() ([]byte, error)) (b []byte, err error) {
	if t.Rank() == 0 {
		b, err = get()
	}
	err = t.CommonError(err)
	if err != nil || t == nil {
		return b, err
	}
	words := []float64{float64(len(b))}
	for chunk := range slices.Chunk(b, 8) {
		var word [8]byte
		copy(word[:], chunk)
		words = append(words, math.Float64frombits(binary.LittleEndian.Uint64(word[:])))
	}
	words = t.Broadcast(words, 0)
	b = nil
	for _, w := range words[1:] {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w))
	}
	return b[:int(words[0])], nil
}
