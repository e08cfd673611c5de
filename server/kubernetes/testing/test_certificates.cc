#include "server/kubernetes/testing/test_certificates.h"

#include <glog/logging.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "server/kubernetes/x509.h"

namespace vicinal {
namespace {

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
