#include "server/listeners/scheduler_plugin/session.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/json.h"
#include "server/listeners/scheduler_plugin/answers.h"
#include "server/versions.h"

namespace vicinal {
namespace {

constexpr char kDefaultSchedulerName[] = "default-scheduler";

}  // namespace

absl::StatusOr<std::optional<v1::VicinalMessage>> Session::Handle(
    const v1::SchedulerMessage& message) {
  std::optional<v1::VicinalMessage> answer;
  const absl::Status status = HandleAt(message, answer);
  if (status.ok()) return answer;
  return absl::Status(status.code(),
                      absl::StrCat("position ", message.position(), ": ",
                                   std::string(status.message())));
}

absl::Status Session::HandleAt(const v1::SchedulerMessage& message,
                               std::optional<v1::VicinalMessage>& answer) {
  const JsonPath root;
  if (message.position() != position_ + 1) {
    return FieldError(
        root.Field("position"),
        absl::StrCat(message.position(), ": must be ", position_ + 1));
  }
  ++position_;
  if (position_ == 1) {
    return Greet(message, answer.emplace().mutable_ready());
  }
  if (message.has_hello()) {
    return FieldError(root.Field("hello"), "comes in the first message only");
  }
  const JsonPath changes = root.Field("changes");
  for (int i = 0; i < message.changes_size(); ++i) {
    if (absl::Status status = cluster_.Apply(
            message.changes(i), changes.Index(static_cast<std::size_t>(i)));
        !status.ok()) {
      return status;
    }
  }
  if (message.synced()) {
    if (synced_) return FieldError(root.Field("synced"), "told twice");
    synced_ = true;
  }
  if (!message.has_question()) return absl::OkStatus();
  v1::Answer* const out = answer.emplace().mutable_answer();
  out->set_position(position_);
  return AnswerQuestion(message.question(), out);
}

absl::Status Session::Greet(const v1::SchedulerMessage& message,
                            v1::Ready* ready) {
  const JsonPath root;
  if (!message.has_hello()) return FieldError(root.Field("hello"), "required");
  for (const auto& [is_there, field] :
       {std::pair(message.changes_size() > 0, "changes"),
        std::pair(message.synced(), "synced"),
        std::pair(message.has_question(), "question")}) {
    if (is_there) {
      return FieldError(root.Field(field), "the first message has hello alone");
    }
  }
  absl::StatusOr<AttachedProfiles> profiles =
      AttachProfiles(message.hello(), config_);
  if (!profiles.ok()) return profiles.status();
  profiles_ = *std::move(profiles);
  ready->set_version(kVersion);
  for (const auto& [name, profile] : profiles_) {
    rankings_.try_emplace(name, profile.all, cluster_.state(),
                          cluster_.changed_nodes());
    if (profile.declined.empty()) continue;
    (*ready->mutable_best_nodes_declined())[name] = profile.declined;
  }
  return absl::OkStatus();
}

AttachedProfiles::const_iterator Session::ProfileOf(const Pod& pod) const {
  const std::string& named = pod.spec.scheduler_name;
  return profiles_.find(named.empty() ? kDefaultSchedulerName : named);
}

const AttachedProfile* Session::FindProfile(const Pod& pod) const {
  const auto profile = ProfileOf(pod);
  return profile == profiles_.end() ? nullptr : &profile->second;
}

absl::Status Session::AnswerQuestion(const v1::Question& question,
                                     v1::Answer* answer) {
  const JsonPath root;
  const JsonPath path = root.Field("question");
  if (!synced_) return FieldError(path, "comes before synced");
  const JsonPath uid_path = path.Field("uid");
  const PodInfo* const pod = cluster_.FindWaiting(question.uid());
  if (pod == nullptr) {
    return FieldError(uid_path, absl::StrCat("\"", question.uid(), "\": ",
                                             cluster_.IsPlaced(question.uid())
                                                 ? "the pod is on a node"
                                                 : "no such pod"));
  }
  const std::string& named = pod->pod.spec.scheduler_name;
  const auto profile = ProfileOf(pod->pod);
  if (profile == profiles_.end()) {
    return FieldError(uid_path, absl::StrCat("\"", question.uid(),
                                             "\": no profile has the pod's "
                                             "spec.schedulerName \"",
                                             named, "\""));
  }
  if (!question.has_best() && !question.has_verdicts() &&
      !question.has_scores()) {
    return FieldError(path, "asks nothing");
  }
  absl::Status status;
  if (question.has_best()) {
    status = AnswerBest(question.best(), path.Field("best"), profile->second,
                        rankings_.at(profile->first), cluster_, *pod, random_,
                        answer->mutable_best(), passed_);
  }
  if (status.ok() && question.has_verdicts()) {
    AnswerVerdicts(profile->second, cluster_, *pod, answer->mutable_verdicts());
  }
  if (status.ok() && question.has_scores()) {
    status =
        AnswerScores(question.scores(), path.Field("scores"), profile->second,
                     cluster_, *pod, answer->mutable_scores());
  }
  return status;
}

}  // namespace vicinal
