package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"

	pb "vicinal/scheduler-plugin/internal/v1"
)

const (
	// A message is closed at the first change beyond one of these.
	maxChanges      = 512
	maxMessageBytes = 1 << 20
	maxAnswerBytes  = 64 << 20
	// Changes that may wait besides the first feed. Beyond, vicinal is taken as gone.
	maxWaiting = 200_000
	// What may be on its way when the one who asks sends, and not the goroutine: so much
	// never waits for vicinal to read.
	maxEntriesAtOnce = 64
	maxBytesAtOnce   = 16 << 10
)

// A Change is encoded when it is sent, off the scheduling cycle.
type Change func() (*pb.Change, error)

// Session is one stream, from its Ready to its end. What it is given is sent in that
// order. Safe for use by many.
type Session struct {
	Ready *pb.Ready

	stream grpc.BidiStreamingClient[pb.SchedulerMessage, pb.VicinalMessage]
	fail   context.CancelCauseFunc
	done   chan struct{} // closed at its end
	fed    chan struct{} // closed when `synced` is sent

	mu       sync.Mutex
	waiting  []entry
	extra    int // what the first feed may add to maxWaiting
	wake     chan struct{}
	asked    []*Question // sent or waiting, and not answered yet
	position uint64
	sent     int // bytes, about
	read     int // of them, those that vicinal has read for sure

	sending sync.Mutex // by who takes what waits, and sends it
}

// entry is one thing that waits to be sent.
type entry struct {
	change   Change
	question *Question
	synced   bool
}

// Question is a question on its way.
type Question struct {
	content  *pb.Question
	position uint64 // 0 until it is sent
	sent     int    // bytes with it
	answer   chan *pb.Answer
	session  *Session
	late     bool // guarded by the session's mu; somebody has waited in vain
}

// Why there is no answer.
var (
	ErrBehind       = errors.New("behind")       // the answer to an earlier question is late
	ErrTimeout      = errors.New("timeout")      // the answer takes too long
	ErrDisconnected = errors.New("disconnected") // the stream has ended
)

func newSession(stream grpc.BidiStreamingClient[pb.SchedulerMessage, pb.VicinalMessage], ready *pb.Ready, fail context.CancelCauseFunc) *Session {
	return &Session{Ready: ready, stream: stream, fail: fail, done: make(chan struct{}), fed: make(chan struct{}), wake: make(chan struct{}, 1), position: 1}
}

// Fed says whether the first feed is sent.
func (s *Session) Fed() bool {
	select {
	case <-s.fed:
		return true
	default:
		return false
	}
}

// WaitFed waits until the first feed is sent. False: the session has ended before.
func (s *Session) WaitFed() bool {
	select {
	case <-s.fed:
		return true
	case <-s.done:
		return false
	}
}

// WaitDone waits for its end.
func (s *Session) WaitDone() { <-s.done }

// Tell queues changes.
func (s *Session) Tell(changes ...Change) {
	s.TellWithNext(changes...)
	s.Flush()
}

// TellWithNext queues changes that need not be sent before the next question, or Flush.
func (s *Session) TellWithNext(changes ...Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(changes)
}

// Flush has the goroutine send what is queued.
func (s *Session) Flush() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// TellAll queues the first feed, and that it is the whole cluster.
func (s *Session) TellAll(changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extra = len(changes)
	s.tell(changes)
	s.enqueue(entry{synced: true})
	s.Flush()
}

// Ask sends a question. It refuses while the answer to an earlier one is late, so that a
// vicinal that is slow costs one timeout, and not one for each attempt.
func (s *Session) Ask(question *pb.Question) (*Question, error) {
	s.mu.Lock()
	if slices.ContainsFunc(s.asked, func(q *Question) bool { return q.late }) {
		s.mu.Unlock()
		s.Flush()
		return nil, ErrBehind
	}
	return s.ask(question), nil
}

// AskAhead sends a question for whose answer nobody may come to wait. nil: an earlier one
// has no answer yet.
func (s *Session) AskAhead(question *pb.Question) *Question {
	s.mu.Lock()
	if len(s.asked) > 0 {
		s.mu.Unlock()
		return nil
	}
	return s.ask(question)
}

// ask is called with mu held, and releases it.
func (s *Session) ask(question *pb.Question) *Question {
	q := &Question{content: question, answer: make(chan *pb.Answer, 1), session: s}
	s.asked = append(s.asked, q)
	s.enqueue(entry{question: q})
	little := len(s.waiting) <= maxEntriesAtOnce && s.sent-s.read < maxBytesAtOnce
	s.mu.Unlock()
	// To wake another goroutine for it takes longer than sending does.
	if little && s.sending.TryLock() {
		defer s.sending.Unlock()
		s.sendWaiting()
	} else {
		s.Flush()
	}
	return q
}

// Wait returns the answer.
func (q *Question) Wait(timeout time.Duration) (*pb.Answer, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-q.session.done:
		return nil, ErrDisconnected
	case <-timer.C:
		q.session.mu.Lock()
		q.late = true
		q.session.mu.Unlock()
		return nil, ErrTimeout
	}
}

// Fail ends the stream; the next one begins with everything.
func (s *Session) Fail(err error) { s.fail(err) }

func (s *Session) tell(changes []Change) {
	for _, change := range changes {
		s.enqueue(entry{change: change})
	}
}

// enqueue is called with mu held.
func (s *Session) enqueue(e entry) {
	select {
	case <-s.done:
		return
	default:
	}
	if len(s.waiting) >= maxWaiting+s.extra {
		s.fail(fmt.Errorf("vicinal does not take what it is told: %d changes wait", len(s.waiting)))
		return
	}
	s.waiting = append(s.waiting, e)
}

// send sends what is queued until the stream ends.
func (s *Session) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.sending.Lock()
		s.sendWaiting()
		s.sending.Unlock()
	}
}

// sendWaiting is called with sending held.
func (s *Session) sendWaiting() {
	s.mu.Lock()
	batch := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for len(batch) > 0 {
		rest, err := s.sendOne(batch)
		if err != nil {
			s.fail(err) // a broken stream says more in receive
			return
		}
		batch = rest
	}
}

// sendOne sends the first entries that fit into a message.
func (s *Session) sendOne(batch []entry) ([]entry, error) {
	message := &pb.SchedulerMessage{}
	bytes, used := 0, 0
	var asked *Question
	for used < len(batch) && len(message.Changes) < maxChanges && bytes < maxMessageBytes && asked == nil && !message.Synced {
		e := batch[used]
		used++
		switch {
		case e.synced:
			message.Synced = true
		case e.question != nil:
			asked = e.question
			message.Question = asked.content
		default:
			change, err := e.change()
			if err != nil {
				return nil, err
			}
			message.Changes = append(message.Changes, change)
			bytes += sizeOf(change)
		}
	}
	s.mu.Lock()
	s.position++
	message.Position = s.position
	s.sent += bytes
	if asked != nil {
		asked.position, asked.sent = s.position, s.sent
	}
	s.mu.Unlock()
	if err := s.stream.Send(message); err != nil {
		return nil, fmt.Errorf("sending to vicinal: %w", err)
	}
	if message.Synced {
		close(s.fed)
	}
	return batch[used:], nil
}

// sizeOf is about what the change takes on the wire.
func sizeOf(change *pb.Change) int {
	return len(change.GetNode().GetJson()) + len(change.GetPod().GetJson()) + len(change.GetObject()) + 64
}

// receive hands out answers until the stream ends.
func (s *Session) receive() error {
	for {
		message, err := s.stream.Recv()
		if err != nil {
			return err
		}
		answer := message.GetAnswer()
		if answer == nil {
			return errors.New("a message of vicinal is no answer")
		}
		s.mu.Lock()
		if len(s.asked) == 0 || s.asked[0].position != answer.Position {
			s.mu.Unlock()
			return fmt.Errorf("vicinal answers position %d, where no question waits", answer.Position)
		}
		asked := s.asked[0]
		s.asked = s.asked[1:]
		s.read = asked.sent
		s.mu.Unlock()
		asked.answer <- answer
	}
}

func (s *Session) close(err error) {
	s.fail(err)
	close(s.done)
}
