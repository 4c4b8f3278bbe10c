// Package npy reads and writes arrays of numbers, booleans and strings in NumPy's .npy format. It does not
// trust headers: it allocates memory only for the elements that it is asked to read.
package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
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
		return nil, fmt.Errorf("a header of more than %d bytes: expected that of one array of numbers", maxHeader)
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

// parse parses the header, a Python dictionary with the keys descr, fortran_order and shape.
func (a *Array) parse(text string) error {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if !ok {
		return headerError(text)
	}
	seenKeys := 0
	for {
		rest = strings.TrimLeft(rest, " ")
		if rest == "}" {
			break
		}
		key, tail, _ := cutQuoted(rest)
		if rest, ok = strings.CutPrefix(strings.TrimLeft(tail, " "), ":"); !ok {
			return headerError(text)
		}
		bit := map[string]int{"descr": 1, "fortran_order": 2, "shape": 4}[key]
		if bit == 0 || seenKeys&bit != 0 {
			return headerError(text)
		}
		seenKeys |= bit
		var err error
		if rest, err = a.parseValue(key, strings.TrimLeft(rest, " ")); err != nil {
			return err
		}
		rest = strings.TrimLeft(rest, " ")
		if tail, hasComma := strings.CutPrefix(rest, ","); hasComma {
			rest = tail
		} else if rest != "}" {
			return headerError(text)
		}
	}
	if seenKeys != 7 {
		return headerError(text)
	}
	return a.setLen()
}

func headerError(text string) error {
	const limit = 80
	return fmt.Errorf("the header %.*q is not of the form {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", limit, text)
}

// cutQuoted returns the text of the quoted string at the beginning of s, and the rest of s. ok is false if
// there is no such string.
func cutQuoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s, false
	}
	text, rest, ok = strings.Cut(s[1:], s[:1])
	return text, rest, ok
}

// parseValue parses the value of key at the beginning of s. It returns the rest of s.
func (a *Array) parseValue(key, s string) (rest string, err error) {
	switch key {
	case "descr":
		name, rest, ok := cutQuoted(s)
		if !ok {
			return "", fmt.Errorf("elements of several fields: expected an array of plain numbers")
		}
		return rest, a.setType(name)
	case "fortran_order":
		if rest, ok := strings.CutPrefix(s, "True"); ok {
			a.Fortran = true
			return rest, nil
		}
		rest, ok := strings.CutPrefix(s, "False")
		if !ok {
			return "", headerError(s)
		}
		return rest, nil
	}
	shapeText, rest, ok := strings.Cut(s, ")")
	shapeText, opened := strings.CutPrefix(shapeText, "(")
	if !ok || !opened {
		return "", headerError(s)
	}
	shapeText = strings.TrimSuffix(strings.TrimSpace(shapeText), ",")
	if shapeText == "" {
		return rest, nil
	}
	for part := range strings.SplitSeq(shapeText, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 62)
		if err != nil || len(a.Shape) == maxDims {
			return "", headerError(s)
		}
		a.Shape = append(a.Shape, int(n))
	}
	return rest, nil
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
		v, unsigned := a.integer(b[k*a.Size:])
		dst[k] = float64(v)
		if unsigned && v < 0 {
			dst[k] = float64(uint64(v))
		}
		// A negative v of an unsigned type stands for v + 2^64.
		if exact := v > -1<<53 && v < 1<<53 && !(unsigned && v < 0); !exact && !sameInteger(v, unsigned, dst[k]) {
			token := strconv.FormatInt(v, 10)
			if unsigned {
				token = strconv.FormatUint(uint64(v), 10)
			}
			return 0, &ElementError{Index: start + int64(k), Token: token, Msg: "a whole number with more digits than float64 holds: expected one that it has exactly"}
		}
	}
	return n, nil
}

// sameInteger reports whether the whole number f equals v, or v + 2^64 if unsigned is true and v negative.
func sameInteger(v int64, unsigned bool, f float64) bool {
	if unsigned && v < 0 {
		return f < 1<<64 && uint64(f) == uint64(v)
	}
	return f < 1<<63 && int64(f) == v
}

// integer returns the integer or boolean at the beginning of b. unsigned is false for the types i1 to i8. An
// unsigned integer of 2^63 or more becomes a negative v with the same bits.
func (a *Array) integer(b []byte) (v int64, unsigned bool) {
	order := a.byteOrder()
	switch {
	case a.Kind == 'b':
		return int64(min(b[0], 1)), true
	case a.Kind == 'u' && a.Size == 1:
		return int64(b[0]), true
	case a.Kind == 'u' && a.Size == 2:
		return int64(order.Uint16(b)), true
	case a.Kind == 'u' && a.Size == 4:
		return int64(order.Uint32(b)), true
	case a.Kind == 'u':
		return int64(order.Uint64(b)), true
	case a.Size == 1:
		return int64(int8(b[0])), false
	case a.Size == 2:
		return int64(int16(order.Uint16(b))), false
	case a.Size == 4:
		return int64(int32(order.Uint32(b))), false
	}
	return int64(order.Uint64(b)), false
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
		v, unsigned := a.integer(b[k*a.Size:])
		if unsigned && v < 0 {
			return 0, &ElementError{Index: start + int64(k), Token: strconv.FormatUint(uint64(v), 10), Msg: "expected a whole number below 2^63"}
		}
		dst[k] = v
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
