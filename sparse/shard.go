package sparse

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadShard reads shard number part, from 0 to parts-1, of the rows of files, which are all LIBSVM text or
// all .scas files. Every row is in exactly one shard. All files together are divided as one file into about
// equal numbers of bytes: LIBSVM text between lines, .scas files between rows. Compressed text is not
// divided; it belongs to the shard in which it begins.
//
// If there are as many .scas files as shards, each file is a shard. A shard of one .scas file is a view of
// the file, which may be larger than opt.Memory if opt.Beyond is true. A shard of several files is a copy.
//
// Labels are not mapped, as for ReadOptions.AnyLabels, because a shard may lack labels that other shards
// have. With opt.Counts, a label below 0 is still an error. If the labels of a .scas file are words, Classes
// lists all words of the file; files with different words cannot be joined to a shard.
//
// There is one exception: a shard of a .scas file with two classes that is larger than opt.Memory. Then the
// labels of the shard are −1 and +1, and Signs is true.
//
// X has opt.Features columns. If that is 0, it has as many columns as the indices in the shard need, or as
// the .scas file has. Stats.IndexBase follows from this shard alone; see Dataset.Rebase. A shard
// cannot have rows of several .scas files if they have no names of features and different Stats.IndexBase. A
// shard without rows is an error.
func ReadShard(paths []string, part, parts int, opt *ReadOptions) (*Dataset, error) {
	if part < 0 || part >= parts || len(paths) == 0 {
		return nil, errorf("part %d of %d parts of %d files: want a part number from 0 to the number of parts minus 1, and a file", part, parts, len(paths))
	}
	fileOpt, err := opt.forFile(paths[0])
	if err != nil {
		return nil, err
	}
	fileOpt.keepLabels()
	fileParts, err := cutFiles(paths, part, parts, fileOpt.Format)
	switch {
	case err != nil:
		return nil, err
	case len(fileParts) == 0 && len(paths) < parts:
		return nil, errorf("part %d of %d has no rows: the %d files are too short, or compressed, and compressed files cannot be divided: use at least as many files, decompress them, or read fewer parts", part, parts, len(paths))
	case len(fileParts) == 0:
		return nil, errorf("part %d of %d has no rows: read fewer parts", part, parts)
	case fileOpt.Format == Binary:
		return readBinaryParts(fileParts, fileOpt)
	}
	return readTextParts(fileParts, fileOpt)
}

// A filePart is the part of a file that belongs to a shard. In a text it has bytes lo to hi−1. In a .scas
// file with n rows it has the rows from about n·lo/size to about n·hi/size; see Dataset.cut for the rounding.
type filePart struct {
	path   string
	lo, hi int64
	size   int64 // bytes of the file
}

func cutFiles(paths []string, part, parts int, format Format) (fileParts []filePart, err error) {
	sizes, total := make([]int64, len(paths)), int64(0)
	for k, path := range paths {
		if FormatOf(path) != FormatOf(paths[0]) || format != LIBSVM && format != Binary {
			return nil, errorf("%s: only LIBSVM text or .scas files, all in one format, are divided into parts: make such files by scas convert", path)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, errorf("%w", err)
		case !info.Mode().IsRegular():
			return nil, errorf("%s: only regular files are divided into parts", path)
		}
		sizes[k] = info.Size()
		total += sizes[k]
	}
	if format == Binary && len(paths) == parts {
		return []filePart{{paths[part], 0, sizes[part], sizes[part]}}, nil
	}
	boundary := func(k int) int64 { return int64(float64(total) * (float64(k) / float64(parts))) }
	lo, hi, fileStart := boundary(part), boundary(part+1), int64(0)
	for k, size := range sizes {
		p := filePart{paths[k], max(lo-fileStart, 0), min(hi-fileStart, size), size}
		if format == LIBSVM {
			if err := p.alignToLines(); err != nil {
				return nil, err
			}
		}
		if p.lo < p.hi {
			fileParts = append(fileParts, p)
		}
		fileStart += size
	}
	return fileParts, nil
}

// alignToLines moves both ends of p to beginnings of lines. A compressed file is not divided: if p is at the
// beginning of the file, it becomes the whole file, and otherwise it becomes empty.
func (p *filePart) alignToLines() error {
	if p.lo >= p.hi {
		return nil
	}
	f, err := os.Open(p.path)
	if err != nil {
		return errorf("%w", err)
	}
	defer f.Close()
	head := make([]byte, 6)
	n, _ := f.ReadAt(head, 0)
	if compressionByMagic(head[:n]) != nil {
		p.hi = p.size
		if p.lo > 0 {
			p.lo = p.size
		}
		return nil
	}
	p.lo, err = lineStart(f, p.lo, p.size)
	if err == nil {
		p.hi, err = lineStart(f, p.hi, p.size)
	}
	if err != nil {
		return errorf("reading %s: %w", p.path, err)
	}
	return nil
}

// lineStart finds the first line that begins at the given position or after it, and returns where it begins.
// If there is no such line, lineStart returns the size of the file.
func lineStart(f io.ReaderAt, position, size int64) (int64, error) {
	if position == 0 {
		return 0, nil
	}
	position-- // a line begins after a line feed
	rest := bufio.NewReader(io.NewSectionReader(f, position, size-position))
	for {
		part, err := rest.ReadSlice('\n')
		position += int64(len(part))
		if err == nil || err == io.EOF {
			return position, nil
		}
		if err != bufio.ErrBufferFull {
			return 0, err
		}
	}
}

func readTextParts(fileParts []filePart, opt *ReadOptions) (*Dataset, error) {
	p := newLIBSVMParser("", opt)
	var fileBytes int64
	for _, part := range fileParts {
		fileBytes += part.hi - part.lo
	}
	p.textSize = func() int64 { return fileBytes }
	var edgePart *filePart // the part with the place of p.AtEdge
	for k := range fileParts {
		part := &fileParts[k]
		p.name, p.labels.name, p.lines = part.path, part.path, 0
		if err := part.read(p); err != nil {
			return nil, part.correctLine(err)
		}
		if edgePart == nil && p.AtEdge != nil {
			edgePart = part
		}
	}
	if len(fileParts) > 1 {
		p.name = fmt.Sprintf("%s and %d more", fileParts[0].path, len(fileParts)-1)
	}
	d, err := p.finish()
	if edgePart != nil && err == error(p.AtEdge) {
		err = edgePart.correctLine(err)
	}
	return d, err
}

func (p *filePart) read(parser *libsvmParser) error {
	f, err := os.Open(p.path)
	if err != nil {
		return errorf("%w", err)
	}
	defer f.Close()
	input, err := decompress(io.NewSectionReader(f, p.lo, p.hi-p.lo), p.path)
	if err != nil {
		return err
	}
	defer input.Close()
	parser.stats.Compression = input.kind
	return parser.eachPart(input, parser.addPart)
}

// correctLine adds the number of lines before p to the line number in err, because the reader counted from
// the beginning of p.
func (p *filePart) correctLine(err error) error {
	parseErr, ok := err.(*ParseError)
	if !ok || parseErr.Line == 0 || p.lo == 0 {
		return err
	}
	f, openErr := os.Open(p.path)
	if openErr != nil {
		return err
	}
	defer f.Close()
	prefix, buf := io.NewSectionReader(f, 0, p.lo), make([]byte, 1<<16)
	for {
		n, readErr := prefix.Read(buf)
		parseErr.Line += bytes.Count(buf[:n], []byte{'\n'})
		if readErr != nil {
			return err
		}
	}
}

// readBinaryParts reads parts of .scas files. The rows of a single part are a view of the file; the rows of
// several parts are a copy.
func readBinaryParts(fileParts []filePart, opt *ReadOptions) (shard *Dataset, err error) {
	var partBytes int64
	for _, p := range fileParts {
		partBytes += p.hi - p.lo
	}
	if len(fileParts) > 1 && opt.exceededBy(partBytes) {
		return nil, errorf("%s and %d more files: the part takes about %d bytes, more than the %d allowed, and only a part of one file may be larger than memory: join the files by scas convert, or use as many files as parts",
			fileParts[0].path, len(fileParts)-1, partBytes, opt.Memory)
	}
	opt.keepSigns = true
	var files []*mapping
	defer func() {
		if err == nil && len(fileParts) == 1 {
			return
		}
		for _, f := range files {
			err = cmp.Or(err, f.Close())
		}
	}()
	for _, p := range fileParts {
		d, err := ReadFile(p.path, opt)
		if err != nil {
			return nil, err
		}
		if d.X.file != nil {
			files = append(files, d.X.file)
		}
		if err := d.cut(&p, opt); err != nil {
			return nil, err
		}
		if shard == nil {
			shard = d
			continue
		}
		if err := shard.appendRows(d); err != nil {
			return nil, errorf("%s: %w", p.path, err)
		}
	}
	shard.Stats.Rows, shard.Stats.NNZ = shard.X.rows, shard.X.NNZ()
	if shard.X.rows == 0 {
		return nil, errorf("%s: the part has no rows: read fewer parts", fileParts[0].path)
	}
	return shard, nil
}

// cut reduces d, the data of a whole file, to the rows of p. If these rows fit in opt.Memory, it restores
// their original labels, and checks the rows that ReadFile did not check.
func (d *Dataset) cut(p *filePart, opt *ReadOptions) (err error) {
	rowAt := func(position int64) int {
		return int(float64(d.X.rows) * (float64(position) / float64(p.size)))
	}
	lo, hi := rowAt(p.lo), rowAt(p.hi)
	if d.Labels == nil {
		return errorf("%s: the file has no labels: convert the data with them", p.path)
	}
	d.Stats.Bytes = p.hi - p.lo
	exceedsMemory := opt.exceededBy(p.hi - p.lo)
	if unchecked := d.X.Mapped() && opt.exceededBy(p.size); unchecked && !exceedsMemory {
		err = d.X.file.contentError(d.X.file.CheckPart(d.X.file.firstRow+lo, d.X.file.firstRow+hi, true))
	}
	if err == nil {
		d.X, err = d.X.rowRange(lo, hi)
	}
	d.Labels = d.Labels[lo:hi]
	if err != nil || exceedsMemory {
		return err
	}
	d.dropSigns()
	return nil
}

// dropSigns makes d the Dataset that ReadOptions.AnyLabels asks for: it has the labels of the file in place
// of −1 and +1.
func (d *Dataset) dropSigns() {
	switch {
	case !d.Signs:
		return
	case !d.signsAreLabels():
		d.Labels = d.OriginalLabels()
	}
	c := &d.Classes
	if c.Names == nil {
		*c = Classes{}
	} else if c.Values[0] > c.Values[1] {
		*c = c.Reversed()
	}
	d.Signs = false
}

// rowRange returns rows lo to hi−1, or a itself if these are all rows. The columns and values are views of a;
// the row pointers are a copy. It checks only the row pointers.
func (a *CSR) rowRange(lo, hi int) (*CSR, error) {
	if lo == 0 && hi == a.rows {
		return a, nil
	}
	ptr := slices.Clone(a.ptr[lo : hi+1])
	firstEntry, endEntry := ptr[0], ptr[hi-lo]
	if firstEntry < 0 || endEntry > int64(len(a.idx)) || !slices.IsSorted(ptr) {
		return nil, a.Check(lo, hi)
	}
	for i := range ptr {
		ptr[i] -= firstEntry
	}
	part := &CSR{
		rows: hi - lo, cols: a.cols,
		ptr: ptr, idx: a.idx[firstEntry:endEntry], val: a.val[firstEntry:endEntry],
	}
	if a.file != nil {
		part.file = &mapping{a.file.File, a.file.name, a.file.firstRow + lo}
	}
	return part, nil
}

// appendRows adds the rows of other after the rows of d.
func (d *Dataset) appendRows(other *Dataset) error {
	cols := max(d.X.cols, other.X.cols)
	top, bottom := *d.X, *other.X
	top.cols, bottom.cols = cols, cols
	if !slices.Equal(d.Names, other.Names) {
		return fmt.Errorf("the names of its features differ from the names in the first file")
	}
	if first, base := d.Stats.IndexBase, other.Stats.IndexBase; d.Names == nil && first != base {
		return fmt.Errorf("its features count from %v, and the features of the first file from %v, so that columns may differ: convert both texts with the same stated index base", base, first)
	}
	if !slices.Equal(d.Classes.Names, other.Classes.Names) {
		return fmt.Errorf("the words of its labels differ from the words in the first file, so that their numbers differ: convert the rows of both to one file")
	}
	x, err := Stack(&top, &bottom)
	d.X, d.Labels = x, slices.Concat(d.Labels, other.Labels)
	return err
}

// Rebase makes a shard agree with the other shards. zero says whether some shard has an index 0. If zero is
// true, but the indices of this shard were taken to count from 1, all its columns increase by 1. cols is the
// largest number of columns of any shard, after this increase. X gets cols columns, unless it has more. The
// columns of a view of a .scas file cannot increase: Rebase panics.
func (d *Dataset) Rebase(zero bool, cols int) {
	x := *d.X
	if zero && d.Stats.IndexBase == OneBased {
		if x.file != nil {
			panic("sparse: Rebase: the columns of a view of a .scas file cannot change")
		}
		x.idx = slices.Clone(x.idx)
		for k := range x.idx {
			x.idx[k]++
		}
		d.Stats.IndexBase = ZeroBased
	}
	x.cols = max(cols, x.cols)
	d.X = &x
}
