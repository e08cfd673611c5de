#include "server/commands/certificates/certificates.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/status/status.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const {
    X509_EXTENSION_free(extension);
  }
};
using Bio = std::unique_ptr<BIO, Deleter>;
using Certificate = std::unique_ptr<X509, Deleter>;
using Key = std::unique_ptr<EVP_PKEY, Deleter>;

// A clock that was ahead when the files were made must not refuse them.
constexpr std::chrono::hours kBackdated{1};
constexpr int kSerialBits = 159;  // Positive, and at most 20 bytes.

struct Pair {
  Certificate certificate;
  Key key;
};

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

void AddExtension(X509& certificate, X509& issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Deleter> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  CHECK(extension != nullptr) << value;
  CHECK_EQ(X509_add_ext(&certificate, extension.get(), -1), 1);
}

// Everything but the issuer, the extensions and the signature.
Pair Draft(const std::string& common_name, std::chrono::hours validity) {
  Pair pair{Certificate(X509_new()), Key(EVP_EC_gen("P-256"))};
  CHECK(pair.certificate != nullptr && pair.key != nullptr);
  X509* const certificate = pair.certificate.get();
  CHECK_EQ(X509_set_version(certificate, X509_VERSION_3), 1);
  const std::unique_ptr<BIGNUM, Deleter> serial(BN_new());
  CHECK_EQ(
      BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY),
      1);
  CHECK(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) !=
        nullptr);
  // Days and seconds apart: seconds alone overflow where long has 32 bits.
  CHECK(X509_gmtime_adj(X509_getm_notBefore(certificate),
                        -std::chrono::seconds(kBackdated).count()) != nullptr);
  const auto days = std::chrono::floor<std::chrono::days>(validity);
  CHECK(X509_time_adj_ex(
            X509_getm_notAfter(certificate), static_cast<int>(days.count()),
            std::chrono::seconds(validity - days).count(), nullptr) != nullptr);
  CHECK_EQ(X509_set_pubkey(certificate, pair.key.get()), 1);
  CHECK_EQ(X509_NAME_add_entry_by_txt(
               X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
               -1, 0),
           1);
  return pair;
}

void Sign(Pair& pair, const Pair& authority) {
  X509* const certificate = pair.certificate.get();
  X509* const issuer = authority.certificate.get();
  CHECK_EQ(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)), 1);
  AddExtension(*certificate, *issuer, NID_subject_key_identifier, "hash");
  AddExtension(*certificate, *issuer, NID_authority_key_identifier,
               "keyid:always");
  CHECK_GT(X509_sign(certificate, authority.key.get(), EVP_sha256()), 0);
}

Pair MakeAuthority(std::chrono::hours validity) {
  Pair authority = Draft("vicinal-ca", validity);
  X509& certificate = *authority.certificate;
  AddExtension(certificate, certificate, NID_basic_constraints,
               "critical,CA:TRUE,pathlen:0");
  AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign");
  Sign(authority, authority);
  return authority;
}

// `usage` is serverAuth or clientAuth.
Pair Issue(const Pair& authority, const std::string& common_name,
           const char* usage, const char* alternative_names,
           std::chrono::hours validity) {
  Pair pair = Draft(common_name, validity);
  X509& certificate = *pair.certificate;
  X509& issuer = *authority.certificate;
  AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(certificate, issuer, NID_key_usage, "critical,digitalSignature");
  AddExtension(certificate, issuer, NID_ext_key_usage, usage);
  if (alternative_names != nullptr) {
    AddExtension(certificate, issuer, NID_subject_alt_name, alternative_names);
  }
  Sign(pair, authority);
  return pair;
}

absl::Status At(const std::string& path, int error) {
  return absl::UnavailableError(path + ": " + std::strerror(error));
}

// Replaces the file in one step.
absl::Status Write(const std::string& path, const std::string& content) {
  const std::string draft = path + ".new";
  unlink(draft.c_str());
  const int file =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
           S_IRUSR | S_IWUSR);
  if (file < 0) return At(draft, errno);
  std::size_t written = 0;
  int error = 0;
  while (error == 0 && written < content.size()) {
    const ssize_t count =
        write(file, content.data() + written, content.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(file) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(draft.c_str(), path.c_str()) != 0) error = errno;
  return error == 0 ? absl::OkStatus() : At(draft, error);
}

Certificate ReadCertificate(const std::string& path) {
  const absl::StatusOr<std::string> pem = ReadSmallFile(path);
  if (!pem.ok()) return nullptr;
  const Bio bio(BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())));
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

Key ReadKey(const std::string& path) {
  const absl::StatusOr<std::string> pem = ReadSmallFile(path);
  if (!pem.ok()) return nullptr;
  const Bio bio(BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

// A third of the validity is left, and it has begun.
bool IsFresh(X509& certificate) {
  const ASN1_TIME* const begin = X509_get0_notBefore(&certificate);
  const ASN1_TIME* const end = X509_get0_notAfter(&certificate);
  int days = 0;
  int seconds = 0;
  if (X509_cmp_current_time(begin) >= 0 ||
      ASN1_TIME_diff(&days, &seconds, begin, end) != 1) {
    return false;
  }
  const auto validity = std::chrono::days(days) + std::chrono::seconds(seconds);
  if (ASN1_TIME_diff(&days, &seconds, nullptr, end) != 1) return false;
  const auto left = std::chrono::days(days) + std::chrono::seconds(seconds);
  return left * 3 >= validity;
}

// Whether the pair is fresh and the authority's.
bool IsGood(const std::string& path, X509& authority) {
  const Certificate certificate = ReadCertificate(path + ".crt");
  const Key key = ReadKey(path + ".key");
  return certificate != nullptr && key != nullptr && IsFresh(*certificate) &&
         X509_check_private_key(certificate.get(), key.get()) == 1 &&
         X509_verify(certificate.get(), X509_get0_pubkey(&authority)) == 1;
}

bool IsGoodSet(const std::string& directory) {
  const Certificate authority = ReadCertificate(directory + "/ca.crt");
  return authority != nullptr && IsFresh(*authority) &&
         IsGood(directory + "/server", *authority) &&
         IsGood(directory + "/client", *authority);
}

}  // namespace

absl::StatusOr<bool> MakeCertificates(const CertificatesOptions& options) {
  const std::string& directory = options.directory;
  std::error_code error;
  if (std::filesystem::create_directories(directory, error)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all,
                                 error);
  }
  if (error) return At(directory, error.value());
  if (IsGoodSet(directory)) return false;
  const Pair authority = MakeAuthority(options.validity);
  const Pair server =
      Issue(authority, "vicinal", "serverAuth",
            "IP:127.0.0.1,IP:::1,DNS:localhost", options.validity);
  const Pair client = Issue(authority, options.client_name, "clientAuth",
                            nullptr, options.validity);
  for (const auto& [name, content] : {
           std::pair("server.key", ToPem(*server.key)),
           std::pair("server.crt", ToPem(*server.certificate)),
           std::pair("client.key", ToPem(*client.key)),
           std::pair("client.crt", ToPem(*client.certificate)),
           std::pair("ca.crt", ToPem(*authority.certificate)),
       }) {
    const absl::Status status = Write(directory + "/" + name, content);
    if (!status.ok()) return status;
  }
  return true;
}

}  // namespace vicinal
