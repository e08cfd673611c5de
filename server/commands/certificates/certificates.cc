#include "server/commands/certificates/certificates.h"

#include <fcntl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "server/kubernetes/read_file.h"
#include "server/kubernetes/x509.h"

namespace vicinal {
namespace {

// A clock that was ahead when the files were made must not refuse them.
constexpr std::chrono::hours kBackdated{1};

KeyPair Draft(const std::string& common_name, std::chrono::hours validity) {
  return DraftCertificate(common_name, -kBackdated, validity);
}

KeyPair MakeAuthority(std::chrono::hours validity) {
  KeyPair authority = Draft("vicinal-ca", validity);
  AddExtension(authority, authority, NID_basic_constraints,
               "critical,CA:TRUE,pathlen:0");
  AddExtension(authority, authority, NID_key_usage, "critical,keyCertSign");
  Sign(authority, authority);
  return authority;
}

// `usage` is serverAuth or clientAuth.
KeyPair Issue(const KeyPair& authority, const std::string& common_name,
              const char* usage, const char* alternative_names,
              std::chrono::hours validity) {
  KeyPair pair = Draft(common_name, validity);
  AddExtension(pair, authority, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(pair, authority, NID_key_usage, "critical,digitalSignature");
  AddExtension(pair, authority, NID_ext_key_usage, usage);
  if (alternative_names != nullptr) {
    AddExtension(pair, authority, NID_subject_alt_name, alternative_names);
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
  return pem.ok() ? CertificateFromPem(*pem) : nullptr;
}

Key ReadKey(const std::string& path) {
  const absl::StatusOr<std::string> pem = ReadSmallFile(path);
  return pem.ok() ? KeyFromPem(*pem) : nullptr;
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
  const KeyPair authority = MakeAuthority(options.validity);
  const KeyPair server =
      Issue(authority, "vicinal", "serverAuth",
            "IP:127.0.0.1,IP:::1,DNS:localhost", options.validity);
  const KeyPair client = Issue(authority, options.client_name, "clientAuth",
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
