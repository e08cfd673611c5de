#include "server/commands/explain/run_explain.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/explain/explain.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/simulate/cluster_receiver.h"
#include "server/commands/explain/explanation_report.h"
#include "server/commands/explain/question.h"
#include "server/commands/page/page.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/kubernetes/read_file.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {
namespace {

absl::Status LoadCluster(const ExplainOptions& options, ClusterState& cluster) {
  ClusterReceiver receiver;
  receiver.add = [&cluster](Object object, const PodFacts&) {
    cluster.Upsert(std::move(object));
  };
  if (!options.kubeconfig.empty()) {
    const absl::StatusOr<ClientConfig> config =
        LoadKubeconfig(options.kubeconfig);
    if (!config.ok()) return config.status();
    return ReadClusterFromApi(*config, receiver);
  }
  const absl::Status status = ReadClusterFile(options.cluster_file, receiver);
  if (!status.ok()) return status;
  return cluster.Nodes().empty() ? NoNodesInFile(options.cluster_file)
                                 : absl::OkStatus();
}

absl::StatusOr<std::vector<Question>> ReadQuestions(
    const ExplainOptions& options, ClusterState& cluster,
    std::vector<std::string>& warnings) {
  if (!options.pod.empty()) {
    absl::StatusOr<Question> question =
        QuestionAbout(options.pod, cluster, warnings);
    if (!question.ok()) return question.status();
    return std::vector<Question>{*std::move(question)};
  }
  const absl::StatusOr<std::string> text = ReadWholeFile(options.manifest);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<Question>> questions =
      QuestionsOf(*text, cluster, warnings);
  if (!questions.ok()) {
    return absl::Status(
        questions.status().code(),
        absl::StrCat(options.manifest, ": ", questions.status().message()));
  }
  return questions;
}

// The profiles that pods are explained by. Scores that vicinal does not have
// are left out, with a warning: the verdicts do not depend on them.
absl::StatusOr<SchedulerProfiles> ReadProfiles(
    const std::string& path, const KubernetesRelease& release,
    std::vector<std::string>& warnings) {
  absl::StatusOr<SchedulerProfiles> profiles =
      ReadProfilesFile(path, false, release);
  if (profiles.ok()) return profiles;
  absl::StatusOr<SchedulerProfiles> without_weights =
      ReadProfilesFile(path, true, release);
  if (without_weights.ok()) {
    warnings.push_back("scores are by the default weights: " +
                       std::string(profiles.status().message()));
  }
  return without_weights;
}

absl::Status DrawAnswers(const std::string& path, const ClusterState& cluster,
                         const std::vector<Answer>& answers) {
  Page page;
  page.title = answers.size() == 1
                   ? Summary(answers.front())
                   : Counted(answers.size(), "pod") + ", explained";
  for (const Answer& answer : answers) {
    if (answers.size() == 1) page.message = answer.explanation.message;
    for (const Hint& hint : answer.explanation.hints) {
      page.hints.push_back(answers.size() == 1
                               ? hint.text
                               : NameOf(answer.question) + ": " + hint.text);
    }
    PageView view = ViewOf(cluster, page);
    view.title = answers.size() == 1 ? "The cluster now" : Summary(answer);
    AddExplanation(answer.explanation, view);
    page.views.push_back(std::move(view));
  }
  return WritePage(page, path);
}

}  // namespace

absl::Status RunExplain(const ExplainOptions& options, std::ostream& out,
                        std::ostream& err, bool* fits) {
  // The manifest comes second, but a mistake in it is told after the time of
  // reading the cluster either way: its namespaces and pods are checked too.
  ClusterState cluster(options.release);
  absl::Status status = LoadCluster(options, cluster);
  if (!status.ok()) return status;
  std::vector<std::string> warnings;
  absl::StatusOr<std::vector<Question>> questions =
      ReadQuestions(options, cluster, warnings);
  const absl::StatusOr<SchedulerProfiles> profiles =
      ReadProfiles(options.scheduler_config, options.release, warnings);
  for (const std::string& warning : warnings) {
    err << "vicinal: warning: " << warning << "\n";
  }
  if (!questions.ok()) return questions.status();
  if (!profiles.ok()) return profiles.status();

  std::vector<Answer> answers;
  *fits = true;
  for (Question& question : *questions) {
    const PodInfo pod(question.pod);
    const SchedulerProfile* profile =
        profiles->Find(pod.pod.spec.scheduler_name);
    if (profile == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          NameOf(question), ": spec.schedulerName: ", options.scheduler_config,
          " has no profile \"", pod.pod.spec.scheduler_name, "\""));
    }
    Answer& answer = answers.emplace_back();
    answer.question = std::move(question);
    answer.explanation =
        Explain(cluster, profile->explain, profile->plugin_config, pod,
                answer.question.path_prefix);
    *fits &= answer.explanation.fitting > 0;
  }
  if (!options.html.empty()) {
    status = DrawAnswers(options.html, cluster, answers);
    if (!status.ok()) return status;
  }
  if (options.output == "table") {
    bool is_first = true;
    for (const Answer& answer : answers) {
      out << (is_first ? "" : "\n") << Table(answer, options.max_nodes);
      is_first = false;
    }
  } else {
    const nlohmann::ordered_json json = ToJson(answers, warnings);
    out << (options.output == "yaml"
                ? ToYaml(json)
                : json.dump(2, ' ', false,
                            nlohmann::json::error_handler_t::replace) +
                      "\n");
  }
  out.flush();
  if (!out) return absl::DataLossError("the answer cannot be written");
  return absl::OkStatus();
}

}  // namespace vicinal
