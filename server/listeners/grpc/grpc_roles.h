// Who may do what over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_ROLES_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_ROLES_H_

#include <grpcpp/server_context.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {

enum class GrpcRole {
  kAsk,   // The service Extender, but Bind.
  kBind,  // Extender/Bind.
  kFeed,  // ClusterState/Feed.
  kRead,  // ClusterState/Snapshot.
};

// Immutable from the first Check on, and so thread-safe.
class GrpcRoles {
 public:
  // Where clients have no certificates, they cannot be told apart: all may do
  // everything.
  static GrpcRoles Everything();
  // Whoever has a certificate may ask, and nothing else.
  static GrpcRoles OnlyAsk();
  // Reads the common names of clients' certificates and their roles; who is not
  // named may do nothing.
  //
  //   system:kube-scheduler: [ask, bind]
  //   backup: [read]
  //
  // InvalidArgument, naming the line or the common name and the value: what is
  // no YAML mapping of names to lists of ask, bind, feed and read.
  static absl::StatusOr<GrpcRoles> Read(std::string_view yaml);

  // Has each call's certificate checked against what `tls`, which must outlive
  // the roles, has read by then: gRPC itself knows no revocation lists, and
  // looks at a certificate once for each connection. Before the first Check.
  void CheckCertificatesWith(const ServerTls& tls) { tls_ = &tls; }

  // OK, or PermissionDenied with the common name and the role that it has not.
  absl::Status Check(const std::string& common_name, GrpcRole role) const;
  // The same of the certificate of the call's client. A client with no
  // certificate, or one without a common name, is "". Unauthenticated for a
  // certificate that is not believed any more.
  absl::Status Check(const grpc::ServerContextBase& context,
                     GrpcRole role) const;

 private:
  using Roles = std::set<GrpcRole>;

  GrpcRoles() = default;

  const ServerTls* tls_ = nullptr;  // Null: certificates are not looked at.
  Roles of_anyone_;
  std::map<std::string, Roles> by_name_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_ROLES_H_
