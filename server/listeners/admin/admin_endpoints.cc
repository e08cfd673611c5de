#include "server/listeners/admin/admin_endpoints.h"

namespace vicinal {
namespace {

HttpResponse Text(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", text + "\n"};
}

}  // namespace

HttpResponse HandleAdmin(const AdminEndpoints& endpoints,
                         const HttpRequest& request) {
  const bool is_page = endpoints.page && (request.path == "/page" ||
                                          request.path.starts_with("/page/"));
  const bool known = is_page || request.path == "/healthz" ||
                     request.path == "/readyz" || request.path == "/metrics" ||
                     (request.path == "/leadz" && endpoints.may_lead) ||
                     (request.path == "/decisions" && endpoints.decisions);
  if (!known) return ErrorResponse(404, "unknown path");
  if (request.method != "GET") {
    HttpResponse response = ErrorResponse(405, "method must be GET");
    response.allow = "GET";
    return response;
  }
  if (request.path == "/healthz") return Text(200, "ok");
  if (request.path == "/metrics" || request.path == "/decisions" || is_page) {
    if (endpoints.protect_metrics && !request.has_client_certificate) {
      return ErrorResponse(401, "a client certificate is required");
    }
    if (request.path == "/decisions" || is_page) {
      const absl::Status may =
          endpoints.may_read_decisions
              ? endpoints.may_read_decisions(request.client_name)
              : absl::OkStatus();
      if (!may.ok()) return ErrorResponse(403, std::string(may.message()));
      if (is_page) return endpoints.page(request);
      return {200, "application/jsonl", endpoints.decisions()};
    }
    return {200, "text/plain; version=0.0.4; charset=utf-8",
            endpoints.metrics()};
  }
  const absl::Status ready =
      request.path == "/leadz" ? endpoints.may_lead() : endpoints.ready();
  if (ready.ok()) return Text(200, "ok");
  return Text(503, std::string(ready.message()));
}

}  // namespace vicinal
