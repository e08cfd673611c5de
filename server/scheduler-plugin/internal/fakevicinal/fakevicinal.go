// Package fakevicinal is the other end of the stream for tests: it keeps what it is told,
// strictly, and answers by in-tree code over exactly that.
package fakevicinal

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	pb "vicinal/scheduler-plugin/internal/v1"
)

// Server is a fake vicinal.
type Server struct {
	pb.UnimplementedSchedulerPluginServer
	Address string
	// Answer answers a question, nil never does. Set before the first stream.
	Answer func(*Cluster, *pb.Question) *pb.Answer

	mu      sync.Mutex
	cluster *Cluster
	hello   *pb.Hello
	server  *grpc.Server
	socket  string
}

// Cluster is what a stream has told.
type Cluster struct {
	Nodes   map[uint32]*v1.Node
	Pods    map[types.UID]Pod
	Objects map[string][]byte
	Synced  bool
	// Changes that may change the answer about a pod that waits: all but those of other
	// pods that wait.
	Counting int
}

// Pod is a pod as told. Node is nil while it waits.
type Pod struct {
	Pod  *v1.Pod
	Node *uint32
}

// Start listens on a socket of the test.
func Start(t testing.TB, answer func(*Cluster, *pb.Question) *pb.Answer) *Server {
	s := &Server{Answer: answer, socket: filepath.Join(t.TempDir(), "vicinal.sock")}
	s.Address = "unix:" + s.socket
	s.Restart(t)
	t.Cleanup(s.Stop)
	return s
}

// Restart listens again after Stop.
func (s *Server) Restart(t testing.TB) {
	listener, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	s.server = grpc.NewServer()
	pb.RegisterSchedulerPluginServer(s.server, s)
	go s.server.Serve(listener)
}

// Stop ends all streams.
func (s *Server) Stop() { s.server.Stop() }

// Look calls f with what the current stream has told; nil before the first.
func (s *Server) Look(f func(*Cluster, *pb.Hello)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.cluster, s.hello)
}

// Attach is the service.
func (s *Server) Attach(stream grpc.BidiStreamingServer[pb.SchedulerMessage, pb.VicinalMessage]) error {
	for position := uint64(1); ; position++ {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		if message.Position != position {
			return status.Errorf(codes.InvalidArgument, "position %d, want %d", message.Position, position)
		}
		reply, err := s.take(message)
		if err != nil {
			return status.Errorf(codes.InvalidArgument, "position %d: %v", position, err)
		}
		if reply != nil {
			if err := stream.Send(reply); err != nil {
				return err
			}
		}
	}
}

func (s *Server) take(message *pb.SchedulerMessage) (*pb.VicinalMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if message.Hello != nil {
		s.hello = message.Hello
		s.cluster = &Cluster{Nodes: map[uint32]*v1.Node{}, Pods: map[types.UID]Pod{}, Objects: map[string][]byte{}}
		return &pb.VicinalMessage{Kind: &pb.VicinalMessage_Ready{Ready: &pb.Ready{Version: "fake"}}}, nil
	}
	for _, change := range message.Changes {
		if err := s.cluster.apply(change); err != nil {
			return nil, err
		}
	}
	s.cluster.Synced = s.cluster.Synced || message.Synced
	if message.Question == nil {
		return nil, nil
	}
	if pod, ok := s.cluster.Pods[types.UID(message.Question.Uid)]; !s.cluster.Synced || !ok || pod.Node != nil {
		return nil, fmt.Errorf("a question about %q, which does not wait or is not known", message.Question.Uid)
	}
	answer := s.Answer(s.cluster, message.Question)
	if answer == nil {
		return nil, nil
	}
	answer.Position = message.Position
	return &pb.VicinalMessage{Kind: &pb.VicinalMessage_Answer{Answer: answer}}, nil
}

func (c *Cluster) apply(change *pb.Change) error {
	c.Counting++
	switch kind := change.Kind.(type) {
	case *pb.Change_Node:
		node := &v1.Node{}
		c.Nodes[kind.Node.Number] = node
		return json.Unmarshal(kind.Node.Json, node)
	case *pb.Change_NodeRemoved:
		for uid, pod := range c.Pods {
			if pod.Node != nil && *pod.Node == kind.NodeRemoved {
				return fmt.Errorf("node %d goes while pod %s is on it", kind.NodeRemoved, uid)
			}
		}
		if c.Nodes[kind.NodeRemoved] == nil {
			return fmt.Errorf("no node %d to remove", kind.NodeRemoved)
		}
		delete(c.Nodes, kind.NodeRemoved)
	case *pb.Change_Pod:
		pod := &v1.Pod{}
		if err := json.Unmarshal(kind.Pod.Json, pod); err != nil {
			return err
		}
		if _, known := c.Pods[pod.UID]; !known && kind.Pod.Node == nil {
			c.Counting--
		}
		c.Pods[pod.UID] = Pod{Pod: pod, Node: kind.Pod.Node}
		return c.checkNode(kind.Pod.Node)
	case *pb.Change_PodPlaced:
		uid := types.UID(kind.PodPlaced.Uid)
		pod, ok := c.Pods[uid]
		if !ok {
			return fmt.Errorf("no pod %s to place", uid)
		}
		c.Pods[uid] = Pod{Pod: pod.Pod, Node: &kind.PodPlaced.Node}
		return c.checkNode(&kind.PodPlaced.Node)
	case *pb.Change_PodRemoved:
		pod, ok := c.Pods[types.UID(kind.PodRemoved)]
		if !ok {
			return fmt.Errorf("no pod %s to remove", kind.PodRemoved)
		}
		if pod.Node == nil {
			c.Counting--
		}
		delete(c.Pods, types.UID(kind.PodRemoved))
	case *pb.Change_Object:
		var object struct {
			APIVersion, Kind string
			Metadata         struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(kind.Object, &object); err != nil {
			return err
		}
		if object.APIVersion == "" || object.Metadata.Name == "" {
			return fmt.Errorf("an object without apiVersion or name: %s", kind.Object)
		}
		c.Objects[object.Kind+"/"+object.Metadata.Namespace+"/"+object.Metadata.Name] = kind.Object
	case *pb.Change_ObjectRemoved:
		delete(c.Objects, kind.ObjectRemoved.Kind+"/"+kind.ObjectRemoved.Namespace+"/"+kind.ObjectRemoved.Name)
	default:
		return fmt.Errorf("a change of no kind: %v", change)
	}
	return nil
}

func (c *Cluster) checkNode(number *uint32) error {
	if number != nil && c.Nodes[*number] == nil {
		return fmt.Errorf("a pod on node %d, which is not known", *number)
	}
	return nil
}

// Numbers returns the numbers of the nodes, in order.
func (c *Cluster) Numbers() []uint32 { return slices.Sorted(maps.Keys(c.Nodes)) }
