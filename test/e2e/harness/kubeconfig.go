package harness

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// Kubeconfig writes a kubeconfig file of this run: the API server at server (its
// own URL, or a proxy before it) and the credential.
func (cp *ControlPlane) Kubeconfig(t testing.TB, name, server string, credential *clientcmdapi.AuthInfo) string {
	t.Helper()
	return cp.KubeconfigOf(t, name, &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: cp.CA.CAPEM}, credential)
}

// KubeconfigOf writes one whose cluster need not be the run's own.
func (cp *ControlPlane) KubeconfigOf(t testing.TB, name string, cluster *clientcmdapi.Cluster, credential *clientcmdapi.AuthInfo) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = cluster
	config.AuthInfos[name] = credential
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: name}
	config.CurrentContext = "e2e"
	path := cp.Run.Path(name + ".kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func tokenRequest() *authenticationv1.TokenRequest {
	return &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](3600)}}
}

// VicinalKubeconfig is vicinal's own: the user of manifests/base/rbac.yaml.
func (cp *ControlPlane) VicinalKubeconfig(t testing.TB, server string) string {
	t.Helper()
	return cp.Kubeconfig(t, "vicinal", server, cp.ClientCertificate(t, "vicinal"))
}
