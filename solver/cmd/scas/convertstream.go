package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// streams reports whether the conversion goes block by block: data in neither form need
// fit in memory then.
func (c *convertCmd) streams() bool {
	plain := strings.EqualFold(filepath.Ext(c.Out), "."+string(sparse.Binary))
	return plain && c.In != "-" && c.LabelsOut == "" && (c.isTable(c.In) || c.formatOf(c.In) == sparse.LIBSVM)
}

// stream converts block by block.
func (c *convertCmd) stream(e *env, target string) error {
	opt := c.anyLabels()
	if err := c.formFlags.apply(c.In, opt); err != nil {
		return err
	}
	opt.Memory, _ = c.Memory.limit()
	clock := &conversionClock{e: e}
	done, err := sparse.Convert(c.In, target, opt, &sparse.ConvertSettings{Progress: clock.show, Interrupt: e.ctx.Err})
	clock.end()
	left := "nothing written; the same command goes on from here"
	if c.isTable(c.In) {
		left = "nothing written"
	}
	if err := e.interrupted(err, left); err != nil {
		return err
	}
	var f facts
	st := done.Stats
	f.add("read", "%s: %s", dataName(c.In), shapeOf(st.Rows, done.Features, st.NNZ))
	if done.Table != nil {
		d := &sparse.Dataset{Names: done.Names, Table: done.Table, Stats: st}
		e.warnOfColumns(d)
		addColumns(&f, d)
		if done.Table.Filled > 0 {
			e.warn("models of %s do not fill missing values in prediction, as those of the table do: %s has no place for what fills them", c.Out, sparse.Binary)
		}
	}
	f.addIf(done.Resumed > 0, "", "%s of text were read by an earlier run", byteCount(done.Resumed))
	f.add("written", "%s, as %v", c.Out, sparse.Binary)
	if st.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted", plural(st.SortedRows, "row"))
	}
	return e.print(f.String())
}

// A conversionClock keeps one line of progress on a terminal.
type conversionClock struct {
	e     *env
	stage string
	began time.Time // of the stage
	last  time.Time // line
	from  int64     // bytes that the stage began with
}

func (c *conversionClock) show(stage string, done, total int64) {
	now := time.Now()
	if stage != c.stage {
		c.stage, c.began, c.from = stage, now, done
	}
	if !c.e.terminal || c.e.jsonLog || now.Sub(c.last) < 200*time.Millisecond || total == 0 {
		return
	}
	c.last = now
	left := ""
	if passed := now.Sub(c.began); passed > time.Second && done > c.from {
		rest := time.Duration(float64(passed) * float64(total-done) / float64(done-c.from))
		left = fmt.Sprintf(", %v left", rest.Round(time.Second))
	}
	verb := map[string]string{"text": "reading text", "file": "writing"}[stage]
	fmt.Fprintf(c.e.stderr, "\r%s: %.0f %% of %s%s        ", verb, 100*float64(done)/float64(total), byteCount(total), left)
}

func (c *conversionClock) end() {
	if !c.last.IsZero() {
		c.e.clear()
	}
}
