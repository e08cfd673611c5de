// The service Extender: the questions of server/extender and server/explain
// over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_

#include "core/model/json_path.h"
#include "server/commands/explain/live_explainer.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/grpc/grpc_roles.h"
#include "server/listeners/grpc/node_lists.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "vicinal/v1/extender.grpc.pb.h"

namespace vicinal {

// Thread-safe. proto/vicinal/v1/extender.proto says what the calls mean. Bind
// holds no thread while the API server is waited for.
class GrpcExtender
    : public v1::Extender::WithCallbackMethod_Bind<v1::Extender::Service> {
 public:
  // All must outlive the service.
  GrpcExtender(const ExtenderService& extender, const ExtenderBinder& binder,
               const LiveExplainer& explainer, const ClusterStore& store,
               Metrics& metrics, const GrpcRoles& roles)
      : extender_(extender),
        binder_(binder),
        explainer_(explainer),
        store_(store),
        metrics_(metrics),
        roles_(roles) {}

  grpc::Status Filter(grpc::ServerContext* context,
                      const v1::FilterRequest* request,
                      v1::FilterResponse* response) override;
  grpc::Status FilterNamed(grpc::ServerContext* context,
                           const v1::FilterNamedRequest* request,
                           v1::FilterNamedResponse* response) override;
  grpc::Status NameNodes(grpc::ServerContext* context,
                         const v1::NameNodesRequest* request,
                         v1::NameNodesResponse* response) override;
  grpc::Status Prioritize(grpc::ServerContext* context,
                          const v1::PrioritizeRequest* request,
                          v1::PrioritizeResponse* response) override;
  grpc::Status Preempt(grpc::ServerContext* context,
                       const v1::PreemptRequest* request,
                       v1::PreemptResponse* response) override;
  grpc::ServerUnaryReactor* Bind(grpc::CallbackServerContext* context,
                                 const v1::BindRequest* request,
                                 v1::BindResponse* response) override;
  grpc::Status Explain(grpc::ServerContext* context,
                       const v1::ExplainRequest* request,
                       v1::ExplainResponse* response) override;

 private:
  // Answers a question, whose place in the request is `path`, or says why not.
  void Answer(const v1::NamedQuestion& question, const JsonPath& path,
              const NodeList& list, v1::NamedAnswer* answer);

  const ExtenderService& extender_;
  const ExtenderBinder& binder_;
  const LiveExplainer& explainer_;
  const ClusterStore& store_;
  Metrics& metrics_;
  const GrpcRoles& roles_;
  NodeLists node_lists_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_
