package model

import (
	"context"
	"errors"
	"math"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// Spec.Memory/heldShare bytes are for the rows of a window of the file and the copies of its
// held-out rows. Spec.Memory/scoreShare bytes are for the scores that give the AUC.
const heldShare, scoreShare = 16, 2

// A foldScorer scores models on the rows of a fold.
type foldScorer struct {
	*crossValidation
	fold      int     // the number of the fold
	classRows []int   // for each class, the number of its rows in the fold and in this process
	weight    float64 // total weight of the rows of the fold in all processes
	// All rows of the fold in this process; nil if their total weight is 0, or out of core.
	allRows *window
}

// A window has the rows of a fold that are in one window of the file, or all rows of the fold if
// the data are in memory.
type window struct {
	rows   []int // the numbers of the rows in the data of this process
	x      *sparse.CSR
	y      []float64
	set    *ScoreSettings
	weight float64 // the total weight of the rows, which is positive
}

// newFoldScorer returns a foldScorer for fold k.
func (c *crossValidation) newFoldScorer(k int) (*foldScorer, error) {
	h := &foldScorer{crossValidation: c, fold: k, classRows: make([]int, c.strata())}
	c.eachRow(func(i, class int) {
		if int(c.foldOf[i]) == k {
			h.classRows[class]++
			h.weight += weightOf(c.spec.SampleWeights, i)
		}
	})
	h.weight = c.team.Total(h.weight)
	if h.weight == 0 {
		return nil, errorf("its rows have no weight")
	}
	if c.spec.streams() {
		return h, nil
	}
	var err error
	h.allRows, err = h.window(0, len(c.y))
	return h, c.team.CommonError(err)
}

// modelsPerPass returns how many models can be scored in one pass over the rows of a fold: their scores for
// the AUC must fit into the memory of every process. It returns math.MaxInt if the rows are in memory, or if
// there is no AUC.
func (c *crossValidation) modelsPerPass() int {
	bytesPerRow := 8 * c.scoresPerRow
	if c.spec.SampleWeights != nil {
		bytesPerRow *= 2
	}
	if !c.spec.streams() || bytesPerRow == 0 {
		return math.MaxInt
	}
	models := int(c.spec.Memory / scoreShare / int64(bytesPerRow*c.mostRows))
	if !c.team.Alone() { // the AUC also needs the scores from one other process
		models--
	}
	return models
}

// score returns the scores of each model on the rows of the fold. It makes only one pass over the rows.
func (h *foldScorer) score(ctx context.Context, models []*Model) ([]scores, error) {
	scorers := make([]*modelScorer, len(models))
	for i, m := range models {
		scorers[i] = &modelScorer{tally: m.NewBriefTally(), metric: h.set.Metric}
		if h.scoresPerRow > 0 { // a brief tally gives neither an AUC nor a confusion table; add the AUC
			scorers[i].tally.aucScores = m.newAUCScores(h.classRows)
		}
	}
	reportedModels := 0
	err := h.eachWindow(ctx, func(w *window, doneShare float64) error {
		if w != nil {
			for _, s := range scorers {
				if err := s.add(w); err != nil {
					return err
				}
			}
		}
		doneModels := int(doneShare * float64(len(models)))
		h.reportScored(doneModels - reportedModels)
		reportedModels = doneModels
		return nil
	})
	err = h.team.CommonError(err)
	if err != nil {
		return nil, err
	}
	results := make([]scores, len(scorers))
	for i, s := range scorers {
		results[i], err = s.scores(h.team)
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// eachWindow calls do for each window of the file, or once if the data are in memory. w has the rows of
// the window that are in the fold; it is nil if there are none or if their weights are all 0. doneShare is
// the fraction of all rows of this process that come before the end of the window.
func (h *foldScorer) eachWindow(ctx context.Context, do func(w *window, doneShare float64) error) error {
	if !h.spec.streams() {
		return do(h.allRows, 1)
	}
	for lo, hi := range rows.Parts(h.x, h.windowRows()) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w, err := h.window(lo, hi)
		if err == nil {
			err = do(w, float64(hi)/float64(len(h.y)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// windowRows returns the number of rows of the file that eachWindow reads for one window.
func (h *foldScorer) windowRows() int {
	n, _ := h.x.Dims()
	const rowBytes, fitBytes, entryBytes = 16, 24, 12 // for a row, for a row and a problem, and for an entry
	bytesPerRow := rowBytes + float64(fitBytes*h.count()) + entryBytes*float64(h.x.NNZ())/float64(n)
	return max(1, int(float64(h.spec.Memory)/heldShare/bytesPerRow))
}

// window returns the rows from lo to hi − 1 that are in the fold, or nil if there are none or if their
// weights are all 0.
func (h *foldScorer) window(lo, hi int) (*window, error) {
	w := &window{}
	for i := lo; i < hi; i++ {
		if int(h.foldOf[i]) == h.fold {
			w.rows = append(w.rows, i)
		}
	}
	w.set = &ScoreSettings{
		Weights: pick(h.spec.SampleWeights, w.rows), Offsets: pick(h.spec.Offsets, w.rows),
	}
	w.weight = rows.Mass(w.set.Weights, len(w.rows))
	if w.weight == 0 {
		return nil, nil
	}
	w.y = pick(h.y, w.rows)
	for i, v := range w.y {
		w.y[i] = h.spec.data.Original(v)
	}
	var err error
	w.x, err = h.x.SelectRows(w.rows)
	return w, err
}

// A modelScorer computes the scores of a model on the rows of a fold, window by window.
type modelScorer struct {
	tally  *Tally
	metric Metric // CVSettings.Metric; may be nil
	// Over the windows: the sum of metric times the weight of the window, and the sum of the weights.
	sum [2]float64
}

func (s *modelScorer) add(w *window) error {
	err := s.tally.Add(w.x, w.y, w.set)
	if err == nil && s.metric != nil {
		var v float64
		v, err = s.metric(s.tally.m, w.x, w.y, w.set)
		s.sum[0] += float64(w.weight * v)
		s.sum[1] += w.weight
	}
	if overflow, ok := errors.AsType[*OverflowError](err); ok {
		return &OverflowError{w.rows[overflow.Row], overflow.Margin}
	}
	return err
}

// scores returns the measures of the model on the rows of the fold in all processes.
func (s *modelScorer) scores(team *rows.Team) (scores, error) {
	s.tally.join(team)
	metrics, err := s.tally.Metrics()
	if err != nil {
		return nil, err
	}
	out := metrics.scores()
	if s.tally.aucScores == nil {
		delete(out, ByAUC)
	}
	if s.metric != nil {
		team.Sum(s.sum[:])
		out[byMetric] = s.sum[0] / s.sum[1]
	}
	return out, nil
}
