package sparse

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadShard reads one of so many parts, numbered from 0, of the rows of files, for programs
// that share them. All files together count as one: LIBSVM text is cut where a line begins,
// .scas between rows, about where parts have equally many bytes; compressed text, which
// cannot be cut, goes whole to the part in which it begins. Every row is in one part.
//
// Of as many .scas files as there are parts each is one; a part of one file is a view of it,
// which may be larger than opt.Memory (opt.Beyond), and of several a copy.
//
// Labels are as in the files, as for ReadOptions.AnyLabels, since a part does not know
// those of others; of a part larger than opt.Memory two classes are −1 and +1, as the file
// has them, and Mapping says what they stand for. X has the columns that the part needs, or those that opt states, and
// Stats.IndexBase is what the part alone tells: another part may know of an index 0. See
// Dataset.Rebase. A part without a row is an error, as are files of other forms.
func ReadShard(paths []string, part, parts int, opt *ReadOptions) (*Dataset, error) {
	opt, err := opt.checked()
	if err != nil {
		return nil, err
	}
	if part < 0 || part >= parts || len(paths) == 0 {
		return nil, fmt.Errorf("sparse: part %d of %d of %d files: want one of the parts, and a file", part, parts, len(paths))
	}
	own := *opt
	own.AnyLabels, own.Regression, own.Positive, own.PositiveName = true, false, nil, ""
	form := own.Format
	if form == Auto {
		form = FormatOf(paths[0])
	}
	pieces, err := cutFiles(paths, part, parts, form)
	switch {
	case err != nil:
		return nil, err
	case len(pieces) == 0 && len(paths) < parts:
		return nil, fmt.Errorf("sparse: part %d of %d has no rows: the %d files are compressed, which cannot be cut, or too short: use at least as many files, decompress them, or read fewer parts", part, parts, len(paths))
	case len(pieces) == 0:
		return nil, fmt.Errorf("sparse: part %d of %d has no rows: read fewer parts", part, parts)
	case form == Binary:
		return readBinaryPieces(pieces, &own)
	}
	return readTextPieces(pieces, &own)
}

// A piece is a part of a file: of text the bytes from lo to hi−1, of a .scas file of so
// many bytes the rows that these stand for.
type piece struct {
	path   string
	lo, hi int64
	size   int64
}

// cutFiles lists the pieces of a part.
func cutFiles(paths []string, part, parts int, form Format) (pieces []piece, err error) {
	sizes, total := make([]int64, len(paths)), int64(0)
	for k, path := range paths {
		if FormatOf(path) != FormatOf(paths[0]) || form != LIBSVM && form != Binary {
			return nil, fmt.Errorf("sparse: %s: parts are read of LIBSVM text or of .scas files, all of one form: scas convert makes these", path)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("sparse: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("sparse: %s: is not a regular file, which parts are read of", path)
		}
		sizes[k] = info.Size()
		total += sizes[k]
	}
	if form == Binary && len(paths) == parts {
		return []piece{{paths[part], 0, sizes[part], sizes[part]}}, nil
	}
	at := func(k int) int64 { return int64(float64(total) * (float64(k) / float64(parts))) }
	lo, hi, start := at(part), at(part+1), int64(0)
	for k, size := range sizes {
		p := piece{paths[k], max(lo-start, 0), min(hi-start, size), size}
		if form == LIBSVM {
			if err := p.toLines(); err != nil {
				return nil, err
			}
		}
		if p.lo < p.hi {
			pieces = append(pieces, p)
		}
		start += size
	}
	return pieces, nil
}

// toLines moves the ends of a piece to where lines begin, or makes it all or nothing of a
// file that is compressed.
func (p *piece) toLines() error {
	if p.lo >= p.hi {
		return nil
	}
	f, err := os.Open(p.path)
	if err != nil {
		return fmt.Errorf("sparse: %w", err)
	}
	defer f.Close()
	head := make([]byte, 6)
	n, _ := f.ReadAt(head, 0)
	if compressionOf(head[:n]) != nil {
		if p.hi = p.size; p.lo > 0 {
			p.lo = p.size
		}
		return nil
	}
	if p.lo, err = lineFrom(f, p.lo, p.size); err == nil {
		p.hi, err = lineFrom(f, p.hi, p.size)
	}
	if err != nil {
		return fmt.Errorf("sparse: reading %s: %w", p.path, err)
	}
	return nil
}

// lineFrom returns where the first line begins that does so at a byte or behind it, the
// size of the file if there is none.
func lineFrom(f io.ReaderAt, at, size int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	buf := make([]byte, 1<<16)
	for at--; at < size; { // a line begins behind a line feed
		n, err := f.ReadAt(buf, at)
		if k := bytes.IndexByte(buf[:n], '\n'); k >= 0 {
			return at + int64(k) + 1, nil
		}
		if at += int64(n); err != nil && err != io.EOF {
			return 0, err
		} else if err == io.EOF {
			break
		}
	}
	return size, nil
}

// readTextPieces reads pieces of LIBSVM text as one.
func readTextPieces(pieces []piece, opt *ReadOptions) (*Dataset, error) {
	p := newLIBSVMParser("", opt)
	for _, piece := range pieces {
		p.name, p.labels.name, p.lines = piece.path, piece.path, 0
		if err := piece.read(p); err != nil {
			return nil, piece.numbered(err)
		}
	}
	if len(pieces) > 1 {
		p.name = fmt.Sprintf("%s and %d more", pieces[0].path, len(pieces)-1)
	}
	return p.finish()
}

func (p *piece) read(to *libsvmParser) error {
	f, err := os.Open(p.path)
	if err != nil {
		return fmt.Errorf("sparse: %w", err)
	}
	defer f.Close()
	in, kind, err := decompress(io.NewSectionReader(f, p.lo, p.hi-p.lo), p.path)
	if err != nil {
		return err
	}
	defer in.Close()
	to.stats.Compression = kind
	return inParallel(in, p.path, to.block, to.take)
}

// numbered counts the line of an error from the beginning of the file.
func (p *piece) numbered(err error) error {
	bad, ok := err.(*ParseError)
	if !ok || bad.Line == 0 || p.lo == 0 {
		return err
	}
	f, failed := os.Open(p.path)
	if failed != nil {
		return err
	}
	defer f.Close()
	before, buf := io.NewSectionReader(f, 0, p.lo), make([]byte, 1<<16)
	for {
		n, failed := before.Read(buf)
		bad.Line += bytes.Count(buf[:n], []byte{'\n'})
		if failed != nil {
			return err
		}
	}
}

// readBinaryPieces reads rows of .scas files, in one of them as a view of it.
func readBinaryPieces(pieces []piece, opt *ReadOptions) (*Dataset, error) {
	var bytes int64
	for _, p := range pieces {
		bytes += p.hi - p.lo
	}
	if len(pieces) > 1 && opt.Memory > 0 && bytes > opt.Memory {
		return nil, fmt.Errorf("sparse: %s and %d more: a part has rows of each, of some %d bytes, and %d are allowed: those of one file alone may be larger than memory, so join the files with scas convert, or have as many files as parts",
			pieces[0].path, len(pieces)-1, bytes, opt.Memory)
	}
	opt.stored = true
	var whole *Dataset
	for _, p := range pieces {
		d, err := ReadFile(p.path, opt)
		if err != nil {
			return nil, err
		}
		if err := d.cut(&p, opt); err != nil {
			return nil, err
		}
		if whole == nil {
			whole = d
			continue
		}
		if err := whole.stack(d); err != nil {
			return nil, fmt.Errorf("sparse: %s: %w", p.path, err)
		}
	}
	whole.Stats.Rows, whole.Stats.NNZ = whole.X.rows, whole.X.NNZ()
	if whole.X.rows == 0 {
		return nil, fmt.Errorf("sparse: %s: the part has no rows: read fewer parts", pieces[0].path)
	}
	return whole, nil
}

// cut leaves the rows of a piece. Those that are to be in memory are checked, which reading
// leaves out of a file beyond it, and their labels are as they were before they were written.
func (d *Dataset) cut(p *piece, opt *ReadOptions) (err error) {
	row := func(at int64) int { return int(float64(d.X.rows) * (float64(at) / float64(p.size))) }
	lo, hi := row(p.lo), row(p.hi)
	if d.Labels == nil {
		return fmt.Errorf("sparse: %s: the file has no labels: convert the data with them", p.path)
	}
	d.Stats.Bytes = p.hi - p.lo
	beyond := opt.Memory > 0 && p.hi-p.lo > opt.Memory
	if unchecked := d.X.Mapped() && opt.Memory > 0 && p.size > opt.Memory; unchecked && !beyond {
		err = d.X.file.damaged(d.X.file.CheckPart(d.X.file.first+lo, d.X.file.first+hi))
	}
	if err == nil {
		d.X, err = d.X.between(lo, hi)
	}
	if d.Labels = d.Labels[lo:hi]; err != nil || beyond {
		return err
	}
	if plain := (LabelMapping{Negative: -1, Positive: 1}); !d.Mapping.IsZero() && d.Mapping != plain {
		d.Labels = d.OriginalLabels()
	}
	d.Mapping = LabelMapping{}
	return nil
}

// between returns rows lo to hi−1 as a view, but for a copy of where they begin. These need
// not have been checked.
func (a *CSR) between(lo, hi int) (*CSR, error) {
	if lo == 0 && hi == a.rows {
		return a, nil
	}
	ptr := slices.Clone(a.ptr[lo : hi+1])
	first, last := ptr[0], ptr[hi-lo]
	if first < 0 || last > int64(len(a.idx)) || !slices.IsSorted(ptr) {
		return nil, a.Check(lo, hi)
	}
	for i := range ptr {
		ptr[i] -= first
	}
	part := &CSR{rows: hi - lo, cols: a.cols, ptr: ptr, idx: a.idx[first:last], val: a.val[first:last]}
	if a.file != nil {
		part.file = &mapping{a.file.File, a.file.name, a.file.first + lo}
	}
	return part, nil
}

// stack puts the rows of another file below d's.
func (d *Dataset) stack(other *Dataset) error {
	cols := max(d.X.cols, other.X.cols)
	top, bottom := *d.X, *other.X
	top.cols, bottom.cols = cols, cols
	if !slices.Equal(d.Names, other.Names) {
		return fmt.Errorf("its features have other names than those of the files before")
	}
	x, err := Stack(&top, &bottom)
	d.X, d.Labels = x, slices.Concat(d.Labels, other.Labels)
	return err
}

// Rebase makes the data what they are if indices count from 0 in LIBSVM text that was read
// as counting from 1, unless they already are, and gives X so many columns, at least
// those it has.
func (d *Dataset) Rebase(zero bool, cols int) {
	x := *d.X
	if zero && d.Stats.IndexBase == OneBased {
		x.idx, x.file = slices.Clone(x.idx), nil
		for k := range x.idx {
			x.idx[k]++
		}
		d.Stats.IndexBase = ZeroBased
	}
	x.cols = max(cols, x.cols)
	d.X = &x
}
