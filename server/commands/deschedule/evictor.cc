#include "server/commands/deschedule/evictor.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/pod.h"

namespace vicinal {

// An owner reference with what tells it apart for good; and the pod's own.
struct OwnerOfPod {
  EventSubject subject;
  bool controller = false;
};
struct OwnersOfPod {
  std::vector<OwnerOfPod> owners;
};

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           OwnerOfPod* out) {
  EventSubject& subject = out->subject;
  return DecodeFields(
      value, path, JsonField{"apiVersion", &subject.api_version},
      JsonField{"kind", &subject.kind}, JsonField{"name", &subject.name},
      JsonField{"uid", &subject.uid},
      JsonField{"controller", &out->controller});
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           OwnersOfPod* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "metadata") return absl::OkStatus();
        return DecodeFields(field, where,
                            JsonField{"ownerReferences", &out->owners});
      });
}

namespace {

using Outcome = EvictResult::Outcome;

constexpr char kComponent[] = "vicinal-deschedule";
constexpr std::chrono::minutes kNoEventsAfterFailure{1};

// Of a pod's JSON that has been read as a pod before.
std::optional<EventSubject> OwnerOf(JsonReader& reader,
                                    const std::string& pod) {
  const absl::StatusOr<OwnersOfPod> read = reader.ReadCopy<OwnersOfPod>(pod);
  if (!read.ok() || read->owners.empty()) return std::nullopt;
  const auto controller = std::ranges::find_if(
      read->owners, [](const OwnerOfPod& owner) { return owner.controller; });
  return controller == read->owners.end() ? read->owners.front().subject
                                          : controller->subject;
}

std::string PathOf(const PlannedEviction& planned) {
  return absl::StrCat("/api/v1/namespaces/", planned.pod.namespace_name,
                      "/pods/", planned.pod.name);
}

// `"key":"value"`
void AppendField(std::string_view key, std::string_view value,
                 std::string& out) {
  AppendJsonString(key, out);
  out += ':';
  AppendJsonString(value, out);
}

std::string EvictionBody(const PlannedEviction& planned,
                         std::optional<std::int64_t> grace_period_seconds) {
  std::string body =
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{)";
  AppendField("name", planned.pod.name, body);
  body += ',';
  AppendField("namespace", planned.pod.namespace_name, body);
  body += R"(},"deleteOptions":{"preconditions":{)";
  AppendField("uid", planned.uid, body);
  body += '}';
  if (grace_period_seconds) {
    absl::StrAppend(&body, ",\"gracePeriodSeconds\":", *grace_period_seconds);
  }
  body += "}}";
  return body;
}

// No answer, or one that every request would get.
bool IsUnreachable(const absl::StatusOr<ApiResponse>& response) {
  return !response.ok() || response->status == 401 || response->status == 503;
}

EvictResult Failure(const absl::StatusOr<ApiResponse>& response) {
  const absl::Status status =
      response.ok() ? ToStatus(*response) : response.status();
  return {IsUnreachable(response) ? Outcome::kUnreachable : Outcome::kFailed,
          std::string(status.message())};
}

}  // namespace

const char* NameOf(EvictResult::Outcome outcome) {
  switch (outcome) {
    case Outcome::kEvicted:
      return "evicted";
    case Outcome::kChanged:
      return "changed";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kUnreachable:
      return "unreachable";
  }
  return "";
}

absl::StatusOr<ApiResponse> Evictor::SendOnce(ApiRequest request) const {
  const absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(config_, options_);
  if (!client.ok()) return client.status();
  return (*client)->Send(std::move(request));
}

EvictResult Evictor::Evict(const PlannedEviction& planned) {
  const absl::StatusOr<ApiResponse> now =
      client_.Send({.target = PathOf(planned)});
  if (now.ok() && now->status == 404) return {Outcome::kChanged, "it is gone"};
  if (!now.ok() || now->status != 200) return Failure(now);
  JsonReader reader;
  const absl::StatusOr<Pod> pod = reader.ReadCopy<Pod>(now->body);
  if (!pod.ok()) {
    return {Outcome::kFailed, std::string(pod.status().message())};
  }
  if (pod->meta.uid != planned.uid) {
    return {Outcome::kChanged, "it is another pod of that name"};
  }
  if (pod->spec.node_name != planned.node) {
    return {Outcome::kChanged, "it is not on " + planned.node};
  }
  if (IsTerminating(*pod)) return {Outcome::kChanged, "it is terminating"};
  if (IsFinished(*pod) && !planned.IsOfFinishedPod()) {
    return {Outcome::kChanged, "it has finished"};
  }

  ApiRequest request;
  request.method = "POST";
  request.target = PathOf(planned) + "/eviction";
  request.body = EvictionBody(planned, grace_period_seconds_);
  const absl::StatusOr<ApiResponse> answer = SendOnce(std::move(request));
  std::optional<EventSubject> owner = OwnerOf(reader, now->body);
  if (answer.ok() && ToStatus(*answer).ok()) {
    return {.owner = std::move(owner)};
  }
  EvictResult failure = Failure(answer);
  if (answer.ok()) {
    if (answer->status == 429) failure.outcome = Outcome::kRefused;
    if (answer->status == 404 || answer->status == 409) {
      failure.outcome = Outcome::kChanged;
    }
    if (answer->status < 500) return failure;
  }
  // It may have been done all the same.
  const absl::StatusOr<ApiResponse> after =
      client_.Send({.target = PathOf(planned)});
  if (!after.ok()) return failure;
  if (after->status == 404) return {.owner = std::move(owner)};
  if (after->status != 200) return failure;
  const absl::StatusOr<Pod> left = reader.ReadCopy<Pod>(after->body);
  if (left.ok() && (left->meta.uid != planned.uid || IsTerminating(*left))) {
    return {.owner = std::move(owner)};
  }
  return failure;
}

absl::Status Evictor::PostEvent(const PlannedEviction& evicted,
                                const EventSubject& subject) {
  const absl::Time now = absl::Now();
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone());
  std::string body = R"({"apiVersion":"v1","kind":"Event","metadata":{)";
  AppendField("name",
              absl::StrCat(subject.name, ".",
                           absl::Hex(absl::ToUnixNanos(now), absl::kZeroPad16)),
              body);
  body += ',';
  AppendField("namespace", evicted.pod.namespace_name, body);
  body += R"(},"involvedObject":{)";
  AppendField("apiVersion", subject.api_version, body);
  body += ',';
  AppendField("kind", subject.kind, body);
  body += ',';
  AppendField("name", subject.name, body);
  body += ',';
  AppendField("namespace", evicted.pod.namespace_name, body);
  body += ',';
  AppendField("uid", subject.uid, body);
  body += R"(},"type":"Normal","action":"Descheduled","count":1,)";
  AppendField("reason", NameOf(evicted.strategy), body);
  body += ',';
  AppendField("message",
              absl::StrCat(subject.kind == "Pod"
                               ? std::string("pod")
                               : absl::StrCat("pod ", evicted.pod.name),
                           " eviction from ", evicted.node, " node by ",
                           kComponent, ": ", evicted.reason,
                           evicted.IsOfFinishedPod() ? "" : "; expected on ",
                           evicted.destination),
              body);
  body += ',';
  AppendField("firstTimestamp", time, body);
  body += ',';
  AppendField("lastTimestamp", time, body);
  body += R"(,"source":{)";
  AppendField("component", kComponent, body);
  body += "}}";
  ApiRequest request;
  request.method = "POST";
  request.target = absl::StrCat("/api/v1/namespaces/",
                                evicted.pod.namespace_name, "/events");
  request.body = std::move(body);
  const absl::StatusOr<ApiResponse> response = client_.Send(std::move(request));
  return response.ok() ? ToStatus(*response) : response.status();
}

void Evictor::Record(const PlannedEviction& evicted,
                     const std::optional<EventSubject>& owner) {
  if (Clock::now() < no_event_before_.load()) return;
  absl::Status status =
      PostEvent(evicted, {"v1", "Pod", evicted.pod.name, evicted.uid});
  if (status.ok() && owner) status = PostEvent(evicted, *owner);
  if (status.ok()) return;
  no_event_before_.store(Clock::now() + kNoEventsAfterFailure);
  LOG(WARNING) << "no event for pod " << evicted.pod.namespace_name << "/"
               << evicted.pod.name << ", nor for those of the next minute: "
               << std::string(status.message());
}

}  // namespace vicinal
