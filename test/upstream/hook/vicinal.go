// Package util becomes part of upstream's test/integration/util, whose two calls of
// scheduler.New are turned to newScheduler: test/upstream/run copies both to where it
// builds.
package util

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"sigs.k8s.io/yaml"
)

// What the environment says.
const (
	modeVariable = "VICINAL_UPSTREAM_MODE" // stock, off, advise, decide or plugin
	binVariable  = "VICINAL_BIN"           // the binary
	rootVariable = "VICINAL_ROOT"          // the repository
	// Whose answers vicinal gives, as the API server of the tests does not say what it is;
	// not set: the newest release's.
	releaseVariable = "VICINAL_UPSTREAM_RELEASE"
	// A file to which a line is added for each scheduler: how it was started.
	startsVariable = "VICINAL_UPSTREAM_STARTS"
)

// The plugins in whose place vicinal stands.
var replaced = []string{names.InterPodAffinity, names.PodTopologySpread}

// newScheduler is scheduler.New with vicinal in the place of the two plugins. A scheduler
// whose profiles have none of them is left as it is.
func newScheduler(ctx context.Context, client clientset.Interface, factory informers.SharedInformerFactory, dynamicFactory dynamicinformer.DynamicSharedInformerFactory, recorder profile.RecorderFactory, options ...scheduler.Option) (*scheduler.Scheduler, error) {
	mode := os.Getenv(modeVariable)
	if mode != "stock" {
		replace := func() ([]scheduler.Option, error) { return withVicinal(ctx, mode, settingsOf(options)) }
		switch mode {
		case "plugin":
			replace = func() ([]scheduler.Option, error) { return withPlugins(ctx, settingsOf(options)) }
		case "off":
			replace = func() ([]scheduler.Option, error) { return without(settingsOf(options)) }
		}
		more, err := replace()
		if err != nil {
			return nil, fmt.Errorf("vicinal in mode %q: %w", mode, err)
		}
		options = append(options, more...)
	}
	return scheduler.New(ctx, client, factory, dynamicFactory, recorder, options...)
}

// settings are what options make of a scheduler's.
type settings struct {
	kubeConfig *restclient.Config
	config     config.KubeSchedulerConfiguration
	registry   frameworkruntime.Registry
}

// settingsOf applies the options to a value of their type, which is private to upstream.
func settingsOf(options []scheduler.Option) settings {
	private := reflect.New(reflect.TypeFor[scheduler.Option]().In(0).Elem())
	for _, option := range options {
		reflect.ValueOf(option).Call([]reflect.Value{private})
	}
	field := func(name string) any {
		f := private.Elem().FieldByName(name)
		return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface()
	}
	s := settings{kubeConfig: field("kubeConfig").(*restclient.Config), registry: field("frameworkOutOfTreeRegistry").(frameworkruntime.Registry)}
	defaults := configv1.KubeSchedulerConfiguration{}
	configscheme.Scheme.Default(&defaults)
	if err := configscheme.Scheme.Convert(&defaults, &s.config, nil); err != nil {
		panic(err)
	}
	if profiles := field("profiles").([]config.KubeSchedulerProfile); len(profiles) > 0 {
		s.config.Profiles = profiles
	}
	s.config.Extenders = field("extenders").([]config.Extender)
	return s
}

// profilesWithout are the profiles without the two plugins, and whether any had one.
func profilesWithout(s settings) ([]config.KubeSchedulerProfile, bool) {
	found := false
	profiles := slices.Clone(s.config.Profiles)
	for i := range profiles {
		profiles[i].Plugins = profiles[i].Plugins.DeepCopy()
		found = takeOut(profiles[i].Plugins) || found
	}
	return profiles, found
}

// without is a scheduler without the two plugins, and nobody in their place.
func without(s settings) ([]scheduler.Option, error) {
	profiles, _ := profilesWithout(s)
	return []scheduler.Option{scheduler.WithProfiles(profiles...)}, note("off")
}

func withVicinal(ctx context.Context, mode string, s settings) ([]scheduler.Option, error) {
	profiles, found := profilesWithout(s)
	if !found {
		return nil, note("as it is: none of the two plugins in its profiles")
	}
	try := func(mode string) ([]scheduler.Option, error) {
		// A configuration of its own, since advise mode multiplies weights.
		c := s.config
		c.Profiles = slices.Clone(profiles)
		if mode == "advise" {
			for i := range c.Profiles {
				c.Profiles[i].Plugins = c.Profiles[i].Plugins.DeepCopy()
				timesTen(c.Profiles[i].Plugins)
			}
		}
		extenders, err := extendersOf(mode)
		if err != nil {
			return nil, err
		}
		c.Extenders = append(slices.Clone(s.config.Extenders), extenders...)
		url, err := startVicinal(ctx, mode, s.kubeConfig, &c)
		if err != nil {
			return nil, err
		}
		for i := len(s.config.Extenders); i < len(c.Extenders); i++ {
			c.Extenders[i].URLPrefix = url
		}
		return []scheduler.Option{scheduler.WithProfiles(c.Profiles...), scheduler.WithExtenders(c.Extenders...)}, note(mode)
	}
	options, err := try(mode)
	if refused := (*refusal)(nil); mode == "decide" && errors.As(err, &refused) {
		// What the manifests tell an operator to do then.
		if err := note("advise, since decide mode refuses: " + refused.why); err != nil {
			return nil, err
		}
		return try("advise")
	}
	return options, err
}

// takeOut takes the two plugins out of a profile, and says whether any was there.
func takeOut(plugins *config.Plugins) bool {
	found := false
	for _, set := range setsOf(plugins) {
		before := len(set.Enabled)
		set.Enabled = slices.DeleteFunc(set.Enabled, func(p config.Plugin) bool { return slices.Contains(replaced, p.Name) })
		found = found || len(set.Enabled) < before
	}
	// For vicinal, which reads the configuration with the defaults.
	for _, name := range replaced {
		plugins.MultiPoint.Disabled = append(plugins.MultiPoint.Disabled, config.Plugin{Name: name})
	}
	return found
}

// setsOf are the sets of plugins of all extension points.
func setsOf(plugins *config.Plugins) []*config.PluginSet {
	var sets []*config.PluginSet
	value := reflect.ValueOf(plugins).Elem()
	for i := range value.NumField() {
		if set, ok := value.Field(i).Addr().Interface().(*config.PluginSet); ok {
			sets = append(sets, set)
		}
	}
	return sets
}

// timesTen is what the manifest of advise mode does with the weights.
func timesTen(plugins *config.Plugins) {
	for _, set := range []*config.PluginSet{&plugins.MultiPoint, &plugins.Score} {
		for i := range set.Enabled {
			set.Enabled[i].Weight = max(1, set.Enabled[i].Weight) * 10
		}
	}
}

// extendersOf are the extenders of the manifest of a mode, without TLS.
func extendersOf(mode string) ([]config.Extender, error) {
	manifest := map[string]string{
		"advise": "manifests/base/kube-scheduler-config.yaml",
		"decide": "manifests/overlays/kubeadm-decide/kube-scheduler-config.yaml",
	}[mode]
	content, err := os.ReadFile(filepath.Join(os.Getenv(rootVariable), manifest))
	if err != nil {
		return nil, err
	}
	var versioned configv1.KubeSchedulerConfiguration
	if err := yaml.UnmarshalStrict(content, &versioned); err != nil {
		return nil, err
	}
	configscheme.Scheme.Default(&versioned)
	var internal config.KubeSchedulerConfiguration
	if err := configscheme.Scheme.Convert(&versioned, &internal, nil); err != nil {
		return nil, err
	}
	for i := range internal.Extenders {
		internal.Extenders[i].EnableHTTPS, internal.Extenders[i].TLSConfig = false, nil
	}
	return internal.Extenders, nil
}

// refusal is what vicinal says when it does not start with a configuration.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

var listening = regexp.MustCompile(`^listening extender=(\S+) admin=(\S+)`)

// startVicinal starts vicinal on the API server of the test and returns the URL of the
// extender once it is ready. It ends with ctx.
func startVicinal(ctx context.Context, mode string, kubeConfig *restclient.Config, c *config.KubeSchedulerConfiguration) (string, error) {
	dir, err := os.MkdirTemp("", "vicinal-upstream-")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { os.RemoveAll(dir) })
	kubeconfig, configuration := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "config.yaml")
	if err := errors.Join(writeKubeconfig(kubeconfig, kubeConfig), writeConfiguration(configuration, c)); err != nil {
		return "", err
	}
	args := []string{"serve", "--mode=" + mode, "--kubeconfig=" + kubeconfig, "--scheduler-config=" + configuration,
		"--allow-anonymous-clients", "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=none"}
	if release := os.Getenv(releaseVariable); release != "" {
		args = append(args, "--kubernetes-release="+release)
	}
	line, err := startProcess(ctx, nil, args...)
	if err != nil {
		return "", err
	}
	addresses := listening.FindStringSubmatch(line)
	if addresses == nil {
		return "", &refusal{line}
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get("http://" + addresses[2] + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				http.DefaultClient.CloseIdleConnections() // the tests look for goroutines that are left
				return "http://" + addresses[1], nil
			}
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("not ready: %v", err)
		}
	}
}

// startProcess starts vicinal with these arguments and returns the line in which it says
// where it listens. It ends with ctx, after atEnd.
func startProcess(ctx context.Context, atEnd func(line string), args ...string) (string, error) {
	command := exec.Command(os.Getenv(binVariable), args...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = command.Wait() // what it says matters
		said := strings.Split(strings.TrimSpace(line+stderr.String()), "\n")
		return "", &refusal{said[len(said)-1]} // behind its log
	}
	context.AfterFunc(ctx, func() {
		if atEnd != nil {
			atEnd(line)
		}
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return line, nil
}

func writeKubeconfig(path string, from *restclient.Config) error {
	authority := from.CAData
	if len(authority) == 0 && from.CAFile != "" {
		var err error
		if authority, err = os.ReadFile(from.CAFile); err != nil {
			return err
		}
	}
	c := clientcmdapi.NewConfig()
	c.Clusters["test"] = &clientcmdapi.Cluster{Server: from.Host, CertificateAuthorityData: authority, TLSServerName: from.ServerName, InsecureSkipTLSVerify: from.Insecure}
	c.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: from.BearerToken, ClientCertificateData: from.CertData, ClientKeyData: from.KeyData}
	c.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	c.CurrentContext = "test"
	return clientcmd.WriteToFile(*c, path)
}

// writeConfiguration writes what vicinal is to know of the scheduler's configuration. The
// arguments of vicinal's own plugins go as they are: upstream's conversion does not know
// them.
func writeConfiguration(path string, internal *config.KubeSchedulerConfiguration) error {
	known := internal.DeepCopy()
	for i := range known.Profiles {
		known.Profiles[i].PluginConfig = slices.DeleteFunc(known.Profiles[i].PluginConfig, isOwn)
	}
	var versioned configv1.KubeSchedulerConfiguration
	if err := configscheme.Scheme.Convert(known, &versioned, nil); err != nil {
		return err
	}
	versioned.TypeMeta = metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"}
	for i, profile := range internal.Profiles {
		for _, p := range profile.PluginConfig {
			if isOwn(p) {
				raw := p.Args.(*runtime.Unknown).Raw
				versioned.Profiles[i].PluginConfig = append(versioned.Profiles[i].PluginConfig, configv1.PluginConfig{Name: p.Name, Args: runtime.RawExtension{Raw: raw}})
			}
		}
	}
	content, err := json.Marshal(&versioned)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// isOwn is whether the arguments are those of one of vicinal's plugins.
func isOwn(p config.PluginConfig) bool { return strings.HasPrefix(p.Name, "Vicinal") }

// note tells how a scheduler was started.
func note(how string) error {
	file, err := os.OpenFile(os.Getenv(startsVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, how)
	return err
}
