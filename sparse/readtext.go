package sparse

import (
	"bytes"
	"io"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
	"github.com/scas-admm/scas/sparse/internal/text"
	"github.com/scas-admm/scas/sparse/pages"
)

// blockSize is the number of bytes of text that are parsed at a time. Long lines enlarge the blocks.
const blockSize = 1 << 18

// ReadText reads all of r, up to 2 GiB of text. It decompresses r if its first bytes are those of gzip,
// bzip2, xz or zstd, and drops a byte order mark. Errors about the content have the type *ParseError, with
// name as the file. A stream that expands to more than 4 MiB and more than 500 times its size is an error.
func ReadText(r io.Reader, name string) ([]byte, error) {
	input, err := decompress(r, name)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	return readText(input, &ReadOptions{})
}

// readText is ReadText within the memory that opt allows.
func readText(input *decompressor, opt *ReadOptions) (data []byte, err error) {
	name, head := input.name, make([]byte, blockSize)
	n, err := io.ReadFull(input, head)
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		err = refuseBinary(head[:n], name) // before the rest of the text is read
	}
	if err != nil {
		return nil, err
	}
	maxBytes := int64(maxText)
	if opt.Memory > 0 {
		maxBytes = min(maxBytes, max(0, opt.Memory-opt.Reserve)*4/9) // ReadAll needs up to 9/4 times the text
	}
	data, err = io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), input), maxBytes+1))
	if err == nil && maxBytes < maxText && int64(len(data)) > maxBytes {
		// The memory is rounded up. If it were rounded down, a text that LimitReader has cut could be
		// allowed.
		err = opt.checkMemory(name, (int64(len(data))*9+3)/4, "the first %d bytes of text", len(data))
	}
	if err == nil && len(data) > maxText {
		err = fileErrorf(name, "more than %d MiB of text: expected a file that fits in memory", maxText>>20)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil
}

// byteOrderMark is a character that some editors write at the beginning of a text.
const byteOrderMark = "\ufeff"

const (
	maxText = 2 << 30  // size in bytes of the largest text that ReadText accepts
	maxLine = 64 << 20 // length in bytes of the longest line that eachBlock accepts
)

// eachBlock divides a text into blocks of whole lines and calls do for each block. The block is buf[:n]. It
// ends in a line feed, and at least text.Pad bytes follow it in buf. If isLast is true, no text follows the
// block. do returns how many bytes it has used; the next block begins with the unused bytes.
func eachBlock(
	input *decompressor, do func(buf []byte, n int, isLast bool) (usedBytes int, err error),
) error {
	// Room after the text: for a final line feed that it may lack, and for Pad bytes.
	const tail = text.Pad + 1
	buf := pages.Make[byte](blockSize + tail)
	count, isFirst := 0, true // count is the number of bytes in buf
	for {
		n, err := io.ReadFull(input, buf[count:len(buf)-tail])
		scannedCount := count
		count += n
		atEnd := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !atEnd {
			return err
		}
		if isFirst {
			if err := refuseBinary(buf[:count], input.name); err != nil {
				return err
			}
			isFirst = false
		}
		if atEnd && count > 0 && buf[count-1] != '\n' {
			buf[count] = '\n'
			count++
		}
		usedBytes, end := 0, scannedCount+bytes.LastIndexByte(buf[scannedCount:count], '\n')+1
		if end > scannedCount || atEnd && end > 0 {
			usedBytes, err = do(buf, end, atEnd)
			if err != nil {
				return err
			}
		}
		if atEnd {
			return nil
		}
		if usedBytes == 0 { // the buffer has no complete record yet
			if count > maxLine {
				return fileErrorf(input.name,
					"a line of more than %d MiB: expected one line for every sample (in a table, a closing quotation mark may be missing)",
					maxLine>>20)
			}
			if count == len(buf)-tail {
				buf = append(buf, make([]byte, len(buf))...)
			}
			continue
		}
		count = copy(buf, buf[usedBytes:count])
	}
}

// refuseBinary returns an error if head, the beginning of a file, cannot be text. A parser's error would be
// less clear.
func refuseBinary(head []byte, name string) error {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return &ParseError{
			File: name, Line: 1, Column: 1, Msg: "this is UTF-16 text: convert it to plain ASCII or UTF-8",
		}
	}
	if bytes.HasPrefix(head, []byte(scasfile.Magic)) {
		return fileErrorf(name,
			"this is a .scas file of data, not text: as data, read it in the format scas, or give its name the ending .scas")
	}
	line, start := 1, 0
	for i, c := range head {
		switch {
		case c == '\n':
			line, start = line+1, i+1
		case c < ' ' && !text.IsSeparator(c), c == 0x7f:
			return &ParseError{
				File: name, Line: line, Column: i - start + 1, Token: string(head[i : i+1]),
				Msg: "this is not a text file: expected numbers in plain text, or such text compressed by gzip, bzip2, xz or zstd",
			}
		}
	}
	return nil
}
