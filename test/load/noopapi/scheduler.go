package noopapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"sigs.k8s.io/yaml"

	"vicinal/test/load/placing"
)

// runningScheduler is the stock one, put together as cmd/kube-scheduler does it.
type runningScheduler struct {
	scheduler *scheduler.Scheduler
	factory   informers.SharedInformerFactory
	ctx       context.Context
	cancel    context.CancelFunc
	ended     chan struct{}
	held      sync.RWMutex // while it is locked no pod leaves the queue
}

// newScheduler returns one that knows the cluster and all pods, and does not run yet.
func newScheduler(w *world) (*runningScheduler, error) {
	c, err := w.schedulerConfig()
	if err != nil {
		return nil, err
	}
	if percentage := int32(w.o.percentage); percentage > 0 {
		c.PercentageOfNodesToScore = &percentage
	}
	client := w.api.Clientset()
	s := &runningScheduler{factory: scheduler.NewInformerFactory(client, 0, nil), ended: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	broadcaster := events.NewBroadcaster(noEvents{})
	if err := broadcaster.StartRecordingToSinkWithContext(s.ctx); err != nil {
		return nil, err
	}
	s.scheduler, err = scheduler.New(s.ctx, client, s.factory, nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithComponentConfigVersion(c.APIVersion),
		scheduler.WithProfiles(c.Profiles...),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		scheduler.WithExtenders(c.Extenders...),
		scheduler.WithFrameworkOutOfTreeRegistry(w.registry()),
		scheduler.WithParallelism(c.Parallelism))
	if err != nil {
		return nil, err
	}
	pop := s.scheduler.NextEntity
	s.scheduler.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		next, err := pop(logger)
		s.held.RLock()
		defer s.held.RUnlock()
		return next, err
	}
	s.factory.Start(s.ctx.Done())
	s.factory.WaitForCacheSync(s.ctx.Done())
	return s, s.scheduler.WaitForHandlersSync(s.ctx)
}

func (w *world) registry() frameworkruntime.Registry {
	if w.mode == "plugin" {
		return w.o.plugins()
	}
	return nil
}

func (s *runningScheduler) run() {
	s.scheduler.Run(s.ctx)
	close(s.ended)
}

// waitQueued waits until so many pods wait in a queue that is held; one has left it.
func (s *runningScheduler) waitQueued(pods int) error {
	return eventually(time.Minute, func() error {
		if pending, summary := s.scheduler.SchedulingQueue.PendingPods(); len(pending) < pods-1 {
			return fmt.Errorf("%d of %d pods wait: %s", len(pending), pods, summary)
		}
		return nil
	})
}

func (s *runningScheduler) stop() {
	s.cancel()
	<-s.ended
	s.factory.Shutdown()
}

// manifestOf is the scheduler's configuration that operators are given.
func manifestOf(o *options, mode string) string {
	switch mode {
	case "decide", decideTLS:
		return filepath.Join(o.root, "manifests/overlays/kubeadm-decide/kube-scheduler-config.yaml")
	case "plugin":
		return filepath.Join(o.root, "manifests/overlays/plugin/kube-scheduler-config.yaml")
	}
	return filepath.Join(o.root, "manifests/base/kube-scheduler-config.yaml")
}

// Without the two plugins: nobody looks after affinity and spread.
const offConfig = `profiles:
- plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
`

const nothingExtender = `extenders:
- {urlPrefix: "http://%s", filterVerb: filter, nodeCacheCapable: true}
`

// startNothing is an extender that answers one of the nodes without a look at them, in
// turns. It ends with the process.
func startNothing() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	var asked atomic.Int64
	go http.Serve(listener, http.HandlerFunc(func(answer http.ResponseWriter, question *http.Request) {
		var args extenderv1.ExtenderArgs
		if err := json.NewDecoder(question.Body).Decode(&args); err != nil || args.NodeNames == nil || len(*args.NodeNames) == 0 {
			http.Error(answer, fmt.Sprintf("no node names: %v", err), http.StatusBadRequest)
			return
		}
		names := *args.NodeNames
		one := names[int(asked.Add(1))%len(names)]
		answer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(answer).Encode(extenderv1.ExtenderFilterResult{NodeNames: &[]string{one}})
	}))
	return listener.Addr().String(), nil
}

// schedulerConfig is that of the manifests with vicinal's address filled in; without
// vicinal it is the default, or that of the modes off and nothing.
func (w *world) schedulerConfig() (*config.KubeSchedulerConfiguration, error) {
	text := []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
	if w.mode == "off" || w.mode == "nothing" {
		text = append(text, offConfig...)
	}
	if w.mode == "nothing" {
		address, err := startNothing()
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, nothingExtender, address)
	}
	if w.vicinal != nil {
		var err error
		if text, err = configFor(manifestOf(w.o, w.mode), w.vicinal); err != nil {
			return nil, err
		}
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	return object.(*config.KubeSchedulerConfiguration), nil
}

// configFor is a manifest with the addresses of this vicinal.
func configFor(path string, v *vicinal) ([]byte, error) {
	manifest, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	if err := yaml.UnmarshalStrict(manifest, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if extenders, ok := object["extenders"].([]any); ok {
		for _, extender := range extenders {
			extender := extender.(map[string]any)
			extender["urlPrefix"] = v.extenderURL
			delete(extender, "enableHTTPS")
			delete(extender, "tlsConfig")
			if v.certificates != "" {
				extender["enableHTTPS"] = true
				extender["tlsConfig"] = map[string]any{"caFile": v.certificates + "/ca.crt", "certFile": v.certificates + "/client.crt", "keyFile": v.certificates + "/client.key"}
			}
		}
	} else {
		profile := object["profiles"].([]any)[0].(map[string]any)
		profile["schedulerName"] = "default-scheduler"
		args := profile["pluginConfig"].([]any)[0].(map[string]any)["args"].(map[string]any)
		args["vicinal"].(map[string]any)["address"] = "unix:" + v.socket
	}
	return yaml.Marshal(object)
}

// noEvents takes the events that the scheduler writes about its pods.
type noEvents struct{}

func (noEvents) Create(_ context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return event, nil
}
func (noEvents) Update(_ context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return event, nil
}
func (noEvents) Patch(_ context.Context, event *eventsv1.Event, _ []byte) (*eventsv1.Event, error) {
	return event, nil
}

// gather reads the scheduler's own metrics.
func gather() (placing.Families, error) {
	list, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return nil, err
	}
	families := placing.Families{}
	for _, family := range list {
		families[family.GetName()] = family
	}
	return families, nil
}

// gatherPlaced waits until the metrics count so many more pods than before: a pod is
// counted after its binding.
func gatherPlaced(before placing.Families, pods int) (placing.Families, error) {
	var after placing.Families
	err := eventually(10*time.Second, func() (err error) {
		if after, err = gather(); err != nil {
			return err
		}
		if placed := placing.Placed(after) - placing.Placed(before); placed < pods {
			return fmt.Errorf("the scheduler's metrics count %d of %d pods", placed, pods)
		}
		return nil
	})
	return after, err
}

// eventually tries until there is no error, or the time is over.
func eventually(within time.Duration, try func() error) error {
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
