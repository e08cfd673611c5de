// Package monitoring checks manifests/monitoring with promtool and against what a
// running vicinal exports.
package monitoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

const (
	alertsFile    = "manifests/monitoring/alerts.yaml"
	dashboardFile = "manifests/monitoring/dashboard.json"
	examplesFile  = "test/e2e/monitoring/alerts_test.yaml"
)

type rule struct {
	Record string `json:"record,omitempty"`
	Alert  string `json:"alert,omitempty"`
	Expr   string `json:"expr"`
}

type rules struct {
	Groups []group `json:"groups"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type dashboard struct {
	Panels []struct {
		Title   string `json:"title"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

func TestAlertRulesAreValidAndFireAsTheirExamplesSay(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{"alerts.yaml": alertsFile, "alerts_test.yaml": examplesFile} {
		if err := os.WriteFile(filepath.Join(dir, name), read(t, source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	promtool(t, nil, "check", "rules", "--lint-fatal", filepath.Join(dir, "alerts.yaml"))
	promtool(t, nil, "test", "rules", filepath.Join(dir, "alerts_test.yaml"))
}

func TestEveryAlertHasAnExampleInWhichItFires(t *testing.T) {
	var examples struct {
		Tests []struct {
			AlertRuleTest []struct {
				Alertname string
				ExpAlerts []any `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal(read(t, examplesFile), &examples); err != nil {
		t.Fatal(err)
	}
	fires := map[string]bool{}
	for _, test := range examples.Tests {
		for _, example := range test.AlertRuleTest {
			fires[example.Alertname] = fires[example.Alertname] || len(example.ExpAlerts) > 0
		}
	}
	for _, alert := range alerts(t) {
		if !fires[alert.Alert] {
			t.Errorf("%s: no example of it firing in %s", alert.Alert, examplesFile)
		}
	}
}

func TestDashboardExpressionsAreValid(t *testing.T) {
	var all rules
	all.Groups = []group{{Name: "dashboard"}}
	for i, expression := range dashboardExpressions(t) {
		expression = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(expression)
		all.Groups[0].Rules = append(all.Groups[0].Rules, rule{Record: fmt.Sprintf("dashboard:expression_%d", i), Expr: expression})
	}
	if len(all.Groups[0].Rules) < 10 {
		t.Fatalf("only %d expressions found in %s", len(all.Groups[0].Rules), dashboardFile)
	}
	content, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, nil, "check", "rules", path)
}

func TestMetricsAreWellFormedAndThoseThatAreNamedExist(t *testing.T) {
	text := exported(t)
	promtool(t, text, "check", "metrics")
	series := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^([a-z_]+)[{ ]`).FindAllSubmatch(text, -1) {
		series[string(match[1])] = true
	}
	named := map[string]bool{}
	for _, alert := range alerts(t) {
		addMetrics(named, alert.Expr)
	}
	for _, expression := range dashboardExpressions(t) {
		addMetrics(named, expression)
	}
	// Only with a client certificate, which none here has.
	delete(named, "vicinal_client_certificate_expiration_seconds")
	for name := range named {
		if strings.HasPrefix(name, pluginPrefix) {
			continue // of another program, and another test
		}
		if !series[name] {
			t.Errorf("%s is in the dashboard or an alert, but not among the metrics %v", name, slices.Sorted(maps.Keys(series)))
		}
	}
	for name := range series {
		if !named[strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_sum")+"_bucket"] && !named[name] && name != "process_start_time_seconds" {
			t.Errorf("%s is exported and neither in the dashboard nor in an alert", name)
		}
	}
}

const pluginPrefix = "vicinal_plugin_"

// The scheduler's plugin and `vicinal serve-plugin` have theirs in the tables of their
// texts.
func TestTheMetricsOfThePluginAreNamedAsItsTextsSay(t *testing.T) {
	tables := map[string]bool{}
	for _, text := range []string{"server/README.md", "server/scheduler-plugin/README.md"} {
		for line := range strings.Lines(string(read(t, text))) {
			if strings.HasPrefix(line, "| `"+pluginPrefix) {
				addMetrics(tables, strings.SplitN(line, "|", 3)[1])
			}
		}
	}
	named := map[string]bool{}
	for _, alert := range alerts(t) {
		addMetrics(named, alert.Expr)
	}
	for _, expression := range dashboardExpressions(t) {
		addMetrics(named, expression)
	}
	for name := range named {
		name = strings.TrimSuffix(name, "_bucket")
		if strings.HasPrefix(name, pluginPrefix) && !tables[name] {
			t.Errorf("%s is in the dashboard or an alert, and in no table of %v", name, slices.Sorted(maps.Keys(tables)))
		}
	}
	for name := range tables {
		if !named[name] && !named[name+"_bucket"] {
			t.Errorf("%s is neither in the dashboard nor in an alert", name)
		}
	}
}

var metricName = regexp.MustCompile(`\b(?:vicinal|process)_[a-z_]+`)

func addMetrics(set map[string]bool, expression string) {
	for _, name := range metricName.FindAllString(expression, -1) {
		set[name] = true
	}
}

// exported is /metrics of a vicinal that watches an API server (which is not there)
// and has been asked.
func exported(t *testing.T) []byte {
	t.Helper()
	run := harness.NewRun(t)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: fmt.Sprintf("http://127.0.0.1:%d", harness.FreePort(t))}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	if err := clientcmd.WriteToFile(*config, run.Path("kubeconfig")); err != nil {
		t.Fatal(err)
	}
	v := harness.StartVicinal(t, run, "--kubeconfig="+run.Path("kubeconfig"), "--decision-log="+run.Path("decisions.jsonl"))
	if code, _, err := v.Filter(harness.PodOf("web"), "n1"); code != http.StatusServiceUnavailable || err != nil {
		t.Fatalf("filter: %d %v", code, err)
	}
	if problem := v.Bind(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "u1"}}, "n1"); problem == "" {
		t.Fatal("bind: no error")
	}
	callOverGRPC(t, v)
	var text []byte
	// The first scrape asks for a look at the rules.
	harness.Eventually(t, time.Minute, "the rules have been looked at", func() string {
		response, err := http.Get("http://" + v.AdminAddress + "/metrics")
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		if text, err = io.ReadAll(response.Body); err != nil {
			return err.Error()
		}
		if !bytes.Contains(text, []byte("vicinal_spread_skew{")) {
			return "there are no metrics about them"
		}
		return ""
	})
	return text
}

// callOverGRPC asks without saying what; the answer is an error, and counted.
func callOverGRPC(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	connection, err := grpc.NewClient(v.GRPCAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	var nothing grpc_health_v1.HealthCheckRequest // Any empty message.
	if err := connection.Invoke(t.Context(), "/vicinal.v1.Extender/Filter", &nothing, &nothing); status.Code(err) == codes.OK {
		t.Fatal("Filter: no error")
	}
}

func alerts(t *testing.T) []rule {
	t.Helper()
	var all rules
	if err := yaml.Unmarshal(read(t, alertsFile), &all); err != nil {
		t.Fatal(err)
	}
	var alerts []rule
	for _, group := range all.Groups {
		alerts = append(alerts, group.Rules...)
	}
	if len(alerts) == 0 {
		t.Fatalf("%s: no rules", alertsFile)
	}
	return alerts
}

// dashboardExpressions are those of the panels.
func dashboardExpressions(t *testing.T) []string {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, dashboardFile), &d); err != nil {
		t.Fatal(err)
	}
	var expressions []string
	for _, panel := range d.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(harness.RepositoryFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func promtool(t *testing.T, stdin []byte, args ...string) {
	t.Helper()
	command := exec.Command("promtool", args...)
	command.Stdin = bytes.NewReader(stdin)
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}
