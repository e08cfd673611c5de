// Package link holds the stream to vicinal: it connects again and again, sends what it
// is given in order, and hands each answer to who asked. Nothing here blocks a
// scheduling cycle but Question.Wait, and that only for as long as its caller says.
package link

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/klog/v2"

	pb "vicinal/scheduler-plugin/internal/v1"
)

const (
	// How long vicinal may take from the connection to its Ready.
	readyWithin = time.Second
	// Between two tries to connect. Vicinal is back at most so much later.
	minBackoff = 50 * time.Millisecond
	maxBackoff = 500 * time.Millisecond
)

// Link is the connection of a process to its vicinal. Safe for use by many.
type Link struct {
	address string
	hello   func() *pb.Hello
	session atomic.Pointer[Session]
	opened  func(*Session)
}

// New returns a link that is not connected. hello is called for each connection,
// opened (may be nil) when one is ready.
func New(address string, hello func() *pb.Hello, opened func(*Session)) *Link {
	return &Link{address: address, hello: hello, opened: opened}
}

// Session returns the stream that is open, nil without one.
func (l *Link) Session() *Session { return l.session.Load() }

// Run connects, and connects again whenever the stream ends, until ctx is done.
func (l *Link) Run(ctx context.Context) {
	backoff, said := minBackoff, ""
	for ctx.Err() == nil {
		wasReady, err := l.serve(ctx)
		if ctx.Err() != nil {
			return
		}
		if wasReady {
			klog.ErrorS(err, "The stream to vicinal has ended; pods are scheduled by in-tree code until it is back", "address", l.address)
			backoff, said = minBackoff, ""
		} else {
			if err.Error() != said { // once for each reason: a refusal stays until somebody acts
				said = err.Error()
				klog.ErrorS(err, "Vicinal cannot be asked; pods are scheduled by in-tree code", "address", l.address)
			}
			backoff = min(2*backoff, maxBackoff)
		}
		select {
		case <-time.After(backoff):
		case <-ctx.Done():
		}
	}
}

// serve is one connection, from dialling to its end.
func (l *Link) serve(ctx context.Context) (wasReady bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn, err := grpc.NewClient(l.address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)))
	if err != nil {
		return false, err
	}
	defer conn.Close()
	late := time.AfterFunc(readyWithin, func() { cancel(fmt.Errorf("no Ready within %v", readyWithin)) })
	defer late.Stop()
	stream, err := pb.NewSchedulerPluginClient(conn).Attach(ctx)
	if err != nil {
		return false, causeOf(ctx, err)
	}
	if err := stream.Send(&pb.SchedulerMessage{Position: 1, Hello: l.hello()}); err != nil {
		_, err = stream.Recv() // which says why
		return false, causeOf(ctx, err)
	}
	first, err := stream.Recv()
	if err != nil {
		return false, causeOf(ctx, err)
	}
	ready := first.GetReady()
	if ready == nil {
		return false, errors.New("the first message of vicinal is not Ready")
	}
	if !late.Stop() {
		return false, causeOf(ctx, context.Canceled)
	}
	s := newSession(stream, ready, cancel)
	klog.InfoS("Connected to vicinal", "address", l.address, "version", ready.Version, "neverNarrowed", ready.BestNodesDeclined)
	l.session.Store(s)
	if l.opened != nil {
		go l.opened(s)
	}
	go s.send(ctx)
	err = causeOf(ctx, s.receive())
	l.session.Store(nil)
	s.close(err)
	return true, err
}

// causeOf prefers why the context was cancelled to that it was.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
