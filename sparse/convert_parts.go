package sparse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// parts holds sections of an unfinished .scas file, each in a file of one directory. The lines of
// a journal in the same directory have the sizes and the checksums of the sections. After a crash,
// a conversion of LIBSVM text continues from the last line if the sections still have these
// checksums.
type parts struct {
	dir           string
	files         [partCount]partFile
	journal       *os.File
	source        partsSource
	recordedBytes int64 // position in the text, in bytes, that the last line of the journal states
}

// recordBytes is the approximate number of bytes of text between two lines of the journal.
const recordBytes = 8 << 20

// The positions of the sections of a .scas file in parts.files.
const (
	columnsPart = iota
	valuesPart
	rowsPart // 0, and then for each row the number of entries up to its end
	labelsPart
	partCount
)

var partNames = [partCount]string{"columns", "values", "rows", "labels"}

// A partFile is a file that holds the beginning of one section: size bytes with this checksum.
type partFile struct {
	f        *os.File
	buffer   *bufio.Writer
	size     int64
	checksum uint32
}

func (p *partFile) Write(b []byte) (int, error) {
	n, err := p.buffer.Write(b)
	p.size += int64(n)
	p.checksum = crc32.Update(p.checksum, checksumTable, b[:n])
	return n, err
}

var checksumTable = crc32.MakeTable(crc32.Castagnoli)

// partsSource identifies the text and how it is read. An earlier conversion is continued only if
// its partsSource is the same.
type partsSource struct {
	Name     string    `json:"name"`
	Size     int64     `json:"size"`
	Modified int64     `json:"modified"`
	Format   Format    `json:"format"`
	Features int       `json:"features"`
	Ignore   bool      `json:"ignore_beyond"`
	Base     IndexBase `json:"base"`
	Strict   bool      `json:"strict"`
}

// A partsRecord is a line of the journal, a file of the type parts: the state of the parser, and
// the sizes and checksums of the parts.
type partsRecord struct {
	indexRange
	labelPair
	Source partsSource       `json:"source"`
	Lines  int               `json:"lines"`
	Stats  ReadStats         `json:"stats"`
	Sizes  [partCount]int64  `json:"sizes"`
	Sums   [partCount]uint32 `json:"sums"`
}

func partsDir(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".parts")
}

// openParts opens the parts in the directory dir, truncates them to the sizes in the last valid
// record of the journal, and returns this record. Without a valid record, it creates empty parts
// and returns a nil record.
func openParts(dir string, source partsSource) (*parts, *partsRecord, error) {
	if err := os.Mkdir(dir, 0o777); err != nil && !os.IsExist(err) {
		return nil, nil, err
	}
	p := &parts{dir: dir, source: source}
	var err error
	p.journal, err = os.OpenFile(filepath.Join(dir, "journal"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, err
	}
	// On a system without file locks, Lock returns another error. Nothing then prevents two conversions to
	// the same file at the same time.
	if atomicfile.Lock(p.journal) == atomicfile.ErrLocked {
		p.journal.Close()
		return nil, nil, fmt.Errorf("another conversion to this file is at work: wait for it, or remove %s",
			dir)
	}
	for k := range p.files {
		f, err := os.OpenFile(filepath.Join(dir, partNames[k]), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			p.close()
			return nil, nil, err
		}
		p.files[k] = partFile{f: f, buffer: bufio.NewWriterSize(f, 1<<20)}
	}
	record := p.lastRecord()
	if record == nil {
		err = p.reset()
	} else {
		err = p.truncate(record)
		p.recordedBytes = record.Stats.Bytes
	}
	if err != nil {
		p.close()
		return nil, nil, err
	}
	return p, record, nil
}

// reset empties the journal and the parts, and writes where the first row begins: at entry 0.
func (p *parts) reset() error {
	return errors.Join(p.journal.Truncate(0), p.truncate(&partsRecord{}),
		scasfile.WriteNumbers(&p.files[rowsPart], []int64{0}))
}

// lastRecord returns the last record that the journal has for p.source. It returns nil if there is none. It
// also returns nil if a part is shorter than its recorded size, or if the checksum up to this size differs.
func (p *parts) lastRecord() *partsRecord {
	data, err := io.ReadAll(p.journal)
	if err != nil {
		return nil
	}
	var record *partsRecord
	for line := range bytes.Lines(data) {
		var r partsRecord
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &r) == nil && r.Source == p.source {
			record = &r
		}
	}
	for k := range p.files {
		checksum := crc32.New(checksumTable)
		if record == nil {
			return nil
		}
		if n, err := io.Copy(checksum, io.NewSectionReader(p.files[k].f, 0, record.Sizes[k])); err != nil ||
			n != record.Sizes[k] || checksum.Sum32() != record.Sums[k] {
			return nil
		}
	}
	return record
}

// truncate truncates the parts to the sizes in a record.
func (p *parts) truncate(r *partsRecord) error {
	for k := range p.files {
		f := &p.files[k]
		f.size, f.checksum = r.Sizes[k], r.Sums[k]
		if err := f.f.Truncate(f.size); err != nil {
			return err
		}
		if _, err := f.f.Seek(f.size, io.SeekStart); err != nil {
			return err
		}
	}
	return nil
}

// add writes rows to the parts. ends holds, for each row, the number of entries of the text up to
// the end of the row.
func (p *parts) add(ends []int64, idx []int32, val, labels []float64) error {
	return errors.Join(
		scasfile.WriteNumbers(&p.files[columnsPart], idx),
		scasfile.WriteNumbers(&p.files[valuesPart], val),
		scasfile.WriteNumbers(&p.files[rowsPart], ends),
		scasfile.WriteNumbers(&p.files[labelsPart], labels))
}

// record adds a line to the journal. The line covers all rows added so far.
func (p *parts) record(r *partsRecord) error {
	if err := p.flush(); err != nil {
		return err
	}
	r.Source, p.recordedBytes = p.source, r.Stats.Bytes
	for k, f := range p.files {
		r.Sizes[k], r.Sums[k] = f.size, f.checksum
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = p.journal.Write(append(line, '\n'))
	}
	return err
}

func (p *parts) flush() error {
	for k := range p.files {
		if err := p.files[k].buffer.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) totalBytes() (total int64) {
	for _, f := range p.files {
		total += f.size
	}
	return total
}

// readPart calls do with at most 1 MiB of part k at a time, without splitting a number. do may change its
// argument.
func (p *parts) readPart(k int, do func(b []byte) error) error {
	buf := make([]byte, 1<<20)
	for position, size := int64(0), p.files[k].size; position < size; {
		b := buf[:min(int64(len(buf)), size-position)]
		if _, err := p.files[k].f.ReadAt(b, position); err != nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
		position += int64(len(b))
	}
	return nil
}

// eachEntryBlock calls do with the columns and values of some entries at a time, in the order of the file.
func (p *parts) eachEntryBlock(do func(idx []int32, val []float64) error) error {
	columns := io.NewSectionReader(p.files[columnsPart].f, 0, p.files[columnsPart].size)
	buf := make([]byte, 1<<19)
	return p.readPart(valuesPart, func(b []byte) error {
		idx := buf[:len(b)/2]
		if _, err := io.ReadFull(columns, idx); err != nil {
			return err
		}
		return do(scasfile.NumbersIn[int32](idx), scasfile.NumbersIn[float64](b))
	})
}

func (p *parts) close() {
	for _, f := range p.files {
		f.f.Close() // f.f may be nil
	}
	p.journal.Close()
}

// remove removes the parts and closes them. It removes them first, while they are locked. Windows does not
// remove open files.
func (p *parts) remove() {
	err := os.RemoveAll(p.dir)
	p.close()
	if err != nil {
		_ = os.RemoveAll(p.dir)
	}
}
