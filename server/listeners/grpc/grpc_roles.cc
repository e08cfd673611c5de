#include "server/listeners/grpc/grpc_roles.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

constexpr std::pair<const char*, GrpcRole> kRoles[] = {
    {"ask", GrpcRole::kAsk},
    {"bind", GrpcRole::kBind},
    {"feed", GrpcRole::kFeed},
    {"read", GrpcRole::kRead},
};

const char* NameOf(GrpcRole role) {
  for (const auto& [name, value] : kRoles) {
    if (value == role) return name;
  }
  return "";
}

absl::StatusOr<GrpcRole> RoleOf(const std::string& client, const Json& value) {
  for (const auto& [name, role] : kRoles) {
    if (value == name) return role;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(client, ": ", value.dump(),
                   " is no role: there are ask, bind, feed and read"));
}

absl::StatusOr<std::set<GrpcRole>> RolesOf(const std::string& client,
                                           const Json& values) {
  if (!values.is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(client, ": must be a list of roles, got ", values.dump()));
  }
  std::set<GrpcRole> roles;
  for (const Json& value : values) {
    const absl::StatusOr<GrpcRole> role = RoleOf(client, value);
    if (!role.ok()) return role.status();
    roles.insert(*role);
  }
  return roles;
}

// The client's certificate with its chain, PEM; "" if it has shown none.
std::string CertificateOf(const grpc::ServerContextBase& context) {
  std::string pem;
  for (const char* property : {GRPC_X509_PEM_CERT_PROPERTY_NAME,
                               GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME}) {
    for (const grpc::string_ref& part :
         context.auth_context()->FindPropertyValues(property)) {
      pem.append(part.data(), part.size());
    }
  }
  return pem;
}

std::string CommonNameOf(const grpc::ServerContextBase& context) {
  const std::vector<grpc::string_ref> names =
      context.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  // Of several names none is the one that was meant.
  if (names.size() != 1) return "";
  return std::string(names[0].data(), names[0].size());
}

}  // namespace

GrpcRoles GrpcRoles::Everything() {
  GrpcRoles roles;
  for (const auto& [name, role] : kRoles) roles.of_anyone_.insert(role);
  return roles;
}

GrpcRoles GrpcRoles::OnlyAsk() {
  GrpcRoles roles;
  roles.of_anyone_.insert(GrpcRole::kAsk);
  return roles;
}

absl::StatusOr<GrpcRoles> GrpcRoles::Read(std::string_view yaml) {
  const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(yaml);
  if (!documents.ok()) return documents.status();
  GrpcRoles roles;
  for (const std::string& document : *documents) {
    const Json clients = Json::parse(document, nullptr, false);
    if (!clients.is_object()) {
      return absl::InvalidArgumentError(
          "must be a mapping of clients' common names to lists of roles");
    }
    for (const auto& [client, values] : clients.items()) {
      absl::StatusOr<Roles> of_client = RolesOf(client, values);
      if (!of_client.ok()) return of_client.status();
      if (client.empty() ||
          !roles.by_name_.emplace(client, *std::move(of_client)).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", client, "\": empty, or named twice"));
      }
    }
  }
  return roles;
}

absl::Status GrpcRoles::Check(const std::string& common_name,
                              GrpcRole role) const {
  const auto it = by_name_.find(common_name);
  if (of_anyone_.contains(role) ||
      (it != by_name_.end() && it->second.contains(role))) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "client \"", common_name, "\" does not have the role ", NameOf(role)));
}

absl::Status GrpcRoles::Check(const grpc::ServerContextBase& context,
                              GrpcRole role) const {
  if (tls_ != nullptr) {
    const absl::Status believed = tls_->CheckClient(CertificateOf(context));
    if (!believed.ok()) {
      return absl::UnauthenticatedError(
          absl::StrCat("the client's certificate: ", believed.message()));
    }
  }
  return Check(CommonNameOf(context), role);
}

}  // namespace vicinal
