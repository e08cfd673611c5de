// Answers the questions of the scheduler's plugin about a pod that waits.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ANSWERS_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ANSWERS_H_

#include <cstddef>
#include <cstdint>
#include <random>

#include "absl/status/status.h"
#include "core/engine/template_ranking.h"
#include "core/index/pod_info.h"
#include "core/model/json_path.h"
#include "core/plugins/status.h"
#include "server/listeners/scheduler_plugin/attached_profiles.h"
#include "server/listeners/scheduler_plugin/told_cluster.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// As messages tell it: as in k8s.io/kube-scheduler/framework.
std::int32_t NumberOf(Code code);

// Errors name the field of the question, below `path`, and the value.

// `ranking` is that of the profile. Cost: that of TemplateRanking, or, if the
// question names nodes, of RankNodes for these. `passed` becomes how many nodes
// pass the filters.
absl::Status AnswerBest(const v1::Question::BestNodes& question,
                        const JsonPath& path, const AttachedProfile& profile,
                        TemplateRanking& ranking, const ToldCluster& cluster,
                        const PodInfo& pod, std::mt19937_64& random,
                        v1::BestNodesAnswer* answer, std::size_t& passed);

// Cost: that of the two plugins' PreFilter, plus O(nodes).
void AnswerVerdicts(const AttachedProfile& profile, const ToldCluster& cluster,
                    const PodInfo& pod, v1::VerdictsAnswer* answer);

// Cost: that of the two plugins' PreScore, plus O(nodes of the question).
absl::Status AnswerScores(const v1::Question::Scores& question,
                          const JsonPath& path, const AttachedProfile& profile,
                          const ToldCluster& cluster, const PodInfo& pod,
                          v1::ScoresAnswer* answer);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ANSWERS_H_
