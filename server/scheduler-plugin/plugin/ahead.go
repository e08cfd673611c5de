package plugin

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"vicinal/scheduler-plugin/internal/link"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// ahead is a question about the pod that the scheduler most likely tries next. It is asked
// as soon as the node of the pod before is known. Vicinal answers while the scheduler
// assumes and binds that pod.
type ahead struct {
	uid      types.UID
	session  *link.Session
	version  uint64 // of the feed
	question *link.Question
}

func bestNodes(uid types.UID) *pb.Question {
	return &pb.Question{Uid: string(uid), Best: &pb.Question_BestNodes{Limit: maxTries}}
}

// askAhead tells that the pod is placed, which the next snapshot confirms or takes back,
// and asks about the next one.
func (a *attempt) askAhead(target string) {
	p := a.profile.process
	if !p.feed.Placed(a.session, a.pod.UID, target) {
		return
	}
	next, version := p.feed.Expected()
	for ; next != nil; next, version = p.feed.Expected() {
		if member := p.profileOf(next); member != nil {
			if !member.mayNarrow(a.session, next) {
				break
			}
			if question := a.session.AskAhead(bestNodes(next.UID)); question != nil {
				p.ahead.Store(&ahead{uid: next.UID, session: a.session, version: version, question: question})
			}
			return
		}
		p.feed.Tried(next.UID) // by another scheduler
	}
	a.session.Flush() // no question takes the changes along
}

// askBest sends the question, if it was not asked ahead; the PreFilters that run until the
// last plugin's need not wait for its answer.
func (a *attempt) askBest() {
	a.asked = time.Now()
	if a.question = a.askedAhead(); a.question != nil {
		return
	}
	question, err := a.session.Ask(bestNodes(a.pod.UID))
	if err != nil {
		a.why = err.Error()
		return
	}
	a.question = question
}

// askedAhead returns the question of the attempt before, if it is about this pod, and
// nothing that counts has changed since.
func (a *attempt) askedAhead() *link.Question {
	p := a.profile.process
	guess := p.ahead.Swap(nil)
	if guess == nil {
		return nil
	}
	if guess.uid == a.pod.UID && guess.session == a.session && guess.version == p.feed.Version() {
		askedAhead.WithLabelValues("true").Inc()
		return guess.question
	}
	askedAhead.WithLabelValues("false").Inc()
	p.feed.Tried(guess.uid) // a wrong guess is not made again
	return nil
}
