package kernels

// TileSide is the number of columns of the matrices t and panel that AddTile multiplies, and the number
// of rows of panel.
const TileSide = panelCols

// Masks for hessianPanelBlock, in which bit r stands for row r of a panel: every element of allRows has all
// bits set; leadingRows[i] has the first i+1 bits set.
var allRows, leadingRows = func() (all, lead [TileSide]uint64) {
	for i := range all {
		all[i], lead[i] = 1<<TileSide-1, 1<<(i+1)-1
	}
	return all, lead
}()

// AddTile adds the product t*panel to rows of h. t and panel have 64 columns and are
// stored row after row; rows of h are stride numbers apart. For 0 <= i < rows <= 64, q <
// 64 and k = 0, 1, ..., 63 in order
//
//	h[i*stride+q] = FMA(t[i*64+k], panel[k*64+q], h[i*stride+q])
//
// h must not overlap t or panel.
func AddTile(h []float64, stride, rows int, t, panel []float64) {
	checkTile("AddTile", h, stride, rows, panel)
	if len(t) < rows*TileSide {
		panicf("AddTile: len(t) is %d, want at least %d", len(t), rows*TileSide)
	}
	if rows == 0 {
		return
	}
	t, panel = t[:rows*TileSide], panel[:TileSide*TileSide]
	writtenPart := h[:(rows-1)*stride+TileSide]
	checkApart("AddTile", "h", writtenPart, "t", t)
	checkApart("AddTile", "h", writtenPart, "panel", panel)
	raceRead(t)
	raceRead(panel)
	hessianPanelBlock(h, stride, allRows[:rows], t, panel)
}

// AddRows adds a linear combination of the first rows of a panel, with the coefficients
// t, to 64 numbers:
//
//	h[q] = FMA(t[m], panel[m*64+q], h[q])   for m = 0, ..., k-1 in order, k = len(t) <= 64
//
// h may be the row of the panel that follows these rows.
func AddRows(h, t, panel []float64) {
	checkTile("AddRows", h, TileSide, 1, panel)
	if len(t) > TileSide {
		panicf("AddRows: len(t) is %d, want at most %d", len(t), TileSide)
	}
	rows := panel[:len(t)*TileSide]
	checkApart("AddRows", "h", h[:TileSide], "t", t)
	checkApart("AddRows", "h", h[:TileSide], "the rows added", rows)
	raceRead(t)
	raceRead(rows)
	if len(t) > 0 {
		hessianPanelBlock(h, TileSide, leadingRows[len(t)-1:len(t)], t, rows)
	}
}

func checkTile(fn string, h []float64, stride, rows int, panel []float64) {
	if rows < 0 || rows > TileSide || stride < TileSide {
		panicf("%s: %d rows with stride %d, want at most %d with at least that", fn, rows, stride, TileSide)
	}
	if rows > 0 && !matrixFits(len(h), rows, stride, TileSide) {
		panicf("%s: len(h) is %d, want at least %d", fn, len(h), (rows-1)*stride+TileSide)
	}
	if len(panel) < TileSide*TileSide {
		panicf("%s: len(panel) is %d, want %d", fn, len(panel), TileSide*TileSide)
	}
	for i := range rows {
		raceWrite(h[i*stride : i*stride+TileSide])
	}
}
