// Package profile tests manifests/base/kube-scheduler-config.yaml with the code that
// kube-scheduler itself runs on it.
package profile

import (
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

// The plugins vicinal answers for.
var replaced = map[string]bool{names.InterPodAffinity: true, names.PodTopologySpread: true}

func TestEveryScorePluginThatStaysWeighsTenTimesItsDefault(t *testing.T) {
	stock, ours := resolved(t, defaultConfig(t)), resolved(t, manifest(t))
	got := weights(ours.Score)
	want := map[string]int32{}
	for plugin, weight := range weights(stock.Score) {
		if !replaced[plugin] {
			want[plugin] = 10 * weight
		}
	}
	if len(want) == 0 {
		t.Fatal("the default profile has no score plugins")
	}
	for plugin, weight := range want {
		if got[plugin] != weight {
			t.Errorf("%s weighs %d, want %d", plugin, got[plugin], weight)
		}
	}
	for plugin := range got {
		if _, ok := want[plugin]; !ok {
			t.Errorf("%s scores, but not in the default profile", plugin)
		}
	}
}

func TestOnlyTheTwoReplacedPluginsAreMissing(t *testing.T) {
	stock, ours := resolved(t, defaultConfig(t)), resolved(t, manifest(t))
	for point, pair := range map[string][2]schedulerapi.PluginSet{
		"preEnqueue": {stock.PreEnqueue, ours.PreEnqueue},
		"preFilter":  {stock.PreFilter, ours.PreFilter},
		"filter":     {stock.Filter, ours.Filter},
		"postFilter": {stock.PostFilter, ours.PostFilter},
		"preScore":   {stock.PreScore, ours.PreScore},
		"reserve":    {stock.Reserve, ours.Reserve},
		"permit":     {stock.Permit, ours.Permit},
		"preBind":    {stock.PreBind, ours.PreBind},
		"bind":       {stock.Bind, ours.Bind},
	} {
		var want []string
		for _, plugin := range pair[0].Enabled {
			if !replaced[plugin.Name] {
				want = append(want, plugin.Name)
			}
		}
		var got []string
		for _, plugin := range pair[1].Enabled {
			got = append(got, plugin.Name)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", point, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", point, got, want)
				break
			}
		}
	}
}

func TestExtenderAddsItsScoreOnceAndIsNeverSkipped(t *testing.T) {
	extenders := manifest(t).Extenders
	if len(extenders) != 1 {
		t.Fatalf("%d extenders", len(extenders))
	}
	e := extenders[0]
	if e.FilterVerb != "filter" || e.PrioritizeVerb != "prioritize" || e.Weight != 1 || !e.NodeCacheCapable || e.Ignorable || e.HTTPTimeout.Duration == 0 {
		t.Errorf("%+v", e)
	}
}

func weights(set schedulerapi.PluginSet) map[string]int32 {
	weights := map[string]int32{}
	for _, plugin := range set.Enabled {
		weights[plugin.Name] = plugin.Weight
	}
	return weights
}

func defaultConfig(t *testing.T) *schedulerapi.KubeSchedulerConfiguration {
	t.Helper()
	config, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func manifest(t *testing.T) *schedulerapi.KubeSchedulerConfiguration {
	t.Helper()
	content, err := yaml.Marshal(harness.ExtenderConfig(t, "/nonexistent", "http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	config := &schedulerapi.KubeSchedulerConfiguration{}
	// The codec is strict, as the one kube-scheduler reads its file with.
	if _, _, err := scheme.Codecs.UniversalDecoder().Decode(content, nil, config); err != nil {
		t.Fatal(err)
	}
	config.TypeMeta.APIVersion = "kubescheduler.config.k8s.io/v1"
	if err := validation.ValidateKubeSchedulerConfiguration(config); err != nil {
		t.Fatal(err)
	}
	return config
}

// resolved builds the scheduler and returns which plugins it runs at each point.
func resolved(t *testing.T, config *schedulerapi.KubeSchedulerConfiguration) *schedulerapi.Plugins {
	t.Helper()
	// Nothing is started, so nobody is asked.
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	s, err := scheduler.New(t.Context(), client, informers.NewSharedInformerFactory(client, 0), nil,
		schedulerprofile.NewRecorderFactory(broadcaster), scheduler.WithProfiles(config.Profiles...), scheduler.WithExtenders(config.Extenders...))
	if err != nil {
		t.Fatal(err)
	}
	return s.Profiles[config.Profiles[0].SchedulerName].ListPlugins()
}
