// One stream between a scheduler's plugin and vicinal, without the wire:
// messages in, answers out. proto/vicinal/v1/scheduler_plugin.proto says what
// they mean.
//
//   Session session(config, seed);
//   for (message of the stream) {
//     const auto answer = session.Handle(message);
//     if (!answer.ok()) …         // The stream ends with this error.
//     if (*answer) …              // To be sent.
//   }
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SESSION_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "core/engine/template_ranking.h"
#include "core/model/pod.h"
#include "server/listeners/scheduler_plugin/attached_profiles.h"
#include "server/listeners/scheduler_plugin/told_cluster.h"
#include "server/scheduler_config/scheduler_config.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// Not thread-safe: one consumer reads the stream in its order, and needs no
// locks.
class Session {
 public:
  // `config` must outlive the session. `seed` is that of the choice among nodes
  // of equal score.
  Session(const SchedulerConfig& config, std::uint64_t seed)
      : config_(config), cluster_(config.release), random_(seed) {}

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Applies a message, and answers it if it is a hello or has a question.
  // Errors begin with `position N: ` and name the field and the value:
  // InvalidArgument, and those of AttachProfiles. After one the session is of
  // no use any more.
  // Cost: that of the changes (ToldCluster) and of the answers (answers.h).
  absl::StatusOr<std::optional<v1::VicinalMessage>> Handle(
      const v1::SchedulerMessage& message);

  const ToldCluster& cluster() const { return cluster_; }
  bool synced() const { return synced_; }
  // Of the last question for the best nodes: how many pass the filters.
  std::size_t passed() const { return passed_; }
  // Null if the scheduler has told of no such profile.
  const AttachedProfile* FindProfile(const Pod& pod) const;

 private:
  absl::Status HandleAt(const v1::SchedulerMessage& message,
                        std::optional<v1::VicinalMessage>& answer);
  absl::Status Greet(const v1::SchedulerMessage& message, v1::Ready* ready);
  AttachedProfiles::const_iterator ProfileOf(const Pod& pod) const;
  absl::Status AnswerQuestion(const v1::Question& question, v1::Answer* answer);

  const SchedulerConfig& config_;
  std::uint64_t position_ = 0;  // Of the last message.
  AttachedProfiles profiles_;
  ToldCluster cluster_;
  // By the name of the profile.
  std::map<std::string, TemplateRanking> rankings_;
  bool synced_ = false;
  std::size_t passed_ = 0;
  std::mt19937_64 random_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SESSION_H_
