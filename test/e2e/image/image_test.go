// Package image runs vicinal in a chroot of nothing but the files of its image, as the
// user of the image. There is no Docker here; what is tested are the Dockerfile's own
// commands and manifests/image-root, which lists the files.
package image

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// The first stage must do what a fresh machine does.
func TestDockerfileTakesTheStepsOfAFreshMachine(t *testing.T) {
	build := "bazel build -c opt //server:vicinal"
	want := []string{
		"server/install", build, "manifests/image-root bazel-bin/server/vicinal /image",
		"apt-get update && apt-get install -y --no-install-recommends protobuf-compiler", "/src/server/scheduler-plugin/build /kube-scheduler $RELEASE",
	}
	if got := instructions(t, "RUN"); !slices.Equal(got, want) {
		t.Errorf("RUN %q, want %q", got, want)
	}
	run, err := os.ReadFile(harness.RepositoryFile(t, "server/run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range want[:2] {
		if !strings.Contains(string(run), "\n"+step+"\n") {
			t.Errorf("server/run does not say %q", step)
		}
	}
}

func TestBinaryRunsWithTheFilesOfTheImageOnly(t *testing.T) {
	root := imageRoot(t)
	output, err := inside(t, root, "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(output), "serve") {
		t.Fatalf("--help: %v\n%s", err, output)
	}
}

func TestServesInsideTheImage(t *testing.T) {
	extender, admin := serve(t, imageRoot(t), "--sample")
	for url, want := range map[string]int{admin + "/readyz": 200, admin + "/metrics": 200, extender + "/ponder": 404} {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s, want %d", url, response.Status, want)
		}
	}
	response, err := http.Post(extender+"/filter", "application/json",
		strings.NewReader(`{"Pod":{"metadata":{"name":"p","namespace":"default"},"spec":{}},"NodeNames":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("filter: %s", response.Status)
	}
}

// Name lookup loads files at run time, which no linker knows of.
func TestLooksUpTheAPIServersNameInsideTheImage(t *testing.T) {
	root := imageRoot(t)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", harness.FreePort(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	write(t, root, "etc/hosts", "127.0.0.1 api.example\n") // as kubelet does
	write(t, root, "kubeconfig", `{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],`+
		`"clusters":[{"name":"c","cluster":{"server":"http://api.example:`+port+`"}}]}`)
	serve(t, root, "--kubeconfig=/kubeconfig", "--allow-anonymous-clients")
	accepted := make(chan error, 1)
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			connection.Close()
		}
		accepted <- err
	}()
	select {
	case err := <-accepted:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("vicinal does not connect to api.example")
	}
}

// imageRoot is the root folder of the image, made as the Dockerfile makes it.
func imageRoot(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can change the root folder")
	}
	root := t.TempDir()
	// Its parents belong to root alone.
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(harness.RepositoryFile(t, "manifests/image-root"), harness.VicinalBinary(t), root)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("image-root: %v\n%s", err, output)
	}
	return root
}

// inside is the entry point of the image, with its user and its root folder.
func inside(t *testing.T, root string, args ...string) *exec.Cmd {
	t.Helper()
	// The last stage is vicinal's; the one before it is a kube-scheduler's.
	if entry := instructions(t, "ENTRYPOINT"); len(entry) == 0 || entry[len(entry)-1] != `["/usr/bin/vicinal"]` {
		t.Fatalf("ENTRYPOINT %q", entry)
	}
	user := instructions(t, "USER")
	user = user[max(0, len(user)-1):]
	id, err := strconv.ParseUint(strings.TrimSuffix(user[0], ":"+strings.Split(user[0], ":")[0]), 10, 32)
	if err != nil || id == 0 || len(user) != 1 {
		t.Fatalf("USER %q: want one, a number and a group of the same number, and not root", user)
	}
	command := exec.Command("/usr/bin/vicinal", args...)
	command.Path = "/usr/bin/vicinal"
	command.Err = nil // it is looked up outside
	command.Dir = "/"
	command.Env = []string{}
	command.SysProcAttr = &syscall.SysProcAttr{
		Chroot:     root,
		Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id), NoSetGroups: false},
		Pdeathsig:  syscall.SIGKILL,
	}
	return command
}

var listening = regexp.MustCompile(`^listening extender=(\S+) admin=(\S+) grpc=\S+\n$`)

// serve starts `vicinal serve` inside and returns the URLs of its two listeners.
func serve(t *testing.T, root string, args ...string) (extender, admin string) {
	t.Helper()
	command := inside(t, root, append([]string{"serve", "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=127.0.0.1:0"}, args...)...)
	var log strings.Builder
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("vicinal's log:\n%s", log.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	match := listening.FindStringSubmatch(line)
	if match == nil {
		t.Fatalf("stdout %q %v", line, err)
	}
	return "http://" + match[1], "http://" + match[2]
}

// instructions are the arguments of the Dockerfile's instructions of that name.
func instructions(t *testing.T, name string) []string {
	t.Helper()
	content, err := os.ReadFile(harness.RepositoryFile(t, "manifests/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			found = append(found, strings.TrimSpace(rest))
		}
	}
	return found
}

func write(t *testing.T, root, path, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
