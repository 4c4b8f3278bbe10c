// Package npy reads and writes arrays of numbers, booleans and strings in NumPy's .npy format. It does not
// trust headers: it allocates memory only for the elements that it is asked to read.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// magic is the beginning of every .npy file.
const magic = "\x93NUMPY"

// maxHeader is the largest length of a header in bytes, maxDims the largest number of dimensions, maxString
// the largest number of characters of a string.
const maxHeader, maxDims, maxString = 1 << 16, 32, 1 << 16

// An Array is an array whose header has been read.
type Array struct {
	// Kind is f (floating), i (signed), u (unsigned), b (boolean), S (bytes) or U (Unicode). Size is the
	// number of bytes of an element.
	Kind byte
	Size int
	// Fortran is true if the first index varies fastest.
	Fortran bool
	Shape   []int
	// Len is the number of elements.
	Len int64

	name      string // NumPy's name of the element type
	bigEndian bool   // numbers are big-endian
	r         io.Reader
	position  int64  // number of elements read
	scratch   []byte // scratch memory: the bytes of the elements that were read last
}

// An ElementError is an error about one element of an array.
type ElementError struct {
	Index int64 // number of the element in the file, from 0
	Token string
	Msg   string
}

func (e *ElementError) Error() string {
	return fmt.Sprintf("element %d, %s: %s", e.Index, e.Token, e.Msg)
}

// Open reads the header of an array.
func Open(r io.Reader) (*Array, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil {
		return nil, earlyEndError(err, "within the header")
	}
	if string(head[:6]) != magic {
		return nil, fmt.Errorf("this is no array of NumPy: expected a file that numpy.save wrote")
	}
	headerSize := int(binary.LittleEndian.Uint16(head[8:]))
	switch major := head[6]; major {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return nil, earlyEndError(err, "within the header")
		}
		headerSize = int(min(binary.LittleEndian.Uint32(head[8:]), maxHeader+1))
	default:
		return nil, fmt.Errorf("version %d of NumPy's array files: expected 1, 2 or 3", major)
	}
	if headerSize > maxHeader {
		return nil, fmt.Errorf("a header of more than %d bytes: expected that of one array of numbers",
			maxHeader)
	}
	text := make([]byte, headerSize)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, earlyEndError(err, "within the header")
	}
	a := &Array{r: r}
	if err := a.parse(string(text)); err != nil {
		return nil, err
	}
	return a, nil
}

// earlyEndError returns an error that says where the file ends, if err is io.EOF or io.ErrUnexpectedEOF. It
// returns any other error unchanged.
func earlyEndError(err error, where string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file ends %s: write or fetch it again", where)
	}
	return err
}

// headerField matches a key of the header and its value, which is a string, a boolean, a tuple of numbers, or
// a list and all that follows it.
var headerField = regexp.MustCompile(`^['"](descr|fortran_order|shape)['"] *: *('[^']*'|"[^"]*"|True|False|\([0-9, ]*\)|\[.*) *(?:, *|$)`)

// parse parses the header, a Python dictionary with the keys descr, fortran_order and shape.
func (a *Array) parse(text string) error {
	fields, opened := strings.CutPrefix(strings.TrimSpace(text), "{")
	fields, closed := strings.CutSuffix(fields, "}")
	seen := map[string]bool{}
	for fields = strings.TrimSpace(fields); fields != ""; {
		match := headerField.FindStringSubmatch(fields)
		if match == nil || seen[match[1]] {
			return headerError(text)
		}
		key, value := match[1], match[2]
		seen[key], fields = true, fields[len(match[0]):]
		var err error
		switch first := value[0]; {
		case key == "descr" && first == '[':
			err = errors.New("elements of several fields: expected an array of plain numbers")
		case key == "descr" && (first == '\'' || first == '"'):
			err = a.setType(value[1 : len(value)-1])
		case key == "fortran_order" && (first == 'T' || first == 'F'):
			a.Fortran = value == "True"
		case key == "shape" && first == '(' && a.setShape(value[1:len(value)-1]):
		default:
			err = headerError(text)
		}
		if err != nil {
			return err
		}
	}
	if !opened || !closed || len(seen) != 3 {
		return headerError(text)
	}
	return a.setLen()
}

func headerError(text string) error {
	const limit = 80
	return fmt.Errorf("the header %.*q is not of the form {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", limit, text)
}

// setShape parses the numbers of a tuple, separated by commas. ok is false if they are not a shape.
func (a *Array) setShape(tuple string) (ok bool) {
	tuple = strings.TrimSuffix(strings.TrimSpace(tuple), ",")
	if tuple == "" {
		return true
	}
	for part := range strings.SplitSeq(tuple, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 62)
		if err != nil || len(a.Shape) == maxDims {
			return false
		}
		a.Shape = append(a.Shape, int(n))
	}
	return true
}

// setType parses name, NumPy's name of an element type, such as <f8, |b1 or <U12.
func (a *Array) setType(name string) error {
	typeErr := fmt.Errorf("elements of type %q: expected float64, float32, integers or truth values (in NumPy a.astype(float) makes them)", name)
	if len(name) < 3 || !strings.Contains("<>|=", name[:1]) {
		return typeErr
	}
	size, err := strconv.ParseUint(name[2:], 10, 32)
	if err != nil {
		return typeErr
	}
	a.name, a.Kind, a.Size, a.bigEndian = name, name[1], int(size), name[0] == '>'
	switch kind := a.Kind; {
	case kind == 'f' && (size == 4 || size == 8):
	case (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8):
	case kind == 'b' && size == 1:
	case (kind == 'S' || kind == 'U') && size > maxString:
		return fmt.Errorf("elements of type %q: expected strings of at most %d characters", name, maxString)
	case kind == 'S' && size >= 1:
	case kind == 'U' && size >= 1:
		a.Size *= 4
	default:
		return typeErr
	}
	return nil
}

func (a *Array) setLen() error {
	a.Len = 1
	for _, n := range a.Shape {
		if n > 0 && a.Len > math.MaxInt64/16/int64(n)/int64(a.Size) {
			return fmt.Errorf("shape %v: more than any machine holds", a.Shape)
		}
		a.Len *= int64(n)
	}
	return nil
}

// Numeric reports whether the elements are numbers or booleans.
func (a *Array) Numeric() bool { return a.Kind != 'S' && a.Kind != 'U' }

// readElements reads up to n elements and returns their bytes. After the last element it returns io.EOF, or
// an error if more bytes follow the last element.
func (a *Array) readElements(n int) ([]byte, error) {
	if remaining := a.Len - a.position; int64(n) > remaining {
		n = int(remaining)
	}
	if n == 0 {
		var one [1]byte
		k, err := io.ReadFull(a.r, one[:])
		if k > 0 {
			return nil, fmt.Errorf("bytes after the last of %d elements: expected the end of the file", a.Len)
		}
		return nil, err // io.EOF, or an error of the decompression
	}
	if byteCount := n * a.Size; cap(a.scratch) < byteCount {
		a.scratch = make([]byte, byteCount)
	}
	b := a.scratch[:n*a.Size]
	if k, err := io.ReadFull(a.r, b); err != nil {
		readCount := a.position + int64(k/a.Size)
		return nil, earlyEndError(err, fmt.Sprintf("after %d of %d elements", readCount, a.Len))
	}
	a.position += int64(n)
	return b, nil
}

func (a *Array) byteOrder() binary.ByteOrder {
	if a.bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// ReadFloats reads the next elements into dst and returns their number, at least one. The array must be
// Numeric. After the last element ReadFloats returns io.EOF. An integer that float64 cannot represent is an
// *ElementError.
func (a *Array) ReadFloats(dst []float64) (int, error) {
	start := a.position
	b, err := a.readElements(len(dst))
	if err != nil {
		return 0, err
	}
	n := len(b) / a.Size
	switch {
	case a.Kind == 'f' && a.Size == 8:
		for k := range n {
			word := binary.LittleEndian.Uint64(b[8*k:])
			if a.bigEndian {
				word = bits.ReverseBytes64(word)
			}
			dst[k] = math.Float64frombits(word)
		}
		return n, nil
	case a.Kind == 'f':
		order := a.byteOrder()
		for k := range n {
			dst[k] = float64(math.Float32frombits(order.Uint32(b[4*k:])))
		}
		return n, nil
	}
	for k := range n {
		size, negative := a.integer(b[k*a.Size:])
		if bits.Len64(size)-bits.TrailingZeros64(size) > 53 {
			return 0, integerError(start+int64(k), size, negative,
				"a whole number with more digits than float64 holds: expected one that it has exactly")
		}
		dst[k] = float64(size)
		if negative {
			dst[k] = -dst[k]
		}
	}
	return n, nil
}

func integerError(index int64, size uint64, negative bool, msg string) error {
	token := strconv.FormatUint(size, 10)
	if negative {
		token = "-" + token
	}
	return &ElementError{Index: index, Token: token, Msg: msg}
}

// integer returns the absolute value and the sign of the integer or boolean at the beginning of b.
func (a *Array) integer(b []byte) (size uint64, negative bool) {
	order := a.byteOrder()
	switch a.Size {
	case 1:
		size = uint64(b[0])
	case 2:
		size = uint64(order.Uint16(b))
	case 4:
		size = uint64(order.Uint32(b))
	default:
		size = order.Uint64(b)
	}
	switch a.Kind {
	case 'b':
		return min(size, 1), false
	case 'i':
		shift := 64 - 8*a.Size
		if v := int64(size<<shift) >> shift; v < 0 {
			return -uint64(v), true
		}
	}
	return size, false
}

// ReadInts reads the next integers into dst and returns their number, at least one. After the last integer
// ReadInts returns io.EOF. An array of another type is an error, and so is an integer of 2^63 or more.
func (a *Array) ReadInts(dst []int64) (int, error) {
	if a.Kind != 'i' && a.Kind != 'u' {
		return 0, fmt.Errorf("elements of type %q: expected whole numbers", a.name)
	}
	start := a.position
	b, err := a.readElements(len(dst))
	if err != nil {
		return 0, err
	}
	n := len(b) / a.Size
	for k := range n {
		size, negative := a.integer(b[k*a.Size:])
		if !negative && size > math.MaxInt64 {
			return 0, integerError(start+int64(k), size, negative, "expected a whole number below 2^63")
		}
		dst[k] = int64(size)
		if negative {
			dst[k] = -dst[k]
		}
	}
	return n, nil
}

// ReadStrings reads the next elements, at most n, of an array of strings. After the last element it returns
// io.EOF. An array of another type is an error.
func (a *Array) ReadStrings(n int) ([]string, error) {
	if a.Numeric() {
		return nil, fmt.Errorf("elements of type %q: expected strings", a.name)
	}
	b, err := a.readElements(n)
	if err != nil {
		return nil, err
	}
	order := a.byteOrder()
	out := make([]string, len(b)/a.Size)
	for k := range out {
		e := b[k*a.Size : (k+1)*a.Size]
		if a.Kind == 'S' {
			out[k] = strings.TrimRight(string(e), "\x00")
			continue
		}
		var s strings.Builder
		for ; len(e) > 0; e = e[4:] {
			s.WriteRune(rune(min(order.Uint32(e), 0x110000))) // replaces invalid characters by U+FFFD
		}
		out[k] = strings.TrimRight(s.String(), "\x00")
	}
	return out, nil
}
