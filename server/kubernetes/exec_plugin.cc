#include "server/kubernetes/exec_plugin.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

constexpr char kExtension[] = "client.authentication.k8s.io/exec";

absl::Status ReadArguments(const Section& exec, ExecPlugin& plugin) {
  const MaybeOr<YAML::Node> args = Child(exec, "args");
  if (!args.ok()) return args.status();
  if (!args->has_value()) return absl::OkStatus();
  if (!(*args)->IsSequence()) {
    return Wrong(exec.Field("args"), "must be a list");
  }
  for (const YAML::Node& arg : **args) {
    if (!arg.IsScalar()) {
      return Wrong(exec.Field("args"), "must be a list of strings");
    }
    plugin.arguments.push_back(arg.Scalar());
  }
  return absl::OkStatus();
}

absl::Status ReadEnvironment(const Section& exec, ExecPlugin& plugin) {
  const MaybeOr<YAML::Node> env = Child(exec, "env");
  if (!env.ok()) return env.status();
  if (!env->has_value()) return absl::OkStatus();
  if (!(*env)->IsSequence()) return Wrong(exec.Field("env"), "must be a list");
  for (std::size_t i = 0; i < (*env)->size(); ++i) {
    const Section entry = {
        (**env)[i], absl::StrCat(exec.Field("env"), "[", i, "]"), exec.folder};
    if (!entry.node.IsMap()) return Wrong(entry.where, "must be a mapping");
    const MaybeOr<std::string> name = Scalar(entry, "name");
    if (!name.ok()) return name.status();
    if (!name->has_value() || (*name)->find('=') != std::string::npos) {
      return Wrong(entry.Field("name"), "must be the name of a variable");
    }
    const MaybeOr<std::string> value = Scalar(entry, "value");
    if (!value.ok()) return value.status();
    plugin.environment.emplace_back(**name, value->value_or(""));
  }
  return absl::OkStatus();
}

absl::Status ReadInteractiveMode(const Section& exec, ExecPlugin& plugin) {
  using Mode = ExecPlugin::InteractiveMode;
  const MaybeOr<std::string> mode = Scalar(exec, "interactiveMode");
  if (!mode.ok()) return mode.status();
  if (!mode->has_value()) {
    // v1 wants it, and kubectl refuses what lacks it.
    if (!plugin.api_version.ends_with("/v1")) return absl::OkStatus();
    return Wrong(exec.Field("interactiveMode"),
                 "is missing: Never, IfAvailable or Always");
  }
  if (**mode == "Never") {
    plugin.interactive_mode = Mode::kNever;
  } else if (**mode == "IfAvailable") {
    plugin.interactive_mode = Mode::kIfAvailable;
  } else if (**mode == "Always") {
    plugin.interactive_mode = Mode::kAlways;
  } else {
    return WrongValue(exec.Field("interactiveMode"), **mode,
                      "must be Never, IfAvailable or Always");
  }
  return absl::OkStatus();
}

// What kubectl makes of a value.
absl::StatusOr<nlohmann::ordered_json> ToJson(const YAML::Node& node) {
  nlohmann::ordered_json json;
  if (node.IsSequence()) {
    json = nlohmann::ordered_json::array();
    for (const YAML::Node& element : node) {
      absl::StatusOr<nlohmann::ordered_json> value = ToJson(element);
      if (!value.ok()) return value.status();
      json.push_back(*std::move(value));
    }
  } else if (node.IsMap()) {
    json = nlohmann::ordered_json::object();
    for (const auto& field : node) {
      absl::StatusOr<nlohmann::ordered_json> value = ToJson(field.second);
      if (!value.ok()) return value.status();
      json[field.first.Scalar()] = *std::move(value);
    }
  } else if (node.IsScalar() && node.Tag() == "!") {
    json = node.Scalar();  // In quotes, which Dump would leave out.
  } else if (node.IsScalar()) {
    const absl::StatusOr<std::vector<std::string>> text =
        YamlToJson("[" + YAML::Dump(node) + "]");
    if (!text.ok()) return text.status();
    json = nlohmann::ordered_json::parse(text->front()).front();
  }
  return json;
}

// The configuration of the plugin that stands with the cluster.
absl::StatusOr<nlohmann::ordered_json> ExtensionOf(const Section& cluster) {
  const MaybeOr<YAML::Node> extensions = Child(cluster, "extensions");
  if (!extensions.ok()) return extensions.status();
  if (!extensions->has_value()) return nlohmann::ordered_json();
  const std::string where = cluster.Field("extensions");
  if (!(*extensions)->IsSequence()) return Wrong(where, "must be a list");
  for (const YAML::Node& entry : **extensions) {
    if (!entry.IsMap()) return Wrong(where, "must be a list of mappings");
    const MaybeOr<std::string> name =
        Scalar({entry, where, cluster.folder}, "name");
    if (!name.ok()) return name.status();
    if (name->value_or("") != kExtension || !entry["extension"]) continue;
    return ToJson(entry["extension"]);
  }
  return nlohmann::ordered_json();
}

// spec.cluster of ExecCredential: client-go, pkg/apis/clientauthentication/v1.
absl::StatusOr<std::string> ClusterInfo(
    const Section& cluster, const std::string& certificate_authority_pem) {
  nlohmann::ordered_json info;
  for (const char* const key : {"server", "tls-server-name"}) {
    const MaybeOr<std::string> text = Scalar(cluster, key);
    if (!text.ok()) return text.status();
    if (text->has_value()) info[key] = **text;
  }
  const absl::StatusOr<bool> skip =
      Boolean(cluster, "insecure-skip-tls-verify");
  if (!skip.ok()) return skip.status();
  if (*skip) info["insecure-skip-tls-verify"] = true;
  if (!certificate_authority_pem.empty()) {
    info["certificate-authority-data"] =
        std::string(absl::Base64Escape(certificate_authority_pem));
  }
  absl::StatusOr<nlohmann::ordered_json> extension = ExtensionOf(cluster);
  if (!extension.ok()) return extension.status();
  info["config"] = *std::move(extension);
  return info.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<ExecPlugin> ReadExecPlugin(
    const Section& exec, const Section& cluster,
    const std::string& certificate_authority_pem) {
  if (!exec.node.IsMap()) return Wrong(exec.where, "must be a mapping");
  ExecPlugin plugin;
  plugin.where = exec.where;

  const MaybeOr<std::string> version = Scalar(exec, "apiVersion");
  if (!version.ok()) return version.status();
  plugin.api_version = version->value_or("");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return WrongValue(exec.Field("apiVersion"), plugin.api_version,
                      "must be client.authentication.k8s.io/v1 or "
                      "client.authentication.k8s.io/v1beta1");
  }

  const MaybeOr<std::string> command = Scalar(exec, "command");
  if (!command.ok()) return command.status();
  if (!command->has_value()) return Wrong(exec.Field("command"), "is missing");
  plugin.command = **command;
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = std::filesystem::absolute(
                         std::filesystem::path(exec.folder) / plugin.command)
                         .string();
  }

  const MaybeOr<std::string> hint = Scalar(exec, "installHint");
  if (!hint.ok()) return hint.status();
  plugin.install_hint = hint->value_or("");

  if (absl::Status status = ReadArguments(exec, plugin); !status.ok()) {
    return status;
  }
  if (absl::Status status = ReadEnvironment(exec, plugin); !status.ok()) {
    return status;
  }
  if (absl::Status status = ReadInteractiveMode(exec, plugin); !status.ok()) {
    return status;
  }
  const absl::StatusOr<bool> wants_cluster =
      Boolean(exec, "provideClusterInfo");
  if (!wants_cluster.ok()) return wants_cluster.status();
  if (*wants_cluster) {
    absl::StatusOr<std::string> info =
        ClusterInfo(cluster, certificate_authority_pem);
    if (!info.ok()) return info.status();
    plugin.cluster_info = *std::move(info);
  }
  return plugin;
}

}  // namespace vicinal
