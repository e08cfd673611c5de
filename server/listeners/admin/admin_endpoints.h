// What every admin listener answers.
#ifndef VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_ENDPOINTS_H_
#define VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_ENDPOINTS_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/listeners/http/http_server.h"

namespace vicinal {

struct AdminEndpoints {
  std::function<absl::Status()> ready;  // /readyz: 503 with the message.
  // /leadz, as /readyz; null: there is none.
  std::function<absl::Status()> may_lead = nullptr;
  std::function<std::string()> metrics;  // /metrics, in the text format.
  // /decisions, a line of JSON each; null: there are none.
  std::function<std::string()> decisions = nullptr;
  // /page and what is below it; null: there is no page.
  std::function<HttpResponse(const HttpRequest&)> page = nullptr;
  // Whether a client, by the common name of its certificate, may read the
  // decisions and the page; null: who may read the metrics. Else 403 with the
  // message.
  std::function<absl::Status(std::string_view)> may_read_decisions = nullptr;
  // These three are only for clients with a certificate; the kubelet, which
  // asks for the health, has none.
  bool protect_metrics = false;
};

// Answers GET /healthz, /readyz, /leadz, /metrics, /decisions and /page.
// Thread-safe if the functions are.
HttpResponse HandleAdmin(const AdminEndpoints& endpoints,
                         const HttpRequest& request);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_ENDPOINTS_H_
