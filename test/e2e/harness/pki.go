package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"testing"
	"time"
)

// Authority is a certificate authority made for one run.
type Authority struct {
	run    *Run
	key    *ecdsa.PrivateKey
	cert   *x509.Certificate
	CAFile string
	CAPEM  []byte
}

// Pair is a certificate with its key, as PEM and in files of the run.
type Pair struct {
	CertPEM, KeyPEM   []byte
	CertFile, KeyFile string
}

// NewAuthority makes an authority whose files are in run.
func NewAuthority(t testing.TB, run *Run) *Authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "vicinal-e2e-ca"},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a := &Authority{run: run, key: key, cert: cert, CAFile: run.Path("ca.crt"), CAPEM: pemBlock("CERTIFICATE", der)}
	writeFile(t, a.CAFile, a.CAPEM)
	return a
}

// Server is a certificate of a server on 127.0.0.1 that may also be used as a
// client (etcd's gateway dials etcd itself).
func (a *Authority) Server(t testing.TB, name string) Pair {
	t.Helper()
	return a.issue(t, name, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// Client is a certificate of the API user of that name and groups.
func (a *Authority) Client(t testing.TB, user string, groups ...string) Pair {
	t.Helper()
	return a.issue(t, user, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// ExpiredClient is a certificate of that user whose validity is over.
func (a *Authority) ExpiredClient(t testing.TB, user string) Pair {
	t.Helper()
	return a.issue(t, "expired-"+user, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user},
		NotBefore:   time.Now().Add(-2 * time.Hour),
		NotAfter:    time.Now().Add(-time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// WriteCRL writes the authority's list of the certificates that it has revoked, in the
// place of the list that is there, and returns the file.
func (a *Authority) WriteCRL(t testing.TB, revoked ...Pair) string {
	t.Helper()
	list := &x509.RevocationList{Number: big.NewInt(time.Now().UnixNano()), ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(24 * time.Hour)}
	for _, p := range revoked {
		block, _ := pem.Decode(p.CertPEM)
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: cert.SerialNumber, RevocationTime: list.ThisUpdate})
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	path := a.run.Path("ca.crl")
	writeFile(t, path+".new", pemBlock("X509 CRL", der))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// PairOf is a certificate and its key, in no files.
func PairOf(t testing.TB, der []byte, key *ecdsa.PrivateKey) Pair {
	t.Helper()
	return Pair{CertPEM: pemBlock("CERTIFICATE", der), KeyPEM: keyPEM(t, key)}
}

// issue signs a certificate, valid from now for a day unless the template says otherwise.
func (a *Authority) issue(t testing.TB, name string, template *x509.Certificate) Pair {
	t.Helper()
	key := newKey(t)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial
	if template.NotAfter.IsZero() {
		template.NotBefore = time.Now().Add(-time.Minute)
		template.NotAfter = time.Now().Add(24 * time.Hour)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	p := Pair{
		CertPEM:  pemBlock("CERTIFICATE", der),
		KeyPEM:   keyPEM(t, key),
		CertFile: a.run.Path(name + ".crt"),
		KeyFile:  a.run.Path(name + ".key"),
	}
	writeFile(t, p.CertFile, p.CertPEM)
	writeFile(t, p.KeyFile, p.KeyPEM)
	return p
}

// TLSConfig trusts this authority and shows the client certificate p.
func (a *Authority) TLSConfig(t testing.TB, p Pair) *tls.Config {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	pair, err := tls.X509KeyPair(p.CertPEM, p.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keyPEM is in the SEC 1 form: kube-apiserver reads no other for the key of
// service account tokens.
func keyPEM(t testing.TB, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pemBlock("EC PRIVATE KEY", der)
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func writeFile(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
