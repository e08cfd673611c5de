package harness

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// GRPC is a client of vicinal's services, which it has learned by reflection: messages
// are written and read in their JSON form, in which objects are manifests.
type GRPC struct {
	connection *grpc.ClientConn
	files      *protoregistry.Files
}

var services = []string{"vicinal.v1.Extender", "vicinal.v1.ClusterState"}

// DialGRPC connects without TLS; the connection ends with t.
func (v *Vicinal) DialGRPC(t testing.TB) *GRPC {
	t.Helper()
	connection, err := grpc.NewClient(v.GRPCAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	files, err := reflectedFiles(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	return &GRPC{connection, files}
}

// DialGRPCWith connects with these certificates; nil: without TLS. The caller closes it.
func (v *Vicinal) DialGRPCWith(config *tls.Config, timeout time.Duration) (*GRPC, error) {
	transport := insecure.NewCredentials()
	if config != nil {
		transport = credentials.NewTLS(config)
	}
	connection, err := grpc.NewClient(v.GRPCAddress, grpc.WithTransportCredentials(transport))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	files, err := reflectedFiles(ctx, connection)
	if err != nil {
		connection.Close()
		return nil, err
	}
	return &GRPC{connection, files}, nil
}

// Close ends the connection.
func (g *GRPC) Close() { g.connection.Close() }

// Snapshot reads the whole of ClusterState/Snapshot.
func (g *GRPC) Snapshot() error {
	_, err := g.SnapshotObjects()
	return err
}

// SnapshotObjects are those of ClusterState/Snapshot, each in its JSON form.
func (g *GRPC) SnapshotObjects() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	method, err := g.method("ClusterState/Snapshot")
	if err != nil {
		return nil, err
	}
	stream, err := g.connection.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/vicinal.v1.ClusterState/Snapshot")
	if err != nil {
		return nil, err
	}
	if err := stream.SendMsg(dynamicpb.NewMessage(method.Input())); err != nil {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var objects []string
	for {
		answer := dynamicpb.NewMessage(method.Output())
		err := stream.RecvMsg(answer)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := protojson.Marshal(answer)
		if err != nil {
			return nil, err
		}
		var message struct{ Objects []json.RawMessage }
		if err := json.Unmarshal(text, &message); err != nil {
			return nil, err
		}
		for _, object := range message.Objects {
			objects = append(objects, string(object))
		}
	}
}

// reflectedFiles asks for the files of the services, and what they import.
func reflectedFiles(ctx context.Context, connection *grpc.ClientConn) (*protoregistry.Files, error) {
	stream, err := grpc_reflection_v1alpha.NewServerReflectionClient(connection).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	for _, service := range services {
		request := &grpc_reflection_v1alpha.ServerReflectionRequest{
			MessageRequest: &grpc_reflection_v1alpha.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
		}
		if err := stream.Send(request); err != nil {
			return nil, err
		}
		response, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		for _, bytes := range response.GetFileDescriptorResponse().GetFileDescriptorProto() {
			file := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(bytes, file); err != nil {
				return nil, err
			}
			if !seen[file.GetName()] {
				seen[file.GetName()] = true
				set.File = append(set.File, file)
			}
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	return protodesc.NewFiles(set)
}

// method of a service, "Extender/Filter".
func (g *GRPC) method(name string) (protoreflect.MethodDescriptor, error) {
	service, method, _ := strings.Cut(name, "/")
	descriptor, err := g.files.FindDescriptorByName(protoreflect.FullName("vicinal.v1." + service))
	if err != nil {
		return nil, err
	}
	found := descriptor.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method))
	if found == nil {
		return nil, fmt.Errorf("no method %s", name)
	}
	return found, nil
}

// message reads a value in its JSON form. Fields that vicinal does not look at are left out.
func message(descriptor protoreflect.MessageDescriptor, value any) (*dynamicpb.Message, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(descriptor)
	return m, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, m)
}

// Call calls a method that is no stream, "Extender/Filter".
func (g *GRPC) Call(name string, request, response any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	method, err := g.method(name)
	if err != nil {
		return err
	}
	in, err := message(method.Input(), request)
	if err != nil {
		return err
	}
	out := dynamicpb.NewMessage(method.Output())
	if err := g.connection.Invoke(ctx, "/vicinal.v1."+name, in, out); err != nil {
		return err
	}
	text, err := protojson.Marshal(out)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, response)
}

type candidates struct {
	Pod       *corev1.Pod `json:"pod"`
	NodeNames []string    `json:"nodeNames"`
}

// Filter asks what (*Vicinal).Filter asks, and returns the same: the status is that of an
// answer over HTTP, or 0 with an error.
func (g *GRPC) Filter(pod *corev1.Pod, nodes ...string) (int, *extenderv1.ExtenderFilterResult, error) {
	result := &extenderv1.ExtenderFilterResult{}
	if err := g.Call("Extender/Filter", candidates{pod, nodes}, result); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, result, nil
}

// Prioritize asks what (*Vicinal).Prioritize asks.
func (g *GRPC) Prioritize(pod *corev1.Pod, nodes ...string) (int, extenderv1.HostPriorityList, error) {
	var response struct {
		HostPriorities []struct {
			Host  string
			Score int64 `json:",string"`
		}
	}
	if err := g.Call("Extender/Prioritize", candidates{pod, nodes}, &response); err != nil {
		return 0, nil, err
	}
	var scores extenderv1.HostPriorityList
	for _, priority := range response.HostPriorities {
		scores = append(scores, extenderv1.HostPriority{Host: priority.Host, Score: priority.Score})
	}
	return http.StatusOK, scores, nil
}

// Feeding is a stream that tells vicinal what the cluster is. Not thread-safe.
type Feeding struct {
	stream grpc.ClientStream
	input  protoreflect.MessageDescriptor
	output protoreflect.MessageDescriptor
	sent   int64
}

// Feed opens the stream.
func (g *GRPC) Feed(ctx context.Context) (*Feeding, error) {
	method, err := g.method("ClusterState/Feed")
	if err != nil {
		return nil, err
	}
	stream, err := g.connection.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, "/vicinal.v1.ClusterState/Feed")
	if err != nil {
		return nil, err
	}
	return &Feeding{stream: stream, input: method.Input(), output: method.Output()}, nil
}

// Send sends a FeedRequest in its JSON form.
func (f *Feeding) Send(event any) error {
	m, err := message(f.input, event)
	if err != nil {
		return err
	}
	f.sent++
	return f.stream.SendMsg(m)
}

// End says that this was all. Error: not all that was sent has been applied.
func (f *Feeding) End() error {
	// EOF: the stream has ended already, and receiving says why.
	if err := f.Send(map[string]any{"end": map[string]any{}}); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := f.stream.CloseSend(); err != nil {
		return err
	}
	response := dynamicpb.NewMessage(f.output)
	if err := f.stream.RecvMsg(response); err != nil {
		return err
	}
	applied := response.Get(f.output.Fields().ByName("events")).Int()
	if applied != f.sent {
		return fmt.Errorf("%d events applied of %d sent", applied, f.sent)
	}
	return nil
}
