#include "server/kubernetes/testing/test_certificates.h"

#include <glog/logging.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "server/kubernetes/x509.h"

namespace vicinal {
namespace {

struct Deleter {
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(ASN1_TIME* time) const { ASN1_TIME_free(time); }
};

TestCertificate Written(const KeyPair& pair) {
  return {ToPem(*pair.certificate), ToPem(*pair.key)};
}

std::string AlternativeNames(const TestCertificateSpec& spec) {
  std::string names;
  for (const std::string& dns : spec.dns_names)
    names += (names.empty() ? "DNS:" : ",DNS:") + dns;
  for (const std::string& ip : spec.ip_addresses)
    names += (names.empty() ? "IP:" : ",IP:") + ip;
  return names;
}

}  // namespace

TestCertificate MakeTestAuthority(const std::string& common_name) {
  const TestCertificateSpec spec;
  KeyPair pair =
      DraftCertificate(common_name, spec.valid_from, spec.valid_until);
  AddExtension(pair, pair, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(pair, pair, NID_key_usage, "critical,keyCertSign,cRLSign");
  Sign(pair, pair);
  return Written(pair);
}

TestCertificate IssueTestCertificate(const TestCertificate& authority,
                                     const TestCertificateSpec& spec) {
  const KeyPair issuer = {CertificateFromPem(authority.certificate_pem),
                          KeyFromPem(authority.key_pem)};
  CHECK(issuer.certificate != nullptr && issuer.key != nullptr);
  KeyPair pair =
      DraftCertificate(spec.common_name, spec.valid_from, spec.valid_until);
  AddExtension(pair, issuer, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(pair, issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  const std::string names = AlternativeNames(spec);
  if (!names.empty()) AddExtension(pair, issuer, NID_subject_alt_name, names);
  Sign(pair, issuer);
  return Written(pair);
}

std::string MakeTestRevocationList(const TestCertificate& authority,
                                   const std::vector<TestCertificate>& revoked,
                                   std::chrono::hours valid_until) {
  const Certificate issuer = CertificateFromPem(authority.certificate_pem);
  const Key key = KeyFromPem(authority.key_pem);
  const std::unique_ptr<X509_CRL, Deleter> list(X509_CRL_new());
  const std::unique_ptr<ASN1_TIME, Deleter> time(ASN1_TIME_new());
  CHECK_EQ(X509_CRL_set_version(list.get(), X509_CRL_VERSION_2), 1);
  CHECK_EQ(
      X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer.get())),
      1);
  X509_gmtime_adj(time.get(), -2 * 3600L);
  CHECK_EQ(X509_CRL_set1_lastUpdate(list.get(), time.get()), 1);
  for (const TestCertificate& one : revoked) {
    const Certificate certificate = CertificateFromPem(one.certificate_pem);
    X509_REVOKED* const entry = X509_REVOKED_new();
    CHECK_EQ(X509_REVOKED_set_serialNumber(
                 entry, X509_get_serialNumber(certificate.get())),
             1);
    CHECK_EQ(X509_REVOKED_set_revocationDate(entry, time.get()), 1);
    CHECK_EQ(X509_CRL_add0_revoked(list.get(), entry), 1);
  }
  X509_gmtime_adj(time.get(), std::chrono::seconds(valid_until).count());
  CHECK_EQ(X509_CRL_set1_nextUpdate(list.get(), time.get()), 1);
  CHECK_GT(X509_CRL_sign(list.get(), key.get(), EVP_sha256()), 0);
  const Bio bio(BIO_new(BIO_s_mem()));
  CHECK_EQ(PEM_write_bio_X509_CRL(bio.get(), list.get()), 1);
  return Contents(*bio);
}

std::string EncryptTestKey(const TestCertificate& certificate,
                           const std::string& pass_phrase) {
  const Key key = KeyFromPem(certificate.key_pem);
  const Bio bio(BIO_new(BIO_s_mem()));
  CHECK_EQ(PEM_write_bio_PrivateKey(
               bio.get(), key.get(), EVP_aes_128_cbc(),
               reinterpret_cast<const unsigned char*>(pass_phrase.data()),
               static_cast<int>(pass_phrase.size()), nullptr, nullptr),
           1);
  return Contents(*bio);
}

}  // namespace vicinal
