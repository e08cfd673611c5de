package manifests

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
	"vicinal/test/watched"
)

const restricted = "restricted"

// One control plane serves all parts, in this order.
func TestOnARealAPIServer(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	f := &fixture{cp: cp, kubeconfig: cp.Kubeconfig(t, "admin", cp.URL, &clientcmdapi.AuthInfo{
		ClientCertificateData: cp.AdminPair.CertPEM, ClientKeyData: cp.AdminPair.KeyPEM,
	})}
	if _, err := cp.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: restricted, Labels: map[string]string{"pod-security.kubernetes.io/enforce": restricted},
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := cp.Admin.CoreV1().ServiceAccounts(metav1.NamespaceSystem).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "nobody"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The harness has vicinal's account already.
	kubectl(t, nil, "--kubeconfig="+f.kubeconfig, "delete", "-f", harness.RepositoryFile(t, "manifests/base/rbac.yaml"))
	t.Run("Helm installs, changes and removes the chart", f.helmInstalls)
	t.Run("every variant is accepted, and a second time changes nothing", f.variantsAreAccepted)
	t.Run("the API server would refuse a misspelt field", f.misspeltFieldIsRefused)
	t.Run("vicinal passes the restricted pod security standard", f.podSecurity)
	t.Run("vicinal may read, bind and nominate, and nothing else", f.vicinalRights)
	t.Run("the API server serves vicinal as it serves kube-scheduler", f.flowSchema)
	t.Run("the second scheduler may do what kube-scheduler may, and lead under its name", f.secondSchedulerRights)
	t.Run("the overlay of the plugin is accepted", f.pluginIsAccepted)
	t.Run("both ways to run the descheduler are accepted, and pass the restricted standard", f.deschedulersAreAccepted)
	t.Run("the descheduler may read, evict and write events, and lead under its name", f.deschedulerRights)
	t.Run("the second scheduler places pods and a standby takes over", f.secondSchedulerRuns)
	t.Run("in every overlay others get nothing, and the scheduler works, after a restart too", f.neighboursGetNothing)
	t.Run("so it is in the overlay of the plugin", f.pluginsNeighboursGetNothing)
}

type fixture struct {
	cp         *harness.ControlPlane
	kubeconfig string
}

// apply creates or updates the objects of an overlay on the API server, strictly, and
// returns by kind and name a version that changes with what was applied: the generation,
// or the resource version of what has none. A status may change at any time.
func (f *fixture) apply(t *testing.T, overlay string) map[string]string {
	t.Helper()
	out := kubectl(t, kustomize(t, overlay), "--kubeconfig="+f.kubeconfig, "apply", "--validate=strict", "-o=json", "-f", "-")
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, item := range list.Items {
		version := item.ResourceVersion
		if item.Generation != 0 {
			version = fmt.Sprint("generation ", item.Generation)
		}
		versions[item.Kind+" "+item.Name] = version
	}
	return versions
}

func (f *fixture) variantsAreAccepted(t *testing.T) {
	for _, v := range variants {
		first := f.apply(t, v.overlay)
		if objects := len(v.objects(t)); len(first) != objects || objects < 4 {
			t.Errorf("%s: %d objects applied of %d", v.overlay, len(first), objects)
		}
		if again := f.apply(t, v.overlay); !maps.Equal(first, again) {
			t.Errorf("%s: applied %v, and again %v", v.overlay, first, again)
		}
		if v.staticPod != "" {
			kubectl(t, kustomize(t, v.staticPod), "--kubeconfig="+f.kubeconfig, "create", "--validate=strict", "--dry-run=server", "-f", "-")
		}
	}
}

func (f *fixture) misspeltFieldIsRefused(t *testing.T) {
	body := `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"p"},"spec":{"minimumAvailable":1}}`
	err := f.cp.Admin.PolicyV1().RESTClient().Post().Namespace("kube-system").Resource("poddisruptionbudgets").
		Param("fieldValidation", "Strict").SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(t.Context()).Error()
	if err == nil || !strings.Contains(err.Error(), "minimumAvailable") {
		t.Errorf("got %v, want an error that names minimumAvailable", err)
	}
}

// The pod security admission of the API server judges the pods; of the static pod, which
// is on the host's network as kubeadm made it, vicinal's container alone.
func (f *fixture) podSecurity(t *testing.T) {
	create := func(pod *corev1.Pod) error {
		_, err := f.cp.Admin.CoreV1().Pods(restricted).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	for _, v := range variants {
		pod := v.pod(t)
		vicinal := container(t, pod, "vicinal")
		if context := vicinal.SecurityContext; context == nil || context.ReadOnlyRootFilesystem == nil || !*context.ReadOnlyRootFilesystem {
			t.Errorf("%s: the root filesystem of vicinal is writable", v.name)
		}
		if v.staticPod != "" {
			vicinal.VolumeMounts = nil
			vicinal.LivenessProbe.HTTPGet.Host, vicinal.ReadinessProbe.HTTPGet.Host = "", ""
			init := pod.Spec.InitContainers[0]
			init.VolumeMounts = nil
			pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "vicinal"}, Spec: corev1.PodSpec{InitContainers: []corev1.Container{init}, Containers: []corev1.Container{*vicinal}}}
		}
		pod.Namespace = ""
		if err := create(pod); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		container(t, pod, "vicinal").SecurityContext = nil
		if err := create(pod); err == nil {
			t.Errorf("%s: accepted without its security context: nothing is enforced here", v.name)
		}
	}
}

// With all overlays applied.
func (f *fixture) vicinalRights(t *testing.T) {
	for name, login := range map[string]func(string) kubernetes.Interface{"user": f.user(t), "service account": f.serviceAccount(t)} {
		want := map[string]bool{"create api/v1/pods/binding": true, "patch api/v1/pods/status": true}
		for _, resource := range watched.Resources {
			for _, verb := range []string{"get", "list", "watch"} {
				want[verb+" "+resource.Path()] = true
			}
		}
		wantRights(t, name, login, "vicinal", want)
	}
}

// The API server says in its answers by which FlowSchema and at which level it served.
func (f *fixture) flowSchema(t *testing.T) {
	schemas := f.cp.Admin.FlowcontrolV1().FlowSchemas()
	own, err := schemas.Get(t.Context(), "vicinal", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	served := func(account kubernetes.Interface) (schema, level string) {
		client := account.CoreV1().RESTClient().(*rest.RESTClient).Client
		response, err := client.Get(f.cp.URL + "/api/v1/nodes")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), response.Header.Get("X-Kubernetes-PF-PriorityLevel-UID")
	}
	_, want := served(f.user(t)("system:kube-scheduler"))
	for name, account := range map[string]kubernetes.Interface{
		"user":             f.user(t)("vicinal"),
		"service account":  f.serviceAccount(t)("vicinal"),
		"second scheduler": f.serviceAccount(t)("vicinal-scheduler"),
	} {
		// The API server takes a moment to see a new FlowSchema.
		harness.Eventually(t, 30*time.Second, name+" is served by the FlowSchema vicinal", func() string {
			if schema, level := served(account); schema != string(own.UID) || level != want || want == "" {
				return fmt.Sprintf("FlowSchema %q, want %q; level %q, want %q", schema, own.UID, level, want)
			}
			return ""
		})
	}
}

func (f *fixture) secondSchedulerRights(t *testing.T) {
	account := f.serviceAccount(t)("vicinal-scheduler")
	want := ownRights(t, f.user(t), "system:kube-scheduler")
	wantRights(t, "service account", f.serviceAccount(t), "vicinal-scheduler", want)
	for _, needed := range []string{"pods", "nodes", "namespaces", "services", "replicationcontrollers"} {
		if !want["watch api/v1/"+needed] {
			t.Errorf("kube-scheduler may not watch %s, so vicinal in its pod may not either", needed)
		}
	}
	lease := authorizationv1.ResourceAttributes{Group: "coordination.k8s.io", Resource: "leases", Namespace: "kube-system", Name: "vicinal-scheduler"}
	for _, test := range []struct {
		verb, namespace, name string
		want                  bool
	}{
		{"get", "kube-system", "vicinal-scheduler", true},
		{"update", "kube-system", "vicinal-scheduler", true},
		{"delete", "kube-system", "vicinal-scheduler", false},
		{"update", "kube-system", "kube-controller-manager", false},
		{"update", "default", "vicinal-scheduler", false},
	} {
		lease.Verb, lease.Namespace, lease.Name = test.verb, test.namespace, test.name
		if got := harness.May(t, account, lease); got != test.want {
			t.Errorf("%s lease %s/%s: %v, want %v", test.verb, test.namespace, test.name, got, test.want)
		}
	}
}

func (f *fixture) user(t *testing.T) func(string) kubernetes.Interface {
	return func(name string) kubernetes.Interface { return f.cp.ClientOfUser(t, name) }
}

func (f *fixture) serviceAccount(t *testing.T) func(string) kubernetes.Interface {
	return func(name string) kubernetes.Interface {
		return f.cp.ClientOfServiceAccount(t, metav1.NamespaceSystem, name)
	}
}

// ownRights are those that not every account of that sort has.
func ownRights(t *testing.T, login func(string) kubernetes.Interface, name string) map[string]bool {
	t.Helper()
	anyone := harness.Rights(t, login("nobody"))
	rights := harness.Rights(t, login(name))
	maps.DeleteFunc(rights, func(right string, _ bool) bool { return anyone[right] })
	return rights
}

func wantRights(t *testing.T, sort string, login func(string) kubernetes.Interface, name string, want map[string]bool) {
	t.Helper()
	got := ownRights(t, login, name)
	for _, right := range slices.Sorted(maps.Keys(got)) {
		if !want[right] {
			t.Errorf("%s %s may %s, and need not", sort, name, right)
		}
	}
	for _, right := range slices.Sorted(maps.Keys(want)) {
		if !got[right] {
			t.Errorf("%s %s may not %s", sort, name, right)
		}
	}
}

// startPod starts what a variant's pod would: the init container, vicinal, and the
// scheduler, with the arguments and the configuration of the manifests. Only addresses
// and the places of files are others. With an authority, its certificates are in the place
// of the init container's, and vicinal has its revocation list.
func (f *fixture) startPod(t *testing.T, v variant, name, schedulerKubeconfig, vicinalKubeconfig string, authority *harness.Authority) (*harness.Scheduler, *harness.Vicinal) {
	t.Helper()
	pod, run := v.pod(t), f.cp.Run
	directory, configFile := run.Path(name+"-tls"), run.Path(name+"-profile.yaml")
	here := strings.NewReplacer("/run/vicinal/tls", directory, "/etc/vicinal/kube-scheduler-config.yaml", configFile,
		"/etc/kubernetes/vicinal/kube-scheduler-config.yaml", configFile)
	content := here.Replace(v.schedulerConfig(t))
	if err := os.WriteFile(configFile, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--kubeconfig=" + vicinalKubeconfig, "--grpc-listen-address=none"} // the default
	if authority == nil {
		runInitContainer(t, pod, here)
	} else {
		fill(t, directory, authority)
		args = append(args, "--client-crl-file="+authority.WriteCRL(t))
	}
	for _, arg := range container(t, pod, "vicinal").Args[1:] {
		if strings.HasPrefix(arg, "--grpc-listen-address=") {
			t.Errorf("gRPC is on: %s", arg)
		}
		if arg != "--in-cluster" && !strings.HasPrefix(arg, "--kubeconfig=") && !strings.Contains(arg, "listen-address=") {
			args = append(args, here.Replace(arg))
		}
	}
	vicinal := harness.StartVicinal(t, run, args...)
	vicinal.UseCertificates(t, directory)
	vicinal.WaitReady(t)
	return f.cp.StartScheduler(t, name, schedulerKubeconfig, harness.FillInConfig(t, []byte(content), schedulerKubeconfig, vicinal.ExtenderURL())), vicinal
}

func runInitContainer(t *testing.T, pod *corev1.Pod, here *strings.Replacer) {
	t.Helper()
	if len(pod.Spec.InitContainers) != 1 {
		t.Fatalf("%d init containers, want one", len(pod.Spec.InitContainers))
	}
	var init []string
	for _, arg := range pod.Spec.InitContainers[0].Args {
		init = append(init, here.Replace(arg))
	}
	if output, err := exec.Command(harness.VicinalBinary(t), init...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", init, err, output)
	}
}

func (f *fixture) secondSchedulersKubeconfig(t *testing.T) string {
	t.Helper()
	token := f.cp.ServiceAccountToken(t, metav1.NamespaceSystem, "vicinal-scheduler")
	return f.cp.Kubeconfig(t, "vicinal-scheduler", f.cp.URL, &clientcmdapi.AuthInfo{Token: token})
}

// Two replicas with the configuration and the account of overlays/second-scheduler.
func (f *fixture) secondSchedulerRuns(t *testing.T) {
	v := variants[2]
	kubeconfig := f.secondSchedulersKubeconfig(t)
	start := func(name string) (*harness.Scheduler, *harness.Vicinal) {
		return f.startPod(t, v, name, kubeconfig, kubeconfig, nil)
	}
	observer := f.cp.StartObserver(t)
	f.addNodes(t)
	place := func(name string) *corev1.Pod {
		t.Helper()
		pod := harness.PodOf("alone")
		pod.GenerateName, pod.Name = "", name
		pod.Spec.SchedulerName = "vicinal-scheduler"
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo("alone", corev1.LabelHostname)},
		}}
		created, err := f.cp.Admin.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return observer.WaitOutcome(t, created, harness.OutcomeTimeout)
	}
	leader, leadersVicinal := start("leader")
	first := place("first")
	standby, standbysVicinal := start("standby")
	leader.Kill()
	leadersVicinal.Kill()
	observer.WaitSeen(t, standbysVicinal)
	f.othersGetNothing(t, standbysVicinal, f.strangers(t, f.cp.Run.Path("leader-tls")))
	second := place("second")
	if first.Spec.NodeName == "" || second.Spec.NodeName == "" || first.Spec.NodeName == second.Spec.NodeName {
		t.Errorf("first runs on %q, second on %q, want two nodes", first.Spec.NodeName, second.Spec.NodeName)
	}
	if third := place("third"); third.Spec.NodeName != "" {
		t.Errorf("a third pod runs on %s", third.Spec.NodeName)
	}
	lease, err := f.cp.Admin.CoordinationV1().Leases("kube-system").Get(t.Context(), "vicinal-scheduler", metav1.GetOptions{})
	if err != nil || lease.Spec.LeaseTransitions == nil || *lease.Spec.LeaseTransitions != 1 {
		content, _ := json.Marshal(lease.Spec)
		t.Errorf("lease %s %v, want one transition", content, err)
	}
	if code, err := standby.Terminate(20 * time.Second); err != nil {
		t.Error(fmt.Errorf("standby: exit code %d: %w", code, err))
	}
}
