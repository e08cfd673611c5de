#include "server/commands/explain/run_explain.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/explain/complete_filters.h"
#include "core/explain/describe.h"
#include "core/explain/explain.h"
#include "core/explain/read_extras.h"
#include "core/explain/replicas.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/cluster_extras.h"
#include "core/simulate/cluster_receiver.h"
#include "server/commands/cluster/cluster_source.h"
#include "server/commands/cluster/put_in_namespace.h"
#include "server/commands/explain/advice.h"
#include "server/commands/explain/explanation_report.h"
#include "server/commands/explain/question.h"
#include "server/commands/explain/wanted_workload.h"
#include "server/commands/page/page.h"
#include "server/commands/release/scheduler_release.h"
#include "server/kubernetes/read_file.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/storage_snapshot.h"

namespace vicinal {
namespace {

constexpr char kDefaultNamespace[] = "default";
constexpr char kDefaultScheduler[] = "default-scheduler";
// Of a workload no more are placed.
constexpr std::size_t kMaxReplicas = 1000;

absl::Status LoadCluster(const FoundCluster& found, std::ostream& err,
                         WantedWorkload& wanted, ClusterState& cluster,
                         ClusterExtras& extras) {
  ClusterReceiver receiver;
  ExtrasReader reader(extras);
  receiver.text = [&reader](const TypeMeta& type, const JsonPath& path,
                            simdjson::padded_string_view json) {
    return reader.Read(type, path, json);
  };
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

// Of an API server only if a pod has claims: there may be many.
absl::Status LoadStorage(const FoundCluster& found,
                         const std::vector<Question>& questions,
                         ClusterExtras& extras,
                         std::vector<std::string>& warnings) {
  const bool has_volumes = std::ranges::any_of(
      questions,
      [](const Question& one) { return !one.extras.volumes.empty(); });
  if (!found.api || !has_volumes) return absl::OkStatus();
  StorageObjects listed;
  absl::Status status = ReadStorageFromApi(*found.api, listed, warnings);
  PutStorage(std::move(extras.storage), listed);  // Of the manifest.
  extras.storage = std::move(listed);
  return status;
}

absl::StatusOr<std::vector<Question>> ReadQuestions(
    const ExplainOptions& options, const std::string& namespace_name,
    const WantedWorkload& wanted, ClusterState& cluster, ClusterExtras& extras,
    std::vector<std::string>& warnings) {
  std::string pod = options.pod.empty() ? wanted.pod() : options.pod;
  if (!pod.empty()) {
    if (pod.find('/') == std::string::npos) pod = namespace_name + "/" + pod;
    absl::StatusOr<Question> question =
        QuestionAbout(pod, cluster, extras, warnings);
    if (!question.ok()) return question.status();
    return std::vector<Question>{*std::move(question)};
  }
  const absl::StatusOr<std::string> text =
      options.object.empty()
          ? ReadManifestFile(options.manifest, namespace_name)
          : wanted.Text();
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<Question>> questions =
      QuestionsOf(*text, cluster, extras, warnings);
  if (!questions.ok()) {
    return absl::Status(
        questions.status().code(),
        absl::StrCat(options.object.empty() ? options.manifest : options.object,
                     ": ", questions.status().message()));
  }
  return questions;
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

// What of the scheduler, and not of the pod, is not known.
void AddSchedulerGaps(const ExplainOptions& options,
                      const SchedulerProfile& profile,
                      const ClusterState& cluster, const Pod& pod,
                      std::vector<NotChecked>& gaps) {
  if (!profile.other_filters.empty()) {
    gaps.push_back({profile.other_filters, "vicinal does not have what " +
                                               options.scheduler_config +
                                               " enables"});
  }
  const std::string& name = pod.spec.scheduler_name;
  if (!options.scheduler_config.empty() || name.empty() ||
      name == kDefaultScheduler) {
    return;
  }
  bool has_pods = false;
  cluster.ForEachPod([&](const StoredPod& known) {
    has_pods |=
        known.node() != nullptr && known.common().spec.scheduler_name == name;
  });
  gaps.push_back(
      {{},
       absl::StrCat("spec.schedulerName: whether a scheduler \"", name,
                    "\" runs", has_pods ? "" : " (no pod on a node names it)",
                    ", and what its profile says (--scheduler-config); the "
                    "answer is by the default profile")});
}

// Pods of the workload that are on nodes: its controllers' names begin with its
// own.
std::size_t Running(const Question& question, const ClusterState& cluster) {
  const OwnerReference* made_by = ControllerOf(question.pod.meta);
  if (made_by == nullptr) return 0;
  const bool by_replica_set = question.kind == "Deployment";
  std::size_t running = 0;
  cluster.ForEachPod([&](const StoredPod& pod) {
    const OwnerReference* owner = ControllerOf(pod.common().meta);
    if (owner == nullptr || pod.node() == nullptr || pod.terminating() ||
        pod.namespace_name() != question.object.namespace_name ||
        owner->kind != made_by->kind) {
      return;
    }
    const std::string name = by_replica_set
                                 ? owner->name.substr(0, owner->name.rfind('-'))
                                 : owner->name;
    if (name == question.object.name) ++running;
  });
  return running;
}

void AddReplicas(const ReplicaQuestion& one, ClusterState& cluster,
                 ClusterExtras& extras, Answer& answer) {
  const auto wanted =
      static_cast<std::size_t>(std::max(answer.question.replicas, 0));
  if (wanted < 2) return;
  answer.running = Running(answer.question, cluster);
  if (answer.running >= wanted) return;
  answer.replicas = PlaceReplicas(
      one, std::min(wanted - answer.running, kMaxReplicas), cluster, extras);
}

Answer AnswerTo(Question question, const ExplainOptions& options,
                const SchedulerProfile& profile, ClusterState& cluster,
                ClusterExtras& extras) {
  Answer answer;
  answer.question = std::move(question);
  MakeClaims(answer.question, extras);
  const PodInfo pod(answer.question.pod);
  const PodExtras& of_pod = answer.question.extras;
  const std::string& prefix = answer.question.path_prefix;
  CompleteFilters filters = MakeCompleteFilters(
      profile.plugin_config,
      [&profile](std::string_view name) {
        return profile.filters.contains(name);
      },
      pod, of_pod, extras);
  std::vector<NotChecked>& gaps = filters.not_checked;
  gaps.insert(gaps.end(), answer.question.not_checked.begin(),
              answer.question.not_checked.end());
  AddSchedulerGaps(options, profile, cluster, pod.pod, gaps);
  const ExplainExtras with{of_pod, extras, filters};
  answer.explanation = Explain(cluster, profile.explain, profile.plugin_config,
                               pod, prefix, &with);
  AddVictims(filters.profile, pod, cluster, answer.explanation);
  AddReplicas(
      {pod, of_pod, filters, profile.explain, profile.plugin_config, prefix},
      cluster, extras, answer);
  return answer;
}

}  // namespace

absl::Status RunExplain(const ExplainOptions& options, std::ostream& out,
                        std::ostream& err, bool* fits, bool* checked) {
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
  const absl::StatusOr<SchedulerRelease> release =
      ReleaseFor(options.release, found->api ? &*found->api : nullptr);
  if (!release.ok()) return release.status();
  ClusterState cluster(release->release);
  ClusterExtras extras;
  absl::Status status = LoadCluster(*found, err, *wanted, cluster, extras);
  if (!status.ok()) return status;
  std::vector<std::string> warnings;
  if (!release->mismatch.empty()) warnings.push_back(release->mismatch);
  absl::StatusOr<std::vector<Question>> questions = ReadQuestions(
      options, namespace_name, *wanted, cluster, extras, warnings);
  if (questions.ok()) {
    status = LoadStorage(*found, *questions, extras, warnings);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<SchedulerProfiles> profiles = ReadProfilesForAnswers(
      options.scheduler_config, release->release, warnings);
  for (const std::string& warning : warnings) {
    err << "vicinal: warning: " << warning << "\n";
  }
  if (!questions.ok()) return questions.status();
  if (!profiles.ok()) return profiles.status();

  std::vector<Answer> answers;
  *fits = true;
  bool all_checked = true;
  for (Question& question : *questions) {
    const SchedulerProfile* profile =
        profiles->Find(question.pod.spec.scheduler_name);
    if (profile == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          NameOf(question), ": spec.schedulerName: ", options.scheduler_config,
          " has no profile \"", question.pod.spec.scheduler_name, "\""));
    }
    answers.push_back(
        AnswerTo(std::move(question), options, *profile, cluster, extras));
    const Answer& answer = answers.back();
    *fits &= answer.explanation.Fits() &&
             (!answer.replicas || !answer.replicas->next);
    all_checked &= answer.explanation.not_checked.empty();
    std::vector<std::string> mistakes;
    AddMistakes(answer, cluster, mistakes);
    for (std::string& mistake : mistakes) {
      err << "vicinal: warning: " << mistake << "\n";
      warnings.push_back(std::move(mistake));
    }
  }
  if (checked != nullptr) *checked = all_checked;
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
    out << ToText(ToJson(answers, warnings), options.output);
  }
  out.flush();
  if (!out) return absl::DataLossError("the answer cannot be written");
  return absl::OkStatus();
}

}  // namespace vicinal
