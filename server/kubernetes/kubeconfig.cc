#include "server/kubernetes/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/kubernetes/header_text.h"
#include "server/kubernetes/kubeconfig_fields.h"
#include "server/kubernetes/read_file.h"
#include "server/kubernetes/server_url.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

// absl's own string_view type does not convert to std's.
std::string_view Text(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// The mapping `inner` of the entry called `name` in the list `list`:
// clusters[name].cluster. Of several files the first that has one counts.
absl::StatusOr<Section> NamedEntry(const std::vector<Section>& roots,
                                   const char* list, const char* inner,
                                   const std::string& name) {
  std::string known;
  for (const Section& root : roots) {
    const MaybeOr<YAML::Node> entries = Child(root, list);
    if (!entries.ok()) return entries.status();
    if (!entries->has_value()) continue;
    if (!(*entries)->IsSequence()) return Wrong(list, "must be a list");
    for (size_t i = 0; i < (*entries)->size(); ++i) {
      const Section entry = {(**entries)[i], absl::StrCat(list, "[", i, "]"),
                             root.folder};
      if (!entry.node.IsMap()) return Wrong(entry.where, "must be a mapping");
      const MaybeOr<std::string> entry_name = Scalar(entry, "name");
      if (!entry_name.ok()) return entry_name.status();
      if (!entry_name->has_value()) continue;
      if (**entry_name != name) {
        absl::StrAppend(&known, known.empty() ? "" : ", ", **entry_name);
        continue;
      }
      const Section named = {entry.node, absl::StrCat(list, "[", name, "]"),
                             root.folder};
      const MaybeOr<YAML::Node> child = Child(named, inner);
      if (!child.ok()) return child.status();
      if (!child->has_value()) return Wrong(named.Field(inner), "is missing");
      if (!(*child)->IsMap())
        return Wrong(named.Field(inner), "must be a mapping");
      return Section{**child, named.Field(inner), root.folder};
    }
  }
  return WrongValue(list, name,
                    known.empty()
                        ? "no entry has this name"
                        : "no entry has this name; there are: " + known);
}

absl::StatusOr<std::string> CurrentContext(const std::vector<Section>& roots) {
  for (const Section& root : roots) {
    const MaybeOr<std::string> current = Scalar(root, "current-context");
    if (!current.ok()) return current.status();
    if (current->has_value()) return **current;
  }
  return Wrong("current-context", "is not set, and no context was asked for");
}

class Loader {
 public:
  absl::StatusOr<Kubeconfig> Load(const std::vector<Section>& roots,
                                  std::string context_name) {
    if (context_name.empty()) {
      absl::StatusOr<std::string> current = CurrentContext(roots);
      if (!current.ok()) return current.status();
      context_name = *std::move(current);
    }
    const absl::StatusOr<Section> context =
        NamedEntry(roots, "contexts", "context", context_name);
    if (!context.ok()) return context.status();

    const MaybeOr<std::string> cluster_name = Scalar(*context, "cluster");
    if (!cluster_name.ok()) return cluster_name.status();
    if (!cluster_name->has_value())
      return Wrong(context->Field("cluster"), "is missing");
    const absl::StatusOr<Section> cluster =
        NamedEntry(roots, "clusters", "cluster", **cluster_name);
    if (!cluster.ok()) return cluster.status();
    const absl::Status cluster_read = ReadCluster(*cluster);
    if (!cluster_read.ok()) return cluster_read;

    const MaybeOr<std::string> name_space = Scalar(*context, "namespace");
    if (!name_space.ok()) return name_space.status();
    kubeconfig_.namespace_name = name_space->value_or("");

    const MaybeOr<std::string> user_name = Scalar(*context, "user");
    if (!user_name.ok()) return user_name.status();
    if (user_name->has_value()) {
      const absl::StatusOr<Section> user =
          NamedEntry(roots, "users", "user", **user_name);
      if (!user.ok()) return user.status();
      const absl::Status user_read = ReadUser(*user, *cluster);
      if (!user_read.ok()) return user_read;
    }
    return std::move(kubeconfig_);
  }

 private:
  absl::Status ReadCluster(const Section& cluster) {
    const absl::Status refused = Refuse(
        cluster, {"proxy-url"}, "is not supported: connect without a proxy");
    if (!refused.ok()) return refused;

    const MaybeOr<std::string> server = Scalar(cluster, "server");
    if (!server.ok()) return server.status();
    if (!server->has_value())
      return Wrong(cluster.Field("server"), "is missing");
    const absl::StatusOr<ServerUrl> url = ParseServerUrl(**server);
    if (!url.ok())
      return WrongValue(cluster.Field("server"), **server, Text(url.status()));
    config_.tls = url->tls;
    config_.host = url->host;
    config_.port = url->port;
    config_.path_prefix = url->path_prefix;

    const MaybeOr<std::string> server_name = Scalar(cluster, "tls-server-name");
    if (!server_name.ok()) return server_name.status();
    config_.tls_server_name = server_name->value_or("");
    if (!IsHeaderText(config_.tls_server_name)) {
      return WrongValue(cluster.Field("tls-server-name"),
                        config_.tls_server_name,
                        "is not a DNS name or IP address");
    }

    const absl::StatusOr<bool> skip =
        Boolean(cluster, "insecure-skip-tls-verify");
    if (!skip.ok()) return skip.status();
    config_.insecure_skip_tls_verify = *skip;

    const absl::StatusOr<Material> authority =
        ReadMaterial(cluster, "certificate-authority");
    if (!authority.ok()) return authority.status();
    if (authority->field.empty()) return absl::OkStatus();
    if (config_.insecure_skip_tls_verify) {
      return Wrong(authority->field,
                   "must not be set together with insecure-skip-tls-verify");
    }
    const absl::Status trusted =
        TrustCertificates(*NewTlsContext(), authority->pem);
    if (!trusted.ok()) return Wrong(authority->field, Text(trusted));
    config_.certificate_authority_pem = authority->pem;
    config_.certificate_authority_file = authority->file;
    return absl::OkStatus();
  }

  absl::Status ReadUser(const Section& user, const Section& cluster) {
    absl::Status refused =
        Refuse(user, {"auth-provider"},
               "is not supported: kubectl has given it up for exec");
    if (!refused.ok()) return refused;
    refused = Refuse(
        user, {"username", "password"},
        "is not supported: use a token, a tokenFile or a client certificate");
    if (!refused.ok()) return refused;
    refused = Refuse(user, {"as", "as-uid", "as-groups", "as-user-extra"},
                     "impersonation is not supported");
    if (!refused.ok()) return refused;

    const MaybeOr<YAML::Node> exec = Child(user, "exec");
    if (!exec.ok()) return exec.status();
    if (exec->has_value()) {
      absl::StatusOr<ExecPlugin> plugin =
          ReadExecPlugin({**exec, user.Field("exec"), user.folder}, cluster,
                         config_.certificate_authority_pem);
      if (!plugin.ok()) return plugin.status();
      kubeconfig_.exec = *std::move(plugin);
    }

    const MaybeOr<std::string> token = Scalar(user, "token");
    if (!token.ok()) return token.status();
    config_.token = token->value_or("");
    if (!IsHeaderText(config_.token)) {
      return Wrong(user.Field("token"),
                   "contains a blank or a character that is not ASCII");
    }
    const MaybeOr<std::string> token_file = Scalar(user, "tokenFile");
    if (!token_file.ok()) return token_file.status();
    if (token_file->has_value()) {
      config_.token_file = Resolve(user, **token_file);
      const absl::StatusOr<std::string> content =
          ReadSmallFile(config_.token_file);
      if (!content.ok()) {
        return WrongValue(user.Field("tokenFile"), config_.token_file,
                          Text(content.status()));
      }
    }

    const absl::StatusOr<Material> certificate =
        ReadMaterial(user, "client-certificate");
    if (!certificate.ok()) return certificate.status();
    const absl::StatusOr<Material> key = ReadMaterial(user, "client-key");
    if (!key.ok()) return key.status();
    if (certificate->field.empty() && key->field.empty())
      return absl::OkStatus();
    if (key->field.empty())
      return Wrong(certificate->field, "needs client-key or client-key-data");
    if (certificate->field.empty()) {
      return Wrong(key->field,
                   "needs client-certificate or client-certificate-data");
    }
    const absl::Status used =
        UseCertificate(*NewTlsContext(), certificate->pem, key->pem);
    if (!used.ok())
      return Wrong(certificate->field + " and " + key->field, Text(used));
    config_.client_certificate_pem = certificate->pem;
    config_.client_certificate_file = certificate->file;
    config_.client_key_pem = key->pem;
    config_.client_key_file = key->file;
    return absl::OkStatus();
  }

  // A PEM that stands in the file or beside it. `field` is empty if it is not
  // set, else where it came from, for errors; `file` is the one beside it.
  struct Material {
    std::string pem;
    std::string field;
    std::string file;
  };

  // `<key>-data` (base64) wins over `<key>` (a path), as in kubectl.
  absl::StatusOr<Material> ReadMaterial(const Section& section,
                                        const std::string& key) {
    const std::string data_key = key + "-data";
    const MaybeOr<std::string> data = Scalar(section, data_key.c_str());
    if (!data.ok()) return data.status();
    if (data->has_value()) {
      Material material = {"", section.Field(data_key), ""};
      if (!absl::Base64Unescape(**data, &material.pem) ||
          material.pem.empty()) {
        return Wrong(material.field, "is not base64");
      }
      return material;
    }
    const MaybeOr<std::string> path = Scalar(section, key.c_str());
    if (!path.ok()) return path.status();
    if (!path->has_value()) return Material();
    const std::string resolved = Resolve(section, **path);
    const absl::StatusOr<std::string> content = ReadSmallFile(resolved);
    if (!content.ok()) {
      return WrongValue(section.Field(key), resolved, Text(content.status()));
    }
    return Material{*content,
                    absl::StrCat(section.Field(key), " (", resolved, ")"),
                    resolved};
  }

  static std::string Resolve(const Section& section, const std::string& path) {
    return (std::filesystem::path(section.folder) / path).string();
  }

  Kubeconfig kubeconfig_;
  ClientConfig& config_ = kubeconfig_.client;
};

// What yaml-cpp throws as a status.
template <typename Result, typename Function>
absl::StatusOr<Result> WithoutExceptions(const Function& function) {
  try {
    return function();
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("is not YAML: line ", error.mark.line + 1, ", column ",
                     error.mark.column + 1, ": ", error.msg));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

absl::Status In(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<Section> ReadRoot(const std::string& path) {
  const absl::StatusOr<std::string> content = ReadSmallFile(path);
  if (!content.ok()) return In(path, content.status());
  absl::StatusOr<Section> root =
      WithoutExceptions<Section>([&]() -> absl::StatusOr<Section> {
        Section section = {YAML::Load(*content), "",
                           std::filesystem::path(path).parent_path().string()};
        if (!section.node.IsMap()) {
          return absl::InvalidArgumentError(
              "is not a kubeconfig: not a mapping");
        }
        return section;
      });
  if (!root.ok()) return In(path, root.status());
  return root;
}

}  // namespace

absl::StatusOr<Kubeconfig> LoadKubeconfigs(
    const std::vector<std::string>& paths, const std::string& context) {
  std::vector<Section> roots;
  for (const std::string& path : paths) {
    absl::StatusOr<Section> root = ReadRoot(path);
    if (!root.ok()) return root.status();
    roots.push_back(*std::move(root));
  }
  absl::StatusOr<Kubeconfig> kubeconfig = WithoutExceptions<Kubeconfig>(
      [&] { return Loader().Load(roots, context); });
  if (!kubeconfig.ok()) {
    return In(absl::StrJoin(paths, ":"), kubeconfig.status());
  }
  if (paths.size() == 1) {
    kubeconfig->client.kubeconfig_file = paths.front();
    kubeconfig->client.kubeconfig_context = context;
  }
  return kubeconfig;
}

absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path,
                                            const std::string& context) {
  absl::StatusOr<Kubeconfig> kubeconfig = LoadKubeconfigs({path}, context);
  if (!kubeconfig.ok()) return kubeconfig.status();
  if (kubeconfig->exec) {
    return In(path, Wrong(kubeconfig->exec->where,
                          "what runs for long does not call credential "
                          "plugins: use a token, a tokenFile or a client "
                          "certificate"));
  }
  return std::move(kubeconfig->client);
}

}  // namespace vicinal
