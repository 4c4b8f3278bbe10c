package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Targets are the gaps, relative to P(0), for which the tables have times.
var Targets = []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}

// Options say how to compare.
type Options struct {
	Peers   []Peer        // beside scas
	Limit   time.Duration // for one answer; a peer gets twice that for its first answers to all tolerances
	Repeats int           // number of rounds, of which the least time counts; slow answers are not repeated
	Text    bool          // also write LIBSVM text for the peers
	Wall    bool          // compare by the time that passes instead of processor time
	Say     func(string)  // reports progress
}

// Once is the time of an answer above which it is not repeated.
func (o *Options) Once() time.Duration { return time.Duration(once * float64(o.Limit)) }

// seconds is the time of an answer by the chosen clock.
func (o *Options) seconds(a *Answer) float64 {
	if o.Wall {
		return a.Wall
	}
	return a.CPU
}

// A Point is a peer's answer to one tolerance.
type Point struct {
	Tol       float64
	CPU, Wall float64 // the least of all repetitions
	Seconds   float64 // CPU or Wall, whichever is compared
	Repeats   int
	Gap       float64 // the worst of all lambdas, to the reference and relative to P(0), at least 0
	Bound     float64 // what the peer proved, relative to P(0); NaN if it proved nothing
	Curve     []float64
}

// reached is the gap that counts: for scas the proved gap, for others the true one.
func (p *Point) reached() float64 {
	if math.IsNaN(p.Bound) {
		return p.Gap
	}
	return p.Bound
}

// A Lane is a peer's part of a race.
type Lane struct {
	Peer, Version string
	Default       float64 // the peer's default tolerance; 0 if unknown
	Points        []*Point
	// Note says why there are no more points, or none. Unable says that the peer does not
	// solve problems of this kind.
	Note   string
	Unable bool

	peer    Peer
	session Session
}

// To returns the least time in which the lane came within a gap, NaN if it did not.
func (l *Lane) To(gap float64) float64 {
	least := math.NaN()
	for _, p := range l.Points {
		if p.reached() <= gap && !(p.Seconds >= least) {
			least = p.Seconds
		}
	}
	return least
}

// AtDefault returns the point of the peer's default tolerance, nil if there is none.
func (l *Lane) AtDefault() *Point {
	for _, p := range l.Points {
		if math.Abs(p.Tol-l.Default) <= 1e-9*l.Default {
			return p
		}
	}
	return nil
}

// An Outcome is what a race found.
type Outcome struct {
	Spec
	Rows, Features int
	NNZ            int64
	Lambdas        []float64
	RowsOfA        int     // 0 for the identity
	Zero           float64 // P(0)
	Reference      Reference
	Lanes          []*Lane // scas first
}

// Best returns the lane other than scas that is the fastest to a gap, nil if there is none.
func (o *Outcome) Best(gap float64) (best *Lane) {
	for _, l := range o.Lanes[1:] {
		if t := l.To(gap); !math.IsNaN(t) && (best == nil || t < best.To(gap)) {
			best = l
		}
	}
	return best
}

// Ratio is the time of scas to a gap over that of the fastest peer: above 1, scas is behind.
// It is NaN if scas or every peer did not reach the gap.
func (o *Outcome) Ratio(gap float64) float64 {
	best := o.Best(gap)
	if best == nil {
		return math.NaN()
	}
	return o.Lanes[0].To(gap) / best.To(gap)
}

// Race runs scas and the peers of opt on a problem. The programs take turns, so that other work
// on the machine slows all of them down alike.
func Race(ctx context.Context, p *Problem, opt *Options) (*Outcome, error) {
	h, err := Hand(p, opt.Text)
	if err != nil {
		return nil, err
	}
	defer h.Remove()
	r := &race{Options: opt, h: h}
	r.out = &Outcome{Spec: p.Spec, NNZ: p.X.NNZ(), Lambdas: p.Lambdas, Zero: p.AtZero()}
	r.out.Rows, r.out.Features = p.X.Dims()
	if p.A != nil {
		r.out.RowsOfA, _ = p.A.Dims()
	}
	reference, err := refer(ctx, p)
	if err != nil {
		return nil, err
	}
	r.out.Reference = *reference
	for _, peer := range append([]Peer{SCAS{}}, opt.Peers...) {
		r.out.Lanes = append(r.out.Lanes, &Lane{Peer: peer.Name(), Default: peer.Default(), peer: peer})
	}
	r.limit = opt.Limit
	defer r.close()
	for round := range max(1, opt.Repeats) {
		for _, l := range r.out.Lanes {
			if round == 0 {
				err = r.descend(ctx, l)
				r.giveUp(l)
			} else {
				err = r.repeat(ctx, l)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return r.out, nil
}

type race struct {
	*Options
	h     *Handover
	out   *Outcome
	limit time.Duration // for one answer
}

// The limit for an answer of a peer is Hopeless times the longest time of scas if that is less
// than Options.Limit, but at least LeastLimit.
const (
	Hopeless   = 10.0
	LeastLimit = 2 * time.Second
)

// giveUp lowers the limit after the lane of scas, the first.
func (r *race) giveUp(l *Lane) {
	if l != r.out.Lanes[0] {
		return
	}
	var longest float64
	for _, p := range l.Points {
		longest = max(longest, p.Seconds)
	}
	r.limit = min(r.limit, max(LeastLimit, time.Duration(Hopeless*longest*float64(time.Second))))
}

func (r *race) close() {
	for _, l := range r.out.Lanes {
		l.close()
	}
}

func (l *Lane) close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}

// open loads the problem unless it is loaded.
func (l *Lane) open(ctx context.Context, h *Handover) error {
	if l.session != nil {
		return nil
	}
	s, err := l.peer.Open(ctx, h)
	if err != nil {
		return err
	}
	l.session, l.Version = s, s.Version()
	return nil
}

// For a fit the tolerances go down by half decades while answers take less than halfSteps of
// the limit, and then by decades. They go down by decades for a path, and by three decades for
// cross-validation. An answer that takes more than once of the limit is not repeated.
const (
	halfSteps = 1.0 / 20
	once      = 1.0 / 4
	budget    = 2.0  // for the first round of a peer, in limits
	short     = 0.01 // seconds; an answer that takes less is repeated 5 times instead of once
)

// halves is the number of half decades to the next tolerance after an answer.
func (r *race) halves(p *Point) int {
	switch {
	case r.out.Task == CV:
		return 6
	case r.out.Task == Fit && p.Seconds <= halfSteps*r.Limit.Seconds():
		return 1
	}
	return 2
}

// descend asks for one tolerance after the other, until the last target and the default
// tolerance are reached, or the ladder ends. The reason why it stops earlier becomes the
// lane's note. An error ends the race.
func (r *race) descend(ctx context.Context, l *Lane) error {
	if err := l.open(ctx, r.h); err != nil {
		_, l.Unable = err.(Unable)
		l.Note = err.Error()
		r.Say(fmt.Sprintf("%-20s %s", l.Peer, l.Note))
		return ctx.Err()
	}
	var spent float64
	from, to := l.session.Ladder()
	for half := 0; ; {
		tol := threeDigits(from * math.Pow(10, -float64(half)/2))
		switch {
		case tol < to*(1-1e-9):
			l.Note = fmt.Sprintf("its tolerances end at %g", to)
		case spent > budget*r.limit.Seconds():
			l.Note = fmt.Sprintf("stopped after %.0f s in all, before tolerance %g", spent, tol)
		}
		if l.Note != "" {
			break
		}
		p, err := r.fit(ctx, l, tol)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		spent += p.Seconds
		l.Points = append(l.Points, p)
		r.Say(fmt.Sprintf("%-20s tolerance %8.2g  %9.4f s  gap %8.1e", l.Peer, tol, p.Seconds, p.reached()))
		if p.reached() <= Targets[len(Targets)-1] && (l.Default == 0 || tol <= l.Default*(1+1e-9)) {
			return nil
		}
		half += r.halves(p)
	}
	r.Say(fmt.Sprintf("%-20s %s", l.Peer, l.Note))
	return nil
}

// threeDigits rounds a tolerance to three digits: then powers of 10 are exact.
func threeDigits(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes is a number
	}
	return out
}

// fit asks for one answer and judges it. If there is no answer, the reason becomes the lane's
// note.
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
		l.close() // or it would continue to run
		return nil, nil
	case err != nil:
		l.Note = fmt.Sprintf("failed at tolerance %g: %v", tol, err)
		return nil, nil
	}
	p := &Point{Tol: tol, CPU: a.CPU, Wall: a.Wall, Repeats: 1, Bound: a.Bound, Curve: a.Curve}
	p.Seconds = r.seconds(a)
	for k, x := range a.X {
		if err := r.judge(l, p, k, r.h.Objective(k, x)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// judge raises the gap of p to that of an objective of λ number k. An objective below the
// reference, or the proof of a gap that is smaller than the true one, means that a solver or
// this comparison is wrong. Then there must be no table.
func (r *race) judge(l *Lane, p *Point, k int, objective float64) error {
	ref, zero := &r.out.Reference, r.out.Zero
	slack := knownAccuracy * max(1, zero)
	p.Gap = max(p.Gap, (objective-ref.Values[k])/zero)
	if ref.Values[k]-objective > slack {
		return fmt.Errorf("peers: %s: the objective of %s at tolerance %g and lambda %d, %.15g, is below the reference %.15g (%s)",
			r.out.Name, l.Peer, p.Tol, k+1, objective, ref.Values[k], ref.How)
	}
	if most := ref.Values[k] + ref.Proved[k]; objective-p.Bound*zero > most+slack {
		return fmt.Errorf("peers: %s: %s at tolerance %g says that its objective at lambda %d, %.15g, is within %.2g of the optimum, which is at most %.15g",
			r.out.Name, l.Peer, p.Tol, k+1, objective, p.Bound*zero, most)
	}
	return nil
}

// repeat asks again for the answers of a lane that the tables show or may show, several
// times if they are short.
func (r *race) repeat(ctx context.Context, l *Lane) error {
	for _, p := range l.Points {
		if p.Seconds > r.Once().Seconds() || !l.matters(p) {
			continue
		}
		count := 1
		if p.Seconds < short {
			count = 5
		}
		for range count {
			if err := r.again(ctx, l, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// matters reports whether the tables have the time of a point, or would have it if the point
// were a little faster.
func (l *Lane) matters(p *Point) bool {
	for _, gap := range Targets {
		if p.reached() <= gap && p.Seconds <= 1.3*l.To(gap) {
			return true
		}
	}
	return p == l.AtDefault()
}

// again asks for the answer of a point once more. The least of the times counts, and the
// largest of the gaps.
func (r *race) again(ctx context.Context, l *Lane, p *Point) error {
	if err := l.open(ctx, r.h); err != nil {
		return ctx.Err()
	}
	note := l.Note
	q, err := r.fit(ctx, l, p.Tol)
	if err != nil {
		return err
	}
	if q == nil { // it answered before: something else disturbed it
		l.Note = note
		return nil
	}
	p.CPU, p.Wall, p.Seconds = min(p.CPU, q.CPU), min(p.Wall, q.Wall), min(p.Seconds, q.Seconds)
	p.Gap, p.Bound = max(p.Gap, q.Gap), max(p.Bound, q.Bound)
	p.Repeats++
	return nil
}
