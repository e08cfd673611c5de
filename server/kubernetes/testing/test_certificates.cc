#include "server/kubernetes/testing/test_certificates.h"

#include <glog/logging.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace vicinal {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const {
    X509_EXTENSION_free(extension);
  }
};
using Bio = std::unique_ptr<BIO, Deleter>;
using Certificate = std::unique_ptr<X509, Deleter>;
using Key = std::unique_ptr<EVP_PKEY, Deleter>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter>;

std::string Contents(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string ToPem(X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  CHECK_EQ(PEM_write_bio_X509(bio.get(), &certificate), 1);
  return Contents(*bio);
}

std::string ToPem(EVP_PKEY& key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  CHECK_EQ(PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0,
                                    nullptr, nullptr),
           1);
  return Contents(*bio);
}

Bio ReadFrom(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate CertificateFrom(const std::string& pem) {
  return Certificate(
      PEM_read_bio_X509(ReadFrom(pem).get(), nullptr, nullptr, nullptr));
}

Key KeyFrom(const std::string& pem) {
  return Key(
      PEM_read_bio_PrivateKey(ReadFrom(pem).get(), nullptr, nullptr, nullptr));
}

void AddExtension(X509& certificate, X509& issuer, int nid,
                  const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  CHECK(extension != nullptr) << value;
  CHECK_EQ(X509_add_ext(&certificate, extension.get(), -1), 1);
}

// Everything but the extensions, the issuer and the signature.
Certificate Draft(const TestCertificateSpec& spec, EVP_PKEY& key) {
  Certificate certificate(X509_new());
  CHECK_EQ(X509_set_version(certificate.get(), 2), 1);
  unsigned char random[8];
  CHECK_EQ(RAND_bytes(random, sizeof(random)), 1);
  uint64_t serial = 1;
  for (const unsigned char byte : random) serial = (serial << 7) ^ byte;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()),
                  std::chrono::seconds(spec.valid_from).count());
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()),
                  std::chrono::seconds(spec.valid_until).count());
  CHECK_EQ(X509_set_pubkey(certificate.get(), &key), 1);
  CHECK_EQ(X509_NAME_add_entry_by_txt(
               X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
               reinterpret_cast<const unsigned char*>(spec.common_name.c_str()),
               -1, -1, 0),
           1);
  return certificate;
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
  const Key key(EVP_EC_gen("P-256"));
  CHECK(key != nullptr);
  const TestCertificateSpec spec = {
      .common_name = common_name, .dns_names = {}, .ip_addresses = {}};
  const Certificate certificate = Draft(spec, *key);
  X509_set_issuer_name(certificate.get(),
                       X509_get_subject_name(certificate.get()));
  AddExtension(*certificate, *certificate, NID_basic_constraints,
               "critical,CA:TRUE");
  AddExtension(*certificate, *certificate, NID_key_usage,
               "critical,keyCertSign,cRLSign");
  AddExtension(*certificate, *certificate, NID_subject_key_identifier, "hash");
  CHECK_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  return {ToPem(*certificate), ToPem(*key)};
}

TestCertificate IssueTestCertificate(const TestCertificate& authority,
                                     const TestCertificateSpec& spec) {
  const Certificate issuer = CertificateFrom(authority.certificate_pem);
  const Key issuer_key = KeyFrom(authority.key_pem);
  const Key key(EVP_EC_gen("P-256"));
  CHECK(issuer != nullptr && issuer_key != nullptr && key != nullptr);
  const Certificate certificate = Draft(spec, *key);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  AddExtension(*certificate, *issuer, NID_basic_constraints,
               "critical,CA:FALSE");
  AddExtension(*certificate, *issuer, NID_ext_key_usage,
               "serverAuth,clientAuth");
  AddExtension(*certificate, *issuer, NID_authority_key_identifier, "keyid");
  const std::string names = AlternativeNames(spec);
  if (!names.empty())
    AddExtension(*certificate, *issuer, NID_subject_alt_name, names);
  CHECK_GT(X509_sign(certificate.get(), issuer_key.get(), EVP_sha256()), 0);
  return {ToPem(*certificate), ToPem(*key)};
}

std::string EncryptTestKey(const TestCertificate& certificate,
                           const std::string& pass_phrase) {
  const Key key = KeyFrom(certificate.key_pem);
  const Bio bio(BIO_new(BIO_s_mem()));
  CHECK_EQ(PEM_write_bio_PrivateKey(
               bio.get(), key.get(), EVP_aes_128_cbc(),
               reinterpret_cast<const unsigned char*>(pass_phrase.data()),
               static_cast<int>(pass_phrase.size()), nullptr, nullptr),
           1);
  return Contents(*bio);
}

}  // namespace vicinal
