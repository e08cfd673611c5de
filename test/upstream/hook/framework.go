package util

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// withPlugins puts the plugins of server/scheduler-plugin in the places of the two, behind
// all others, as their manifest does, and starts the vicinal that they ask.
func withPlugins(ctx context.Context, s settings) ([]scheduler.Option, error) {
	registry := frameworkruntime.Registry{}
	maps.Copy(registry, s.registry)
	if err := registry.Merge(pluginRegistry()); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "vicinal-upstream-")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "plugin.sock")
	c := s.config
	c.Profiles = slices.Clone(s.config.Profiles)
	found := false
	for i := range c.Profiles {
		profile := &c.Profiles[i]
		profile.Plugins = profile.Plugins.DeepCopy()
		if !putTwins(profile.Plugins) {
			continue
		}
		found = true
		pluginConfig := slices.DeleteFunc(slices.Clone(profile.PluginConfig), func(p config.PluginConfig) bool { return slices.Contains(replaced, p.Name) })
		for _, name := range replaced {
			args, err := argsOf(profile, name, socket)
			if err != nil {
				return nil, err
			}
			pluginConfig = append(pluginConfig, config.PluginConfig{Name: "Vicinal" + name, Args: &runtime.Unknown{Raw: args, ContentType: runtime.ContentTypeJSON}})
		}
		profile.PluginConfig = pluginConfig
	}
	if !found {
		return nil, note("as it is: none of the two plugins in its profiles")
	}
	if err := startServePlugin(ctx, dir, socket, &c); err != nil {
		return nil, err
	}
	return []scheduler.Option{scheduler.WithProfiles(c.Profiles...), scheduler.WithFrameworkOutOfTreeRegistry(registry)}, note("plugin")
}

// putTwins replaces the two plugins in every set that enables them.
func putTwins(plugins *config.Plugins) bool {
	found := false
	for _, set := range setsOf(plugins) {
		var twins []config.Plugin
		for _, p := range set.Enabled {
			if slices.Contains(replaced, p.Name) {
				// A weight that is not given is the default of these two.
				weight := p.Weight
				if weight == 0 {
					weight = 2
				}
				twins = append(twins, config.Plugin{Name: "Vicinal" + p.Name, Weight: weight})
			}
		}
		set.Enabled = append(slices.DeleteFunc(set.Enabled, func(p config.Plugin) bool { return slices.Contains(replaced, p.Name) }), twins...)
		found = found || len(twins) > 0
	}
	for _, name := range replaced {
		plugins.MultiPoint.Disabled = append(plugins.MultiPoint.Disabled, config.Plugin{Name: name})
	}
	return found
}

// argsOf are the arguments of an in-tree plugin with the block `vicinal`.
func argsOf(profile *config.KubeSchedulerProfile, name, socket string) ([]byte, error) {
	content := map[string]any{}
	for _, pluginConfig := range profile.PluginConfig {
		if pluginConfig.Name != name {
			continue
		}
		var external runtime.Object
		switch pluginConfig.Args.(type) {
		case *config.InterPodAffinityArgs:
			external = &configv1.InterPodAffinityArgs{}
		case *config.PodTopologySpreadArgs:
			external = &configv1.PodTopologySpreadArgs{}
		default:
			return nil, fmt.Errorf("arguments of %s: %T", name, pluginConfig.Args)
		}
		if err := configscheme.Scheme.Convert(pluginConfig.Args, external, nil); err != nil {
			return nil, err
		}
		text, err := json.Marshal(external)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &content); err != nil {
			return nil, err
		}
	}
	if name == replaced[0] { // one of the two has the block
		// Long enough that in-tree code does not answer in vicinal's place.
		content["vicinal"] = map[string]any{"address": "unix:" + socket, "timeout": "5s", "narrow": true, "mode": "answer"}
	}
	return json.Marshal(content)
}

var admin = regexp.MustCompile(`admin=(\S+)`)

func startServePlugin(ctx context.Context, dir, socket string, c *config.KubeSchedulerConfiguration) error {
	configuration := filepath.Join(dir, "config.yaml")
	if err := writeConfiguration(configuration, c); err != nil {
		return err
	}
	_, err := startProcess(ctx, func(line string) {
		if address := admin.FindStringSubmatch(line); address != nil && answered(address[1]) {
			_ = note("answered by vicinal") // only counted
		}
	}, "serve-plugin", "--socket="+socket, "--scheduler-config="+configuration, "--admin-listen-address=127.0.0.1:0")
	return err
}

var questions = regexp.MustCompile(`(?m)^vicinal_plugin_question_duration_seconds_count\S* [1-9]`)

// answered is whether vicinal has answered any question of the plugins.
func answered(address string) bool {
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return false
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return err == nil && questions.Match(page)
}
