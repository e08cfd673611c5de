package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/descheduler/cmd/descheduler/app/options"
	"sigs.k8s.io/descheduler/pkg/api"
	"sigs.k8s.io/descheduler/pkg/descheduler"
	"sigs.k8s.io/descheduler/pkg/descheduler/evictions"
	"sigs.k8s.io/descheduler/pkg/features"
	"sigs.k8s.io/descheduler/pkg/framework/pluginregistry"
	"sigs.k8s.io/descheduler/pkg/framework/plugins/defaultevictor"
	frameworktesting "sigs.k8s.io/descheduler/pkg/framework/testing"
)

// run is one descheduling cycle.
func run(ctx context.Context, q question) (answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	objects, err := decode(q.Objects)
	if err != nil {
		return answer{}, err
	}
	client := fake.NewSimpleClientset(objects...)
	evicted := recordEvictions(client)
	policy, err := loadPolicy(q.Policy, client)
	if err != nil {
		return answer{}, err
	}
	a := answer{Evictable: []string{}}
	if a.Evictable, err = evictable(ctx, client, policy, objects); err != nil {
		return answer{}, err
	}
	server, err := options.NewDeschedulerServer()
	if err != nil {
		return answer{}, err
	}
	server.Client, server.EventClient = client, client
	server.DisableMetrics = true
	server.DefaultFeatureGates = features.DefaultMutableFeatureGate
	// No interval: one cycle.
	if err := descheduler.RunDeschedulerStrategies(ctx, server, policy, "v1"); err != nil {
		return answer{}, err
	}
	a.Evicted = evicted()
	return a, nil
}

func decode(raw []json.RawMessage) ([]runtime.Object, error) {
	var objects []runtime.Object
	for _, content := range raw {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(content, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// recordEvictions returns what has been evicted so far.
func recordEvictions(client *fake.Clientset) func() []string {
	var mu sync.Mutex
	pods := []string{}
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		eviction, ok := action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
		if !ok {
			return true, nil, fmt.Errorf("an eviction that is a %T", action.(clienttesting.CreateAction).GetObject())
		}
		mu.Lock()
		defer mu.Unlock()
		pods = append(pods, eviction.Namespace+"/"+eviction.Name)
		return true, nil, nil
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(pods)
	}
}

// loadPolicy reads it as the program does: from a file, with its defaults.
func loadPolicy(content string, client *fake.Clientset) (*api.DeschedulerPolicy, error) {
	file, err := os.CreateTemp("", "policy-*.yaml")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(content); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return descheduler.LoadPolicyConfig(file.Name(), client, pluginregistry.PluginRegistry)
}

// evictable asks the evictor of the first profile about every pod on a node.
func evictable(ctx context.Context, client *fake.Clientset, policy *api.DeschedulerPolicy, objects []runtime.Object) ([]string, error) {
	config, _ := descheduler.GetPluginConfig(defaultevictor.PluginName, policy.Profiles[0].PluginConfigs)
	handle, _, err := frameworktesting.InitFrameworkHandle(ctx, client, evictions.NewOptions(), *config.Args.(*defaultevictor.DefaultEvictorArgs), nil)
	if err != nil {
		return nil, err
	}
	pods := []string{}
	for _, object := range objects {
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" && handle.Filter(pod) {
			pods = append(pods, pod.Namespace+"/"+pod.Name)
		}
	}
	return pods, nil
}
