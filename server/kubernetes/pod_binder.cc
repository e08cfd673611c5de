#include "server/kubernetes/pod_binder.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/pod.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/backoff.h"
#include "server/kubernetes/pod_path.h"

namespace vicinal {
namespace {

using Outcome = BindResult::Outcome;
using std::chrono::milliseconds;

std::string ToJson(const PodBinding& binding) {
  std::string json =
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  AppendJsonString(binding.name, json);
  json += R"(,"namespace":)";
  AppendJsonString(binding.namespace_name, json);
  json += R"(,"uid":)";
  AppendJsonString(binding.uid, json);
  json += R"(},"target":{"apiVersion":"v1","kind":"Node","name":)";
  AppendJsonString(binding.node, json);
  json += "}}";
  return json;
}

ApiRequest ToWrite(const std::string& path, const PodBinding& binding) {
  ApiRequest request;
  request.method = "POST";
  request.target = path + "/binding";
  request.body = ToJson(binding);
  return request;
}

// What the API server says about the pod.
enum class Seen {
  kThere,       // On the node.
  kNeverThere,  // Gone, of another uid, ending, or on another node.
  kUnbound,
  kUnknown,
};

Seen SeenIn(const absl::StatusOr<ApiResponse>& response,
            const PodBinding& binding) {
  if (!response.ok()) return Seen::kUnknown;
  if (response->status == 404) return Seen::kNeverThere;
  if (!ToStatus(*response).ok()) return Seen::kUnknown;
  JsonReader reader;
  const absl::StatusOr<Pod> pod = reader.ReadCopy<Pod>(response->body);
  if (!pod.ok()) return Seen::kUnknown;
  if (pod->meta.uid != binding.uid) return Seen::kNeverThere;
  if (pod->spec.node_name == binding.node) return Seen::kThere;
  if (!pod->spec.node_name.empty() || IsTerminating(*pod)) {
    return Seen::kNeverThere;
  }
  return Seen::kUnbound;
}

// As the API server words it for who is not known or not authorized; admission
// plugins, which refuse single bindings, answer 403 too.
bool HasNoRight(const ApiResponse& response) {
  return response.status == 401 ||
         (response.status == 403 &&
          response.body.find("cannot create resource") != std::string::npos);
}

BindResult Late() {
  return {Outcome::kLate,
          "the binding was not written: nobody waits for it any more"};
}

}  // namespace

void PodBinder::Bind(const PodBinding& binding, BindCaller caller,
                     std::function<void(BindResult)> done) {
  pool_.Run([this, binding, caller = std::move(caller),
             done = std::move(done)]() -> Awaitable<void> {
    done(co_await Write(binding, caller));
  });
}

PodBinder::Awaitable<BindResult> PodBinder::Write(const PodBinding& binding,
                                                  const BindCaller& caller) {
  const absl::StatusOr<std::string> path =
      PodPath(binding.namespace_name, binding.name);
  if (!path.ok()) {
    co_return BindResult{Outcome::kRefused,
                         std::string(path.status().message())};
  }
  Backoff backoff(milliseconds(20), milliseconds(1000), seeds_());
  BindResult failed = Late();
  // When the last request was sent that may have been carried out, or may yet.
  std::optional<Clock::time_point> doubt;
  int refusals = 0;
  bool cut = false;    // A request was not answered at all.
  bool writes = true;  // Whether it may be written again.
  for (;;) {
    milliseconds wait = backoff.Next();
    {
      absl::StatusOr<ApiClientPool::Lease> client = co_await pool_.Take();
      if (!client.ok()) {
        co_return BindResult{Outcome::kRefused,
                             std::string(client.status().message())};
      }
      writes = writes && caller.StillWaits();
      if (!writes && !doubt) co_return failed;
      bool look = true;
      bool answered = false;
      if (writes) {
        const Clock::time_point sent = Clock::now();
        absl::StatusOr<ApiResponse> response =
            co_await (*client)->Send(ToWrite(*path, binding));
        if (response.ok() && response->status == 401) {
          // A connection keeps the certificate with which it was opened, and
          // there may be a newer one, with which this opens another.
          response = co_await (*client)->Send(ToWrite(*path, binding));
        }
        const absl::Status status =
            response.ok() ? ToStatus(*response) : response.status();
        if (status.ok()) co_return BindResult{};
        failed = {Outcome::kRefused, std::string(status.message())};
        answered = response.ok();
        cut = cut || !answered;
        if (!answered || response->status >= 500) doubt = sent;
        if (answered && response->status == 429) {
          look = false;
          if (response->retry_after) {
            wait = std::max<milliseconds>(wait, *response->retry_after);
          }
        } else if (answered && response->status != 409 &&
                   response->status < 500) {
          writes = false;
          if (HasNoRight(*response)) failed.outcome = Outcome::kForbidden;
          if (!doubt) co_return failed;
        } else if (answered && ++refusals == options_.max_refusals) {
          writes = false;
        }
      }
      if (look) {
        ApiRequest request;
        request.target = *path;
        const Seen seen =
            SeenIn(co_await (*client)->Send(std::move(request)), binding);
        if (seen == Seen::kThere) co_return BindResult{};
        if (seen == Seen::kNeverThere) co_return failed;
        // What was answered is over; what was not may be under way for a while.
        if (seen == Seen::kUnbound && answered && !cut) doubt.reset();
        const bool settled =
            !doubt || Clock::now() >= *doubt + options_.settled_after;
        if (settled && !writes) {
          if (seen == Seen::kUnknown && doubt) {
            failed.outcome = Outcome::kUnknown;
          }
          co_return failed;
        }
      }
    }
    co_await pool_.Sleep(wait);
  }
}

}  // namespace vicinal
