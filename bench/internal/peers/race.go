package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Targets are the gaps, divided by Problem.ObjectiveAtZero, for which the tables show times.
var Targets = []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}

// Options are the settings of a comparison.
type Options struct {
	Peers     []Peer        // the solvers to compare with scas
	Limit     time.Duration // limit of the processor time of one answer
	Repeats   int           // number of rounds, at least 1; the least time of all rounds counts
	WriteText bool          // also write text files for the peers, see newHandover
	UseWall   bool          // compare elapsed times instead of processor times
	Say       func(string)  // called with lines of text about the progress; not nil
}

// SlowAnswer returns the time above which an answer is not repeated.
func (o *Options) SlowAnswer() time.Duration { return time.Duration(slowAnswer * float64(o.Limit)) }

func (o *Options) seconds(a *Answer) float64 {
	if o.UseWall {
		return a.Wall
	}
	return a.CPU
}

// A Point summarises a peer's answers at one tolerance.
type Point struct {
	Tol       float64
	Seconds   float64   // the least time of all answers, see Options.UseWall
	Gap       float64   // (objective − Bounds.Lower)/Problem.ObjectiveAtZero; the largest of all, ≥ 0
	ProvedGap float64   // the proved gap, divided by Problem.ObjectiveAtZero; NaN if the peer proved none
	CVLosses  []float64 // for the task CV, the mean loss on the rows held out, for each lambda
}

// reached returns the gap that counts in a comparison: ProvedGap, or Gap if the peer proves no
// gaps.
func (p *Point) reached() float64 {
	if math.IsNaN(p.ProvedGap) {
		return p.Gap
	}
	return p.ProvedGap
}

// A Lane has the results of one peer in a race.
type Lane struct {
	Peer
	Version string
	Points  []*Point
	Note    string // says why there are no points, or no more points

	session *Session
}

// Fastest returns the fastest point within the gap, or nil if there is none.
func (l *Lane) Fastest(gap float64) (best *Point) {
	for _, p := range l.Points {
		if p.reached() <= gap && (best == nil || p.Seconds < best.Seconds) {
			best = p
		}
	}
	return best
}

// DefaultPoint returns the point at the peer's default tolerance, or nil if there is none.
func (l *Lane) DefaultPoint() *Point {
	for _, p := range l.Points {
		if p.Tol == l.DefaultTol {
			return p
		}
	}
	return nil
}

// An Outcome is the result of a race on one problem.
type Outcome struct {
	Spec
	Head            string   // a line that describes the problem
	ObjectiveAtZero float64  // Problem.ObjectiveAtZero
	Optima          []Bounds // for each lambda
	Lanes           []*Lane  // scas first; without the peers that do not solve problems of this kind
}

// Race runs scas and the peers of opt on a problem. They take turns in several rounds, so that other work on
// the machine slows all of them down alike. If a peer fails, its lane gets a note. Race returns an error if a
// result cannot be true. The error wraps ErrNoReference if the optimum is not known well enough.
func Race(ctx context.Context, p *Problem, opt *Options) (*Outcome, error) {
	h, err := newHandover(p, opt.WriteText)
	if err != nil {
		return nil, err
	}
	defer h.Remove()
	optima, err := proveOptima(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &race{Options: opt, h: h, limit: opt.Limit}
	r.outcome = &Outcome{Spec: p.Spec, Head: p.head(), ObjectiveAtZero: p.ObjectiveAtZero, Optima: optima}
	defer r.close()
	for _, peer := range append([]Peer{scas}, opt.Peers...) {
		if err := r.enter(ctx, peer); err != nil {
			return nil, err
		}
	}
	for k, l := range r.outcome.Lanes {
		if err := r.descend(ctx, l); err != nil {
			return nil, err
		}
		if k == 0 {
			r.lowerLimit()
		}
	}
	for range opt.Repeats - 1 {
		for _, l := range r.outcome.Lanes {
			if err := r.repeat(ctx, l); err != nil {
				return nil, err
			}
		}
	}
	return r.outcome, nil
}

type race struct {
	*Options
	h       *Handover
	outcome *Outcome
	limit   time.Duration // limit of the processor time of one answer, at most Options.Limit
}

// The limit for an answer of a peer is Hopeless times the time of the slowest answer of scas, but at least
// LeastLimit and at most Options.Limit. It is Options.Limit if scas does not reach the smallest target.
const (
	Hopeless   = 10.0
	LeastLimit = 2 * time.Second
)

func (r *race) lowerLimit() {
	scasLane := r.outcome.Lanes[0]
	if scasLane.Note != "" {
		return
	}
	var longest float64
	for _, p := range scasLane.Points {
		longest = max(longest, p.Seconds)
	}
	r.limit = min(r.limit, max(LeastLimit, time.Duration(Hopeless*longest*float64(time.Second))))
}

func (r *race) close() {
	for _, l := range r.outcome.Lanes {
		l.close()
	}
}

func (l *Lane) close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}

// open starts a session if the lane has no session. The session loads the problem.
func (l *Lane) open(ctx context.Context, h *Handover) error {
	if l.session != nil {
		return nil
	}
	s, err := l.Open(ctx, h)
	if err != nil {
		return err
	}
	l.session, l.Version = s, s.Version
	return nil
}

// slowFit and slowAnswer are multiples of Options.Limit, and budget is a multiple of race.limit.
const (
	slowFit    = 1.0 / 20 // after a fit that takes longer, the next tolerance is left out
	slowAnswer = 1.0 / 4  // an answer that takes longer is not repeated
	budget     = 2.0      // the first round of a peer ends when its answers together took longer than this
	// In seconds. Each later round repeats a faster answer 5 times, and any other answer once.
	shortAnswer = 0.01
)

// enter adds a lane for the peer, with the problem loaded. It leaves out a peer that does not solve problems
// of this kind.
func (r *race) enter(ctx context.Context, peer Peer) error {
	l := &Lane{Peer: peer}
	err := l.open(ctx, r.h)
	if err != nil {
		r.Say(fmt.Sprintf("%-20s %s", l.Name, err))
		l.Note = err.Error()
	}
	_, unable := err.(Unable)
	if !unable {
		r.outcome.Lanes = append(r.outcome.Lanes, l)
	}
	return ctx.Err()
}

// ladder returns the tolerances to ask a peer for, in decreasing order: the loosest divided by powers of √10
// for a fit, of 10 for a path, and of 1000 for a cross-validation; the tightest; and the default tolerance if
// the peer accepts it.
func (l *Lane) ladder(t Task) (tolerances []float64) {
	loosest, tightest := l.session.Loosest, l.session.Tightest
	halfDecades := map[Task]float64{Fit: 1, Path: 2, CV: 6}[t]
	for k := 0.0; ; k += halfDecades {
		tol := threeDigits(loosest * math.Pow(10, -k/2))
		if tol <= tightest {
			break
		}
		tolerances = append(tolerances, tol)
	}
	tolerances = append(tolerances, tightest)
	if l.DefaultTol <= loosest && l.DefaultTol >= tightest {
		tolerances = append(tolerances, l.DefaultTol)
	}
	slices.Sort(tolerances)
	tolerances = slices.Compact(tolerances)
	slices.Reverse(tolerances)
	return tolerances
}

// descend asks for answers at the tolerances of the lane's ladder, until an answer has reached the smallest
// target and the tolerance is at most the peer's default, if this default is known. If descend stops earlier,
// the lane's note says why.
func (r *race) descend(ctx context.Context, l *Lane) error {
	if l.session == nil { // the lane's note says why
		return nil
	}
	var spentSeconds float64
	tolerances := l.ladder(r.outcome.Task)
	for k := 0; ; k++ {
		if k == len(tolerances) {
			l.Note = fmt.Sprintf("its tolerances end at %g", l.session.Tightest)
			break
		}
		tol := tolerances[k]
		if spentSeconds > budget*r.limit.Seconds() {
			l.Note = fmt.Sprintf("stopped after %.0f s in all, before tolerance %g", spentSeconds, tol)
			break
		}
		p, err := r.fit(ctx, l, tol)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		spentSeconds += p.Seconds
		l.Points = append(l.Points, p)
		r.Say(fmt.Sprintf("%-20s tolerance %8.2g  %9.4f s  gap %8.1e", l.Name, tol, p.Seconds, p.reached()))
		if p.reached() <= Targets[len(Targets)-1] && (l.DefaultTol == 0 || tol <= l.DefaultTol) {
			return nil
		}
		slow := r.outcome.Task == Fit && p.Seconds > slowFit*r.Limit.Seconds()
		if slow && k+2 < len(tolerances) && tolerances[k+1] != l.DefaultTol {
			k++
		}
	}
	r.Say(fmt.Sprintf("%-20s %s", l.Name, l.Note))
	return nil
}

// threeDigits rounds a tolerance to three significant digits, so that powers of 10 are exact.
func threeDigits(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		panic(err) // cannot happen: FormatFloat wrote a number
	}
	return out
}

// fit asks for one answer and evaluates it. If the peer gives no answer, fit returns a nil Point without an
// error, and the lane's note says why.
func (r *race) fit(ctx context.Context, l *Lane, tol float64) (*Point, error) {
	a, err := l.session.Solve(ctx, tol, r.limit)
	if err == nil && (!(a.CPU >= 0) || !(a.Wall >= 0)) {
		err = fmt.Errorf("a time of %v s (CPU), %v s", a.CPU, a.Wall)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		l.Note = fmt.Sprintf("no answer in %v at tolerance %g", r.limit.Round(time.Second/10), tol)
		l.close() // otherwise the peer's process would continue to run
		return nil, nil
	case err != nil:
		l.Note = fmt.Sprintf("failed at tolerance %g: %v", tol, err)
		l.close() // the peer's process may have ended; the next round starts another
		return nil, nil
	}
	p := &Point{Tol: tol, Seconds: r.seconds(a), ProvedGap: a.ProvedGap, CVLosses: a.CVLosses}
	for k, x := range a.X {
		if err := r.judge(l, p, k, r.h.Objective(k, x)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// accuracy is the tolerance in comparisons of objectives.
const accuracy = 1e-10

// judge raises p.Gap to the gap of an objective for Lambdas[k], if this gap is larger. It returns an error if
// the objective is below the lower bound of the optimum, or if the gap that the peer claims is smaller than
// possible: then a solver or this comparison is wrong.
func (r *race) judge(l *Lane, p *Point, k int, objective float64) error {
	optimum, objectiveAtZero := r.outcome.Optima[k], r.outcome.ObjectiveAtZero
	slack := accuracy * max(1, objectiveAtZero)
	p.Gap = max(p.Gap, (objective-optimum.Lower)/objectiveAtZero)
	if optimum.Lower-objective > slack {
		return fmt.Errorf("peers: %s: the objective of %s at tolerance %g and lambda %d, %.15g, is below the optimum, which scas proves to be at least %.15g",
			r.outcome.Name, l.Name, p.Tol, k+1, objective, optimum.Lower)
	}
	if objective-p.ProvedGap*objectiveAtZero > optimum.Upper+slack {
		return fmt.Errorf("peers: %s: %s at tolerance %g says that its objective at lambda %d, %.15g, is within %.2g of the optimum, which is at most %.15g",
			r.outcome.Name, l.Name, p.Tol, k+1, objective, p.ProvedGap*objectiveAtZero, optimum.Upper)
	}
	return nil
}

// repeat asks the peer of a lane again for the answers of some points: those whose times the tables show or
// may show (see matters), except points whose first answer took longer than SlowAnswer. Each of these points
// then has the smallest time and the largest gaps of all its answers. A point does not change if the peer
// does not answer.
func (r *race) repeat(ctx context.Context, l *Lane) error {
	note := l.Note
	defer func() { l.Note = note }()
	for _, p := range l.Points {
		if p.Seconds > r.SlowAnswer().Seconds() || !l.matters(p) {
			continue
		}
		count := 1
		if p.Seconds < shortAnswer {
			count = 5
		}
		for range count {
			if l.open(ctx, r.h) != nil {
				return ctx.Err()
			}
			q, err := r.fit(ctx, l, p.Tol)
			if err != nil {
				return err
			}
			if q != nil {
				p.Seconds, p.Gap, p.ProvedGap = min(p.Seconds, q.Seconds), max(p.Gap, q.Gap),
					max(p.ProvedGap, q.ProvedGap)
			}
		}
	}
	return nil
}

// matters reports whether the tables show the time of the point p, or would show it if p were a little
// faster.
func (l *Lane) matters(p *Point) bool {
	for _, gap := range Targets {
		if p.reached() <= gap && p.Seconds <= 1.3*l.Fastest(gap).Seconds {
			return true
		}
	}
	return p == l.DefaultPoint()
}
