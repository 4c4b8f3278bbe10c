package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Targets are the gaps to which times are told.
var Targets = []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}

// Options say how to compare.
type Options struct {
	Peers   []Peer        // beside scas
	Limit   time.Duration // of a fit; fits of a peer on a problem begin only within twice that
	Repeats int           // of each fit, of which the least time counts; slow ones have fewer
	Text    bool          // hand LIBSVM text over too
	Wall    bool          // compare by wall clock instead of processor time
	Say     func(string)  // told of progress
}

// seconds is the time of a fit by the clock chosen.
func (o *Options) seconds(f *Fit) float64 {
	if o.Wall {
		return f.Wall
	}
	return f.CPU
}

// A Point is a peer's answer to one tolerance.
type Point struct {
	Tol       float64
	CPU, Wall float64 // the least of all repetitions
	Seconds   float64 // that of the two which is compared
	Repeats   int
	Objective float64
	Gap       float64 // to the reference, at least 0
	Bound     float64 // what the peer proved; NaN if nothing
}

// reached is the gap that counts: the one proved, for scas.
func (p *Point) reached() float64 {
	if math.IsNaN(p.Bound) {
		return p.Gap
	}
	return p.Bound
}

// A Lane is a peer's part of a race.
type Lane struct {
	Peer, Version string
	Points        []*Point
	// Note says why there are no more points, or none; Unable that the problem is not
	// one of the peer's.
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

// An Outcome is what a race found.
type Outcome struct {
	Spec
	Rows, Features int
	NNZ            int64
	Lambda         float64
	RowsOfA        int // 0 for the identity
	Reference      Reference
	Lanes          []*Lane // scas first
}

// Best returns the fastest lane but scas to a gap, nil if there is none.
func (o *Outcome) Best(gap float64) (best *Lane) {
	for _, l := range o.Lanes[1:] {
		if t := l.To(gap); !math.IsNaN(t) && (best == nil || t < best.To(gap)) {
			best = l
		}
	}
	return best
}

// Ratio is the time of the fastest peer to a gap over that of scas; NaN if either did
// not come there.
func (o *Outcome) Ratio(gap float64) float64 {
	best := o.Best(gap)
	if best == nil {
		return math.NaN()
	}
	return best.To(gap) / o.Lanes[0].To(gap)
}

// Race runs scas and the peers of opt on a problem. The programs take turns, so that other work
// on the machine slows all of them down alike.
func Race(ctx context.Context, p *Problem, opt *Options) (*Outcome, error) {
	h, err := Hand(p, opt.Text)
	if err != nil {
		return nil, err
	}
	defer h.Remove()
	r := &race{Options: opt, h: h, out: &Outcome{Spec: p.Spec, NNZ: p.X.NNZ(), Lambda: p.Lambda}}
	r.out.Rows, r.out.Features = p.X.Dims()
	if p.A != nil {
		r.out.RowsOfA, _ = p.A.Dims()
	}
	reference, err := refer(ctx, h)
	if err != nil {
		return nil, err
	}
	r.out.Reference = *reference
	for _, peer := range append([]Peer{SCAS{}}, opt.Peers...) {
		r.out.Lanes = append(r.out.Lanes, &Lane{Peer: peer.Name(), peer: peer})
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
	limit time.Duration // of a fit
}

// Peers are not waited for beyond Hopeless times the longest fit of scas, nor beyond
// the limit, but for LeastLimit.
const (
	Hopeless   = 200.0
	LeastLimit = 5 * time.Second
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

// open loads the problem, unless that is done.
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

// The ladder of tolerances goes down by half decades while fits take less than
// halfSteps of the limit, then by decades; what takes more than once of it is not
// repeated.
const (
	halfSteps = 1.0 / 20
	once      = 1.0 / 30
	budget    = 2.0  // for the first round of a peer, in limits
	short     = 0.01 // seconds
)

// descend goes down the ladder until the last target is reached, or as far as it goes.
// What the peer does not do becomes the lane's note; an error ends the race.
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
		if p.reached() <= Targets[len(Targets)-1] {
			return nil
		}
		if half++; p.Seconds > halfSteps*r.Limit.Seconds() {
			half++
		}
	}
	r.Say(fmt.Sprintf("%-20s %s", l.Peer, l.Note))
	return nil
}

// threeDigits rounds a tolerance, so that decades are exact.
func threeDigits(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes is a number
	}
	return out
}

// fit runs one fit and judges it. A fit that fails becomes the lane's note.
func (r *race) fit(ctx context.Context, l *Lane, tol float64) (*Point, error) {
	f, err := l.session.Fit(ctx, tol, r.limit)
	if err == nil {
		err = f.check(r.h.Problem)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		l.Note = fmt.Sprintf("no answer in %v at tolerance %g", r.limit.Round(time.Second/10), tol)
		l.close() // it would go on
		return nil, nil
	case err != nil:
		l.Note = fmt.Sprintf("failed at tolerance %g: %v", tol, err)
		return nil, nil
	}
	p := &Point{Tol: tol, CPU: f.CPU, Wall: f.Wall, Seconds: r.seconds(f), Repeats: 1, Bound: f.Bound, Objective: r.h.Objective(f.X)}
	return p, r.judge(l, p)
}

// judge sets the gap of p. An objective below the reference, or a proof of a gap that
// is not there, means that somebody is wrong, and no table is to be made of it.
func (r *race) judge(l *Lane, p *Point) error {
	ref := r.out.Reference
	p.Gap = math.Max(0, p.Objective-ref.Value)
	if ref.Value-p.Objective > knownAccuracy {
		return fmt.Errorf("peers: %s: the objective of %s at tolerance %g, %.15g, is below the reference %.15g (%s)", r.out.Name, l.Peer, p.Tol, p.Objective, ref.Value, ref.How)
	}
	if p.Objective-p.Bound > ref.Value+ref.Proved+knownAccuracy {
		return fmt.Errorf("peers: %s: %s at tolerance %g says that its objective %.15g is within %.2g of the optimum, which is at most %.15g", r.out.Name, l.Peer, p.Tol, p.Objective, p.Bound, ref.Value+ref.Proved)
	}
	return nil
}

// repeat runs the fits of a lane once more, and short ones more often, for their time.
func (r *race) repeat(ctx context.Context, l *Lane) error {
	for _, p := range l.Points {
		if p.Seconds > once*r.Limit.Seconds() {
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

// again runs the fit of a point once more. Of the times the least counts, of the
// objectives the greatest.
func (r *race) again(ctx context.Context, l *Lane, p *Point) error {
	if err := l.open(ctx, r.h); err != nil {
		return ctx.Err()
	}
	note := l.Note
	q, err := r.fit(ctx, l, p.Tol)
	if err != nil {
		return err
	}
	if q == nil { // it answered before: a disturbance
		l.Note = note
		return nil
	}
	p.CPU, p.Wall, p.Seconds = min(p.CPU, q.CPU), min(p.Wall, q.Wall), min(p.Seconds, q.Seconds)
	p.Objective, p.Gap, p.Bound = max(p.Objective, q.Objective), max(p.Gap, q.Gap), max(p.Bound, q.Bound)
	p.Repeats++
	return nil
}
