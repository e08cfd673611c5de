#include "server/kubernetes/pod_reader.h"

#include <utility>

#include "absl/status/status.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/pod_path.h"

namespace vicinal {
namespace {

boost::asio::awaitable<absl::StatusOr<Pod>> Read(ApiClientPool& pool,
                                                 std::string target) {
  const absl::StatusOr<ApiClientPool::Lease> client = co_await pool.Take();
  if (!client.ok()) co_return client.status();
  ApiRequest request;
  request.target = std::move(target);
  const absl::StatusOr<ApiResponse> response =
      co_await (*client)->Send(std::move(request));
  if (!response.ok()) co_return response.status();
  absl::Status status = ToStatus(*response);
  if (!status.ok()) co_return status;
  JsonReader reader;
  co_return reader.ReadCopy<Pod>(response->body);
}

}  // namespace

void ReadPod(ApiClientPool& pool, const std::string& namespace_name,
             const std::string& name,
             std::function<void(absl::StatusOr<Pod>)> done) {
  const absl::StatusOr<std::string> path = PodPath(namespace_name, name);
  if (!path.ok()) return done(path.status());
  pool.Run([&pool, target = *path,
            done = std::move(done)]() -> boost::asio::awaitable<void> {
    done(co_await Read(pool, target));
  });
}

}  // namespace vicinal
