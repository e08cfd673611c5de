#include "server/commands/explain/batch.h"

#include <cstddef>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/engine/default_profile.h"
#include "core/engine/fit_error.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/object_list.h"
#include "core/model/pod_admission.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/plugin_config.h"
#include "core/plugins/read_plugin_config.h"
#include "server/commands/explain/explanation_report.h"

namespace vicinal {
namespace {

struct Case {
  std::vector<Object> objects;
  std::optional<Pod> pod;
  PluginConfig plugin_config;
};

// Appends `,` unless it is the first of its list or object.
void AppendSeparator(std::string& json) {
  if (json.back() != '{' && json.back() != '[') json += ',';
}

void AppendKey(std::string_view key, std::string& json) {
  AppendSeparator(json);
  AppendJsonString(key, json);
  json += ':';
}

void AppendStatus(const NodeInfo& node, const Status& status,
                  std::string& json) {
  AppendKey(node.Name(), json);
  json += R"({"code":)";
  AppendJsonString(NameOf(status.code()), json);
  json += R"(,"plugin":)";
  AppendJsonString(status.plugin(), json);
  json += R"(,"reason":)";
  AppendJsonString(status.Message(), json);
  json += '}';
}

void AppendScores(const CandidateNodes& nodes, const ScoreOutcome& outcome,
                  std::string& json) {
  json += R"(,"scores":{)";
  for (const PluginScores& scores : outcome.plugins) {
    AppendKey(scores.plugin, json);
    json += '{';
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      AppendKey(nodes[i]->Name(), json);
      json += R"({"raw":)";
      AppendJsonNumber(scores.raw[i], json);
      json += R"(,"normalized":)";
      AppendJsonNumber(scores.normalized[i], json);
      json += '}';
    }
    json += '}';
  }
  json += R"(},"totals":{)";
  for (std::size_t i = 0; i < outcome.totals.size(); ++i) {
    AppendKey(nodes[i]->Name(), json);
    AppendJsonNumber(outcome.totals[i], json);
  }
  json += '}';
}

// Of two objects of one kind and name the later one counts, in the place of the
// first.
void PutObject(Object object, std::vector<Object>& objects) {
  const ObjectMeta& meta = MetaOf(object);
  for (Object& known : objects) {
    if (known.index() == object.index() && MetaOf(known).name == meta.name &&
        MetaOf(known).namespace_name == meta.namespace_name) {
      known = std::move(object);
      return;
    }
  }
  objects.push_back(std::move(object));
}

// Filters, then scores the nodes that pass, as in one scheduling cycle.
std::string Answer(const KubernetesRelease& release, Case question) {
  const Profile profile = DefaultProfile(question.plugin_config);
  ClusterState cluster(release);
  for (Object& object : question.objects) cluster.Upsert(std::move(object));
  const PodInfo pod(*std::move(question.pod));

  const CandidateNodes nodes = AllNodes(cluster);
  FilterOutcome filtered = RunFilterPlugins(profile, cluster, pod, nodes);
  const SelectedNodes selected(nodes, filtered.statuses.Passed());
  const CandidateNodes feasible = selected.candidates();
  ScoreOutcome scored;
  if (feasible.size() > 0) {
    scored = RunScorePlugins(profile, cluster, pod, feasible);
    // In the scheduler an error ends the attempt, whatever passed before.
    if (!scored.status.ok()) {
      filtered.statuses.SetAll(scored.status);
    }
  }

  std::string json = R"("nodes":{)";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    AppendStatus(*nodes[i], filtered.statuses[i], json);
  }
  json += '}';
  AppendScores(feasible, scored, json);
  json += R"(,"message":)";
  AppendJsonString(FitErrorMessage(filtered), json);
  return json;
}

class Batch {
 public:
  explicit Batch(const KubernetesRelease& release) : release_(release) {}

  // The answer to one line, without the newline.
  std::string AnswerLine(std::string_view line, std::size_t line_number) {
    const simdjson::padded_string json(line);
    std::string id = "null";
    absl::StatusOr<std::string> answer = Read(json, id);
    std::string out = R"({"id":)" + id + ',';
    if (answer.ok()) {
      out += *answer;
    } else {
      out += R"("error":)";
      AppendJsonString(
          absl::StrCat("line ", line_number, ": ", answer.status().message()),
          out);
    }
    out += '}';
    return out;
  }

 private:
  // Answers the case, if it is one; sets `id` if at least that can be told.
  absl::StatusOr<std::string> Read(const simdjson::padded_string& json,
                                   std::string& id) {
    // On-demand reading does not look at what it skips.
    simdjson::dom::element document;
    if (const auto error = validator_.parse(json).get(document)) {
      return SyntaxError({}, error);
    }
    simdjson::dom::element id_value;
    if (document["id"].get(id_value) == simdjson::SUCCESS) {
      id = simdjson::minify(id_value);
    }
    Case question;
    absl::Status status = reader_.ReadWith(json, [&](JsonValue value) {
      return ForEachField(
          value, JsonPath(),
          [&](std::string_view key, JsonValue field, const JsonPath& where) {
            return ReadField(key, field, where, question);
          });
    });
    if (status.ok()) {
      status = SetRelease(release_, JsonPath().Field("pluginConfig"),
                          question.plugin_config);
    }
    if (!status.ok()) return status;
    if (!question.pod) return FieldError(JsonPath().Field("pod"), "required");
    AdmitPod(*question.pod);
    return Answer(release_, std::move(question));
  }

  absl::Status ReadField(std::string_view key, JsonValue field,
                         const JsonPath& path, Case& question) {
    if (key == "pod") return Decode(field, path, &question.pod);
    if (key == "pluginConfig") {
      return Decode(field, path, &question.plugin_config);
    }
    if (key != "objects") return absl::OkStatus();
    return ForEachElement(
        field, path, [&](JsonValue element, const JsonPath& where) {
          return ReadElement(element, where, question.objects);
        });
  }

  absl::Status ReadElement(JsonValue element, const JsonPath& path,
                           std::vector<Object>& objects) {
    simdjson::ondemand::object object;
    std::string_view json;
    if (element.get_object().get(object) != simdjson::SUCCESS) {
      return TypeError(path, "an object", element);
    }
    if (const auto error = object.raw_json().get(json)) {
      return SyntaxError(path, error);
    }
    absl::StatusOr<std::optional<Object>> read = ReadObject(
        object_reader_, simdjson::padded_string_view(
                            json, json.size() + simdjson::SIMDJSON_PADDING));
    if (!read.ok())
      return FieldError(path, std::string(read.status().message()));
    if (*read) PutObject(**std::move(read), objects);
    return absl::OkStatus();
  }

  const KubernetesRelease release_;
  simdjson::dom::parser validator_;
  JsonReader reader_;
  JsonReader object_reader_;
};

}  // namespace

absl::Status ExplainBatch(const KubernetesRelease& release, std::istream& cases,
                          std::ostream& answers) {
  Batch batch(release);
  std::string line;
  for (std::size_t number = 1; std::getline(cases, line); ++number) {
    answers << batch.AnswerLine(line, number) << '\n';
    if (cases.rdbuf()->in_avail() <= 0) answers.flush();
  }
  answers.flush();
  if (!answers) return absl::DataLossError("the answers cannot be written");
  return absl::OkStatus();
}

}  // namespace vicinal
