#include "server/commands/explain/decision_source.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/did_you_mean.h"
#include "server/decisions/decision_log.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/read_file.h"
#include "server/kubernetes/server_url.h"

namespace vicinal {
namespace {

// Keeps what is about one pod.
class Collector {
 public:
  explicit Collector(const NamedPod& pod) : pod_(pod) {}

  void Add(absl::StatusOr<DecisionRecord> decision) {
    if (!decision.ok()) {
      ++found_.unreadable;
      return;
    }
    ++found_.read;
    if (decision->namespace_name == pod_.namespace_name) {
      names_.insert(decision->name);
      if (decision->name == pod_.name) {
        found_.of_pod.push_back(*std::move(decision));
      }
    }
  }

  FoundDecisions Found() && {
    // A file that is renamed while it is read is read twice.
    std::ranges::sort(found_.of_pod, IsEarlier);
    found_.of_pod.erase(std::unique(found_.of_pod.begin(), found_.of_pod.end()),
                        found_.of_pod.end());
    if (found_.of_pod.empty()) {
      found_.similar = DidYouMean(pod_.name, {names_.begin(), names_.end()});
    }
    return std::move(found_);
  }

 private:
  const NamedPod& pod_;
  std::set<std::string> names_;  // Of its namespace.
  FoundDecisions found_;
};

absl::StatusOr<FoundDecisions> OfFile(const std::string& path,
                                      Collector collector) {
  const absl::Status read = ForEachDecision(
      path, [&collector](absl::StatusOr<DecisionRecord> decision) {
        collector.Add(std::move(decision));
      });
  if (!read.ok()) return read;
  return std::move(collector).Found();
}

absl::Status ReadPem(const char* flag, const std::string& path,
                     std::string& pem) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) {
    return absl::Status(
        text.status().code(),
        absl::StrCat(flag, " ", path, ": ", text.status().message()));
  }
  pem = *std::move(text);
  return absl::OkStatus();
}

absl::StatusOr<ClientConfig> ConfigOf(const DecisionSource& source) {
  absl::StatusOr<ServerUrl> url = ParseServerUrl(source.server);
  if (!url.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--server ", source.server, ": ", url.status().message()));
  }
  ClientConfig config;
  config.tls = url->tls;
  config.host = url->host;
  config.port = url->port;
  config.path_prefix = url->path_prefix;
  absl::Status status =
      ReadPem("--certificate-authority", source.certificate_authority,
              config.certificate_authority_pem);
  if (status.ok()) {
    status = ReadPem("--client-certificate", source.client_certificate,
                     config.client_certificate_pem);
  }
  if (status.ok()) {
    status = ReadPem("--client-key", source.client_key, config.client_key_pem);
  }
  if (!status.ok()) return status;
  return config;
}

absl::StatusOr<FoundDecisions> OfServer(const DecisionSource& source,
                                        Collector collector) {
  const absl::StatusOr<ClientConfig> config = ConfigOf(source);
  if (!config.ok()) return config.status();
  const auto at = [&source](const absl::Status& status) {
    return absl::Status(status.code(),
                        absl::StrCat(source.server, ": ", status.message()));
  };
  absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(*config, {});
  if (!client.ok()) return at(client.status());
  ApiRequest request;
  request.target = "/decisions";
  const absl::StatusOr<ApiResponse> response = (*client)->Send(request);
  if (!response.ok()) return at(response.status());
  if (absl::Status status = ToStatus(*response); !status.ok()) {
    return at(status);
  }
  std::istringstream lines(response->body);
  ForEachDecision(lines, [&collector](absl::StatusOr<DecisionRecord> decision) {
    collector.Add(std::move(decision));
  });
  return std::move(collector).Found();
}

}  // namespace

absl::StatusOr<FoundDecisions> FindDecisions(const DecisionSource& source,
                                             const NamedPod& pod) {
  return source.file.empty() ? OfServer(source, Collector(pod))
                             : OfFile(source.file, Collector(pod));
}

}  // namespace vicinal
