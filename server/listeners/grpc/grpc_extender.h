// The service Extender: the questions of server/extender and server/explain
// over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_

#include "server/commands/explain/live_explainer.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/grpc/grpc_roles.h"
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
  const ExtenderService& extender_;
  const ExtenderBinder& binder_;
  const LiveExplainer& explainer_;
  const ClusterStore& store_;
  Metrics& metrics_;
  const GrpcRoles& roles_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_EXTENDER_H_
