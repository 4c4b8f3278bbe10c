package main

import (
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// streams reports whether the conversion can go block by block. Then neither the input nor the output has to
// fit in memory.
func (c *convertCmd) streams() bool {
	plain := strings.EqualFold(filepath.Ext(c.Out), "."+string(sparse.Binary))
	return plain && c.In != "-" && c.LabelsOut == "" && (c.isTable(c.In) || c.formatOf(c.In) == sparse.LIBSVM)
}

// stream converts the data block by block and prints a summary.
func (c *convertCmd) stream(e *env) error {
	opt := c.anyLabels()
	if err := c.formFlags.apply(c.In, opt); err != nil {
		return err
	}
	opt.Memory, _ = c.Memory.limit()
	p := e.begin("reading " + dataName(c.In))
	done, err := sparse.Convert(c.In, c.Out, opt, &sparse.ConvertSettings{Interrupt: e.ctx.Err, Progress: func(stage string, done, total int64) {
		what := map[string]string{"text": "reading " + dataName(c.In), "file": "writing " + dataName(c.Out)}[stage]
		p.bytes(what, done, total)
	}})
	p.end()
	left := "nothing written; the same command goes on from here"
	if c.isTable(c.In) {
		left = "nothing written"
	}
	if err := e.interrupted(err, left); err != nil {
		return err
	}
	var f summary
	st := done.Stats
	f.add("read", "%s: %s", dataName(c.In), shapeOf(st.Rows, done.Features, st.NNZ))
	if done.Table != nil {
		d := &sparse.Dataset{Names: done.Names, Table: done.Table, Stats: st}
		e.warnOfColumns(d)
		addColumns(&f, d)
		if done.Table.Filled > 0 {
			e.warn("a model fitted to %s will not fill missing values in prediction, because a file of form %s does not keep the numbers for that; a model fitted to the table will", c.Out, sparse.Binary)
		}
	}
	f.addIf(done.Resumed > 0, "", "%s of text were read by an earlier run", byteCount(done.Resumed))
	f.add("written", "%s, as %v", c.Out, sparse.Binary)
	if st.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted", plural(st.SortedRows, "row"))
	}
	return e.print(f.String())
}
