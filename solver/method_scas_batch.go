package solver

import (
	"slices"

	"github.com/scas-admm/scas/sparse/pages"
)

// A batch has copies of the rows of several blocks of a file, in compressed row storage.
type batch struct {
	ptr             []int64
	idx             []int32
	val             []float64
	labels, weights []float64
}

// releasePeriod is the number of blocks after which batch.copyBlocks releases the memory of the whole file.
// If only single blocks are released, some pages remain in memory, such as pages with rows of two blocks.
const releasePeriod = 32

// copyBlocks replaces the rows of the batch by copies of the rows of the given blocks, and releases the
// memory of the blocks.
func (b *batch) copyBlocks(s *fileSCAS, blocks []int) {
	p, w := s.Problem, s.blocks
	b.ptr = append(b.ptr[:0], 0)
	entries := 0
	for _, k := range blocks {
		rows := p.Data.Rows(w.Range(k))
		entries += int(rows.Ptr[len(rows.Ptr)-1] - rows.Ptr[0])
	}
	b.labels, b.weights = b.labels[:0], b.weights[:0] // b.weights stays nil if the samples have no weights
	b.idx, b.val = pages.Resize(b.idx, entries)[:0], pages.Resize(b.val, entries)[:0]
	n, _ := p.Data.Dims()
	for index, k := range blocks {
		lo, hi := w.Range(k)
		rows := p.Data.Rows(lo, hi)
		firstEntry, endEntry := rows.Ptr[0], rows.Ptr[hi-lo]
		shift := int64(len(b.idx)) - firstEntry
		for _, end := range rows.Ptr[1:] {
			b.ptr = append(b.ptr, end+shift)
		}
		b.idx, b.val = append(b.idx, rows.Idx[firstEntry:endEntry]...),
			append(b.val, rows.Val[firstEntry:endEntry]...)
		b.labels = append(b.labels, p.Labels[lo:hi]...)
		if p.SampleWeights != nil {
			b.weights = append(b.weights, p.SampleWeights[lo:hi]...)
		}
		p.Data.Release(lo, hi)
		if index%releasePeriod == releasePeriod-1 || index == len(blocks)-1 {
			p.Data.Release(0, n)
		}
	}
}

// eachBatch divides the blocks, in the given order, into batches, and calls do for each batch. The operating
// system may read the blocks of the next batch while do works.
func (s *fileSCAS) eachBatch(order []int, do func(b *batch) error) error {
	prefetch := func(blocks []int) {
		for _, k := range blocks {
			s.Problem.Data.Prefetch(s.blocks.Range(k))
		}
	}
	var b batch
	blockCount := float64(len(order))
	for blocks := range slices.Chunk(order, s.batchBlocks) {
		order = order[len(blocks):]
		b.copyBlocks(s, blocks)
		prefetch(order[:min(s.batchBlocks, len(order))])
		if err := do(&b); err != nil {
			return err
		}
		s.reportPass(1 - float64(len(order))/blockCount)
	}
	return nil
}
