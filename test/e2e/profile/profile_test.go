// Package profile tests the scheduler's configurations in manifests/, and what vicinal
// makes of such files, with the code that kube-scheduler itself runs on them.
package profile

import (
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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

func TestAdviseEveryScorePluginThatStaysWeighsTenTimesItsDefault(t *testing.T) {
	stock, ours := resolved(t, defaultConfig(t)), resolved(t, manifest(t, "advise"))
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
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) { onlyTheTwoReplacedPluginsAreMissing(t, mode) })
	}
}

func onlyTheTwoReplacedPluginsAreMissing(t *testing.T, mode string) {
	stock, ours := resolved(t, defaultConfig(t)), resolved(t, manifest(t, mode))
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

func TestExtenderFiltersBindsAndIsNeverSkipped(t *testing.T) {
	for _, mode := range modes {
		extenders := manifest(t, mode).Extenders
		if len(extenders) != 2 {
			t.Fatalf("%s: %d extenders", mode, len(extenders))
		}
		for _, e := range extenders {
			if !e.NodeCacheCapable || e.Ignorable || e.HTTPTimeout.Duration == 0 {
				t.Errorf("%s: %+v", mode, e)
			}
		}
		answers, binds := extenders[0], extenders[1]
		if answers.FilterVerb != "filter" || answers.BindVerb != "" {
			t.Errorf("%s: %+v", mode, answers)
		}
		if binds.BindVerb != "bind" || binds.FilterVerb+binds.PrioritizeVerb+binds.PreemptVerb != "" || binds.HTTPTimeout.Duration != time.Minute {
			t.Errorf("%s: %+v", mode, binds)
		}
	}
}

func TestExtenderAddsItsScoreOnceAndOnlyWhenItAdvises(t *testing.T) {
	if e := manifest(t, "advise").Extenders[0]; e.PrioritizeVerb != "prioritize" || e.Weight != 1 {
		t.Errorf("advise: %+v", e)
	}
	if e := manifest(t, "decide").Extenders[0]; e.PrioritizeVerb != "" {
		t.Errorf("decide: %+v", e)
	}
}

// Weights and plugins as profiles may have them. Plugins of others cannot be here:
// the scheduler's code does not have them.
var profiles = map[string]string{
	"default":            `{}`,
	"replaced":           `{plugins: {multiPoint: {disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]}}}`,
	"multiPoint weights": `{plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 9}, {name: ImageLocality}]}}}`,
	"score weights win": `{plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]},
		score: {enabled: [{name: NodeAffinity, weight: 4}, {name: InterPodAffinity, weight: 5}]}}}`,
	"score disabled":                   `{plugins: {score: {disabled: [{name: ImageLocality}, {name: TaintToleration}]}}}`,
	"score disabled and enabled again": `{plugins: {score: {disabled: [{name: NodeAffinity}], enabled: [{name: NodeAffinity, weight: 3}]}}}`,
	"only these score":                 `{plugins: {score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 2}, {name: PodTopologySpread}]}}}`,
	"only filters are replaced": `{plugins: {
		preFilter: {disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]},
		filter: {disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]},
		score: {enabled: [{name: PodTopologySpread, weight: 7}]}}}`,
	"everything named": `{plugins: {multiPoint: {disabled: [{name: "*"}], enabled: [
		{name: PrioritySort}, {name: DefaultBinder}, {name: NodePorts, weight: 3}, {name: TaintToleration, weight: 8}, {name: ImageLocality}]}}}`,
}

func TestVicinalScoresWithTheWeightsThatTheSchedulerResolves(t *testing.T) {
	run := harness.NewRun(t)
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			content := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" + profile + "]\n"
			want := weights(resolved(t, decoded(t, []byte(content))).Score)
			for _, plugin := range []string{names.VolumeBinding, names.DynamicResources} {
				delete(want, plugin) // vicinal lets these pass without a score
			}
			for plugin := range replaced {
				if _, stays := want[plugin]; !stays {
					want[plugin] = 2
				}
			}
			path := run.Path("config.yaml")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			vicinal := harness.StartVicinal(t, run, "--scheduler-config="+path)
			got := decidingWeights(t, vicinal)
			if !maps.Equal(got, want) {
				t.Errorf("vicinal scores with %v, want %v", got, want)
			}
		})
	}
}

// The weights of the manifest for decide are those of the default profile, and those
// of the other are all multiplied by ten.
func TestVicinalUnderstandsItsManifests(t *testing.T) {
	run := harness.NewRun(t)
	for mode, factor := range map[string]int32{"decide": 1, "advise": 10} {
		want := map[string]int32{}
		for plugin, weight := range weights(resolved(t, defaultConfig(t)).Score) {
			want[plugin] = factor * weight
		}
		delete(want, names.VolumeBinding)
		delete(want, names.DynamicResources)
		vicinal := harness.StartVicinal(t, run, "--scheduler-config="+harness.ManifestOf(t, mode))
		if got := decidingWeights(t, vicinal); !maps.Equal(got, want) {
			t.Errorf("%s: vicinal scores with %v, want %v", mode, got, want)
		}
	}
}

var (
	profileLine = regexp.MustCompile(`(?m)^profile default-scheduler:(.*)$`)
	modes       = []string{"decide", "advise"}
)

// decidingWeights are the weights that vicinal has logged when it started.
func decidingWeights(t *testing.T, vicinal *harness.Vicinal) map[string]int32 {
	t.Helper()
	log, err := os.ReadFile(vicinal.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	line := profileLine.FindSubmatch(log)
	if line == nil {
		t.Fatalf("no profile in the log:\n%s", log)
	}
	got := map[string]int32{}
	for _, pair := range strings.Fields(string(line[1])) {
		name, text, _ := strings.Cut(pair, "=")
		weight, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = int32(weight)
	}
	return got
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

func manifest(t *testing.T, mode string) *schedulerapi.KubeSchedulerConfiguration {
	t.Helper()
	content, err := yaml.Marshal(harness.ExtenderConfig(t, mode, "/nonexistent", "http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, content)
}

func decoded(t *testing.T, content []byte) *schedulerapi.KubeSchedulerConfiguration {
	t.Helper()
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
