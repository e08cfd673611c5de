#include "server/kubernetes/current_config.h"

#include <glog/logging.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/kubernetes/kubeconfig.h"
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

CurrentConfig::CurrentConfig(ClientConfig config)
    : config_(std::move(config)) {}

bool CurrentConfig::Changed(TlsContext* context) {
  ClientConfig now = config_;
  std::string kubeconfig = kubeconfig_;
  absl::Status status = ReadAgain(config_.kubeconfig_file, &kubeconfig);
  if (status.ok() && kubeconfig != kubeconfig_) {
    absl::StatusOr<ClientConfig> loaded =
        LoadKubeconfig(config_.kubeconfig_file, config_.kubeconfig_context);
    status = loaded.status();
    if (loaded.ok()) now = *std::move(loaded);
  }
  for (const auto& [file, pem] :
       {std::pair(&now.certificate_authority_file,
                  &now.certificate_authority_pem),
        std::pair(&now.client_certificate_file, &now.client_certificate_pem),
        std::pair(&now.client_key_file, &now.client_key_pem)}) {
    if (status.ok()) status = ReadAgain(*file, pem);
  }
  if (!status.ok()) {
    Complain(std::string(status.message()));
    return false;
  }
  if (now == config_) {
    kubeconfig_ = std::move(kubeconfig);
    last_problem_.clear();
    return false;
  }
  TlsContext changed;
  if (now.tls) {
    absl::StatusOr<TlsContext> made = MakeTlsContext(now);
    if (!made.ok()) {
      // Half of a pair may have been written, the other may follow.
      Complain(std::string(made.status().message()));
      return false;
    }
    changed = *std::move(made);
  }
  config_ = std::move(now);
  kubeconfig_ = std::move(kubeconfig);
  last_problem_.clear();
  VLOG(1) << "connections to " << config_.host
          << " are made with the changed certificates and keys";
  *context = std::move(changed);
  return true;
}

void CurrentConfig::Complain(const std::string& problem) {
  if (problem == last_problem_) return;
  last_problem_ = problem;
  LOG(WARNING) << "changed files for " << config_.host
               << " are not used: " << problem;
}

}  // namespace vicinal
