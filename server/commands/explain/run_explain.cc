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
#include "server/commands/cluster/cluster_source.h"
#include "server/commands/cluster/put_in_namespace.h"
#include "server/commands/explain/explanation_report.h"
#include "server/commands/explain/question.h"
#include "server/commands/explain/wanted_workload.h"
#include "server/commands/page/page.h"
#include "server/kubernetes/read_file.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {
namespace {

constexpr char kDefaultNamespace[] = "default";

absl::Status LoadCluster(const FoundCluster& found, std::ostream& err,
                         WantedWorkload& wanted, ClusterState& cluster) {
  ClusterReceiver receiver;
  receiver.add = [&cluster](Object object, const PodFacts&) {
    cluster.Upsert(std::move(object));
  };
  wanted.LookOutFor(receiver);
  return ReadCluster(found, receiver, err);
}

// Of a manifest: its text, with the namespace of what has none.
absl::StatusOr<std::string> ReadManifestFile(
    const std::string& path, const std::string& namespace_name) {
  absl::StatusOr<std::string> text = ReadWholeFile(path);
  if (!text.ok() || namespace_name == kDefaultNamespace) return text;
  return PutInNamespace(*std::move(text), namespace_name);
}

absl::StatusOr<std::vector<Question>> ReadQuestions(
    const ExplainOptions& options, const std::string& namespace_name,
    const WantedWorkload& wanted, ClusterState& cluster,
    std::vector<std::string>& warnings) {
  std::string pod = options.pod.empty() ? wanted.pod() : options.pod;
  if (!pod.empty()) {
    if (pod.find('/') == std::string::npos) pod = namespace_name + "/" + pod;
    absl::StatusOr<Question> question = QuestionAbout(pod, cluster, warnings);
    if (!question.ok()) return question.status();
    return std::vector<Question>{*std::move(question)};
  }
  const absl::StatusOr<std::string> text =
      options.object.empty()
          ? ReadManifestFile(options.manifest, namespace_name)
          : wanted.Text();
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<Question>> questions =
      QuestionsOf(*text, cluster, warnings);
  if (!questions.ok()) {
    return absl::Status(
        questions.status().code(),
        absl::StrCat(options.object.empty() ? options.manifest : options.object,
                     ": ", questions.status().message()));
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
  const absl::StatusOr<FoundCluster> found =
      FindCluster({options.cluster_file, options.kubeconfig, options.context});
  if (!found.ok()) return found.status();
  const std::string& namespace_name = options.namespace_name.empty()
                                          ? found->namespace_name
                                          : options.namespace_name;
  absl::StatusOr<WantedWorkload> wanted =
      WantedWorkload::Parse(options.object, namespace_name);
  if (!wanted.ok()) return wanted.status();
  ClusterState cluster(options.release);
  absl::Status status = LoadCluster(*found, err, *wanted, cluster);
  if (!status.ok()) return status;
  std::vector<std::string> warnings;
  absl::StatusOr<std::vector<Question>> questions =
      ReadQuestions(options, namespace_name, *wanted, cluster, warnings);
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
