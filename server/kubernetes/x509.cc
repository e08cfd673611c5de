#include "server/kubernetes/x509.h"

#include <glog/logging.h>
#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace vicinal {
namespace {

constexpr int kSerialBits = 159;  // Positive, and at most 20 bytes.

// Days and seconds apart: seconds alone overflow where long has 32 bits.
void SetTime(ASN1_TIME* time, std::chrono::hours from_now) {
  const auto days = std::chrono::floor<std::chrono::days>(from_now);
  CHECK(X509_time_adj_ex(time, static_cast<int>(days.count()),
                         std::chrono::seconds(from_now - days).count(),
                         nullptr) != nullptr);
}

}  // namespace

KeyPair DraftCertificate(const std::string& common_name,
                         std::chrono::hours valid_from,
                         std::chrono::hours valid_until) {
  KeyPair pair{Certificate(X509_new()), Key(EVP_EC_gen("P-256"))};
  CHECK(pair.certificate != nullptr && pair.key != nullptr);
  X509* const certificate = pair.certificate.get();
  CHECK_EQ(X509_set_version(certificate, X509_VERSION_3), 1);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> serial(BN_new(), BN_free);
  CHECK_EQ(
      BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY),
      1);
  CHECK(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) !=
        nullptr);
  SetTime(X509_getm_notBefore(certificate), valid_from);
  SetTime(X509_getm_notAfter(certificate), valid_until);
  CHECK_EQ(X509_set_pubkey(certificate, pair.key.get()), 1);
  CHECK_EQ(X509_NAME_add_entry_by_txt(
               X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
               -1, 0),
           1);
  return pair;
}

void AddExtension(KeyPair& pair, const KeyPair& issuer, int nid,
                  const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer.certificate.get(), pair.certificate.get(),
                 nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)>
      extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()),
                X509_EXTENSION_free);
  CHECK(extension != nullptr) << value;
  CHECK_EQ(X509_add_ext(pair.certificate.get(), extension.get(), -1), 1);
}

void Sign(KeyPair& pair, const KeyPair& issuer) {
  CHECK_EQ(
      X509_set_issuer_name(pair.certificate.get(),
                           X509_get_subject_name(issuer.certificate.get())),
      1);
  AddExtension(pair, issuer, NID_subject_key_identifier, "hash");
  AddExtension(pair, issuer, NID_authority_key_identifier, "keyid:always");
  CHECK_GT(X509_sign(pair.certificate.get(), issuer.key.get(), EVP_sha256()),
           0);
}

Bio ReadFrom(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Contents(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
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

Certificate CertificateFromPem(const std::string& pem) {
  return Certificate(
      PEM_read_bio_X509(ReadFrom(pem).get(), nullptr, nullptr, nullptr));
}

Key KeyFromPem(const std::string& pem) {
  return Key(
      PEM_read_bio_PrivateKey(ReadFrom(pem).get(), nullptr, nullptr, nullptr));
}

std::string CommonNameOf(const X509& certificate) {
  X509_NAME* const subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) {
    return "";
  }
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(
      &text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return "";
  std::string name(reinterpret_cast<const char*>(text),
                   static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return name;
}

}  // namespace vicinal
