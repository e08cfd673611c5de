#include "server/kubernetes/exec_credential.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/kubernetes/header_text.h"
#include "server/kubernetes/program.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Failed(std::string problem) {
  return absl::UnauthenticatedError(std::move(problem));
}

// What the plugin is told in KUBERNETES_EXEC_INFO.
std::string ExecInfo(const ExecPlugin& plugin, bool is_interactive) {
  Json info = {{"kind", "ExecCredential"},
               {"apiVersion", plugin.api_version},
               {"spec", {{"interactive", is_interactive}}}};
  if (!plugin.cluster_info.empty()) {
    info["spec"]["cluster"] = Json::parse(plugin.cluster_info);
  }
  return info.dump();
}

// Absent or null: "".
absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return std::string();
  if (!it->is_string()) {
    return Failed(absl::StrCat("its status.", key, " is not a string"));
  }
  return it->get<std::string>();
}

absl::Status CheckExpiration(const std::string& text) {
  if (text.empty()) return absl::OkStatus();
  absl::Time end;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &end, &error)) {
    return Failed("its status.expirationTimestamp \"" + text +
                  "\" is not a time");
  }
  if (end > absl::Now()) return absl::OkStatus();
  return Failed("its credentials have expired at " + text);
}

absl::Status UseCredential(const ExecPlugin& plugin, const std::string& output,
                           ClientConfig& config) {
  const Json json = Json::parse(output, nullptr, false);
  if (!json.is_object()) return Failed("prints no JSON object");
  const absl::StatusOr<std::string> kind = Text(json, "kind");
  const absl::StatusOr<std::string> version = Text(json, "apiVersion");
  if (!kind.ok() || *kind != "ExecCredential") {
    return Failed("prints no object of kind ExecCredential");
  }
  if (!version.ok() || *version != plugin.api_version) {
    return Failed(absl::StrCat(
        "prints an ExecCredential of ",
        version.ok() && !version->empty() ? *version : "no apiVersion",
        ", and the kubeconfig says ", plugin.api_version));
  }
  const auto status = json.find("status");
  if (status == json.end() || !status->is_object()) {
    return Failed("prints an ExecCredential without status");
  }
  const absl::StatusOr<std::string> end = Text(*status, "expirationTimestamp");
  const absl::StatusOr<std::string> token = Text(*status, "token");
  const absl::StatusOr<std::string> certificate =
      Text(*status, "clientCertificateData");
  const absl::StatusOr<std::string> key = Text(*status, "clientKeyData");
  for (const auto* field : {&end, &token, &certificate, &key}) {
    if (!field->ok()) return field->status();
  }
  if (absl::Status valid = CheckExpiration(*end); !valid.ok()) return valid;
  if (certificate->empty() != key->empty()) {
    return Failed(
        "prints only one of status.clientCertificateData and clientKeyData");
  }
  if (token->empty() && key->empty()) {
    return Failed(
        "prints neither status.token nor status.clientCertificateData");
  }
  if (!IsHeaderText(*token)) {
    return Failed(
        "its status.token contains a blank or a character that is not ASCII");
  }
  if (!key->empty()) {
    const absl::Status used =
        UseCertificate(*NewTlsContext(), *certificate, *key);
    if (!used.ok()) {
      return Failed(
          absl::StrCat("its status.clientCertificateData and clientKeyData: ",
                       used.message()));
    }
  }
  config.token = *token;
  config.client_certificate_pem = *certificate;
  config.client_key_pem = *key;
  return absl::OkStatus();
}

absl::Status Run(const ExecPlugin& plugin, std::chrono::milliseconds timeout,
                 ClientConfig& config) {
  using Mode = ExecPlugin::InteractiveMode;
  const bool is_interactive =
      plugin.interactive_mode != Mode::kNever && isatty(STDIN_FILENO) == 1;
  if (plugin.interactive_mode == Mode::kAlways && !is_interactive) {
    return Failed(
        "has interactiveMode Always, and standard input is no terminal");
  }
  Program program;
  program.path = FindProgram(plugin.command);
  if (program.path.empty()) {
    return Failed(absl::StrCat("no such program that can be executed",
                               plugin.install_hint.empty() ? "" : "\n",
                               plugin.install_hint));
  }
  program.arguments = plugin.arguments;
  program.environment = plugin.environment;
  program.environment.emplace_back("KUBERNETES_EXEC_INFO",
                                   ExecInfo(plugin, is_interactive));
  program.reads_input = is_interactive;
  program.timeout = timeout;
  const absl::StatusOr<ProgramResult> result = RunProgram(program);
  if (!result.ok()) {
    return absl::Status(
        result.status().code(),
        std::string(result.status().message()) +
            (absl::IsDeadlineExceeded(result.status())
                 ? absl::StrCat(" (", timeout.count() / 1000.0, " seconds)")
                 : ""));
  }
  if (result->exit_status != 0) {
    return Failed(absl::StrCat("ended with exit status ", result->exit_status));
  }
  return UseCredential(plugin, result->output, config);
}

}  // namespace

absl::Status UseExecPlugin(const ExecPlugin& plugin,
                           std::chrono::milliseconds timeout,
                           ClientConfig& config) {
  const bool has_credentials = !config.token.empty() ||
                               !config.token_file.empty() ||
                               !config.client_certificate_pem.empty();
  if (has_credentials) return absl::OkStatus();
  const absl::Status status = Run(plugin, timeout, config);
  if (status.ok()) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(plugin.where, ": ", plugin.command, ": ", status.message()));
}

}  // namespace vicinal
