package explain

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
)

// runWith returns what a program writes, with these variables, and its exit code.
func runWith(t *testing.T, environment []string, input, program string, args ...string) (output string, code int) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// credentialPlugin writes a program that prints the client certificate of a user.
func credentialPlugin(t *testing.T, cp *harness.ControlPlane, user *clientcmdapi.AuthInfo) *clientcmdapi.ExecConfig {
	t.Helper()
	script := fmt.Sprintf(`#!/bin/sh
cat <<'CREDENTIAL'
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status":
 {"clientCertificateData": %q, "clientKeyData": %q, "expirationTimestamp": "2999-01-01T00:00:00Z"}}
CREDENTIAL
`, user.ClientCertificateData, user.ClientKeyData)
	path := cp.Run.Path("credential-plugin")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: path, InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
}

func TestKubectlRunsVicinalOnItsOwnCluster(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	fill(t, cp)
	deployment := harness.LoadManifest(t, harness.RepositoryFile(t, "test/scenarios/s2/checkout-redis.yaml"))[0].(*appsv1.Deployment)
	if _, err := cp.Admin.AppsV1().Deployments(deployment.Namespace).Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	admin := cp.ClientCertificate(t, "e2e-admin", "system:masters")
	kubeconfig := cp.Kubeconfig(t, "with-plugin", cp.URL, &clientcmdapi.AuthInfo{Exec: credentialPlugin(t, cp, admin)})
	programs := t.TempDir()
	for _, name := range []string{"kubectl-vicinal", "kubectl_complete-vicinal"} {
		if err := os.Symlink(harness.VicinalBinary(t), filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"KUBECONFIG=/no/such/file:" + kubeconfig, "PATH=" + programs + ":" + os.Getenv("PATH")}
	kubectl := harness.KubeBinary(t, "kubectl")

	output, code := runWith(t, environment, "", kubectl, "vicinal", "explain", "deployment/checkout-redis", "-n", "checkout")
	if code != fitsNowhere || !strings.Contains(output, "Deployment checkout/checkout-redis: fits on none of 2 nodes") {
		t.Errorf("exit code %d: %s", code, output)
	}
	output, code = runWith(t, environment, "", kubectl, "vicinal", "explain", "deployment/checkout-rdeis", "-n", "checkout")
	if code != 1 || !strings.Contains(output, "did you mean checkout-redis?") {
		t.Errorf("exit code %d: %s", code, output)
	}
	output, code = runWith(t, environment, "", kubectl, "vicinal", "simulate", "-n", "checkout", "scale deployment/checkout-redis=0")
	if code != 0 || !strings.HasPrefix(output, "0 moved") {
		t.Errorf("exit code %d: %s", code, output)
	}
	// On standard error kubectl says how it looks for the plugin.
	output, _ = runWith(t, environment, "", "sh", "-c", `"$0" __complete vicinal expl 2>/dev/null`, kubectl)
	if !strings.HasPrefix(output, "explain\n") {
		t.Errorf("kubectl completes %q", output)
	}
}

func TestTheShellsCommandLine(t *testing.T) {
	vicinal := harness.VicinalBinary(t)
	cluster := harness.RepositoryFile(t, "test/e2e/page/testdata/cluster.yaml")
	web := harness.RepositoryFile(t, "test/e2e/page/testdata/web.yaml")
	text, err := os.ReadFile(cluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		input string
		code  int
		want  string
	}{
		{args: []string{"--version"}, want: "vicinal "},
		{args: []string{"exlain"}, code: 2, want: `unknown command "exlain"; did you mean explain?`},
		{args: []string{"--foo"}, code: 2, want: `unknown flag "--foo"`},
		{args: []string{"explain", "--filenam", "x"}, code: 2, want: `unknown flag "--filenam"; did you mean --filename?`},
		{args: []string{"simulate", "--cluster-file", "-", "drain w1"}, input: string(text), want: " moved, "},
		{args: []string{"explain", "--cluster-file", "-", "pod/web-4", "-n", "shop"}, input: string(text), want: "Pod shop/web-4: "},
		{args: []string{"simulate", "--fail-on-pending", "--cluster-file", cluster, "apply " + web}, code: 4, want: "1 pending"},
		{args: []string{"completion", "bash"}, want: "complete -o default -F _vicinal"},
	} {
		output, code := runWith(t, []string{"KUBECONFIG=/no/such/file"}, c.input, vicinal, c.args...)
		if code == fitsNowhere {
			code = 0
		}
		if code != c.code || !strings.Contains(output, c.want) {
			t.Errorf("%v: exit code %d, %q does not say %q", c.args, code, output, c.want)
		}
	}
	script := `source <("$VICINAL_BIN" completion bash); COMP_WORDS=("$VICINAL_BIN" simulate --fail); COMP_CWORD=2; _vicinal; echo "${COMPREPLY[@]}"`
	if output, _ := runWith(t, []string{"VICINAL_BIN=" + vicinal}, "", "bash", "-c", script); output != "--fail-on-pending\n" {
		t.Errorf("bash completes %q", output)
	}
}
