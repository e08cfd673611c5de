#include "server/kubernetes/client_certificates.h"

#include <glog/logging.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {
namespace {

// Reads `file`, if there is one.
absl::Status ReadAgain(const std::string& file, std::string* pem) {
  if (file.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> content = ReadSmallFile(file);
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        file + ": " + std::string(content.status().message()));
  }
  // To a configuration that would mean the machine's trust anchors, or none.
  if (content->empty()) return absl::InvalidArgumentError(file + ": is empty");
  *pem = *std::move(content);
  return absl::OkStatus();
}

}  // namespace

ClientCertificates::ClientCertificates(ClientConfig config)
    : config_(std::move(config)) {}

TlsContext ClientCertificates::Changed() {
  ClientConfig now = config_;
  for (const auto& [file, pem] :
       {std::pair(&now.certificate_authority_file,
                  &now.certificate_authority_pem),
        std::pair(&now.client_certificate_file, &now.client_certificate_pem),
        std::pair(&now.client_key_file, &now.client_key_pem)}) {
    const absl::Status status = ReadAgain(*file, pem);
    if (!status.ok()) {
      Complain(std::string(status.message()));
      return nullptr;
    }
  }
  if (now.certificate_authority_pem == config_.certificate_authority_pem &&
      now.client_certificate_pem == config_.client_certificate_pem &&
      now.client_key_pem == config_.client_key_pem) {
    last_problem_.clear();
    return nullptr;
  }
  absl::StatusOr<TlsContext> context = MakeTlsContext(now);
  if (!context.ok()) {
    // Half of a pair may have been written, the other may follow.
    Complain(std::string(context.status().message()));
    return nullptr;
  }
  config_ = std::move(now);
  last_problem_.clear();
  VLOG(1) << "connections to " << config_.host
          << " are made with the changed certificates";
  return *std::move(context);
}

void ClientCertificates::Complain(const std::string& problem) {
  if (problem == last_problem_) return;
  last_problem_ = problem;
  LOG(WARNING) << "changed certificates for " << config_.host
               << " are not used: " << problem;
}

}  // namespace vicinal
