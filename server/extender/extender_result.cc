#include "server/extender/extender_result.h"

#include "core/model/json_writer.h"

namespace vicinal {
namespace {

void Append(const std::vector<ExtenderFilterResult::FailedNode>& nodes,
            std::string& json) {
  json += '{';
  for (const auto& [name, reason] : nodes) {
    if (json.back() != '{') json += ',';
    AppendJsonString(name, json);
    json += ':';
    AppendJsonString(reason, json);
  }
  json += '}';
}

}  // namespace

std::string ToJson(const ExtenderFilterResult& result) {
  std::string json = R"({"Nodes":null,"NodeNames":[)";
  for (const std::string_view name : result.node_names) {
    if (json.back() != '[') json += ',';
    AppendJsonString(name, json);
  }
  json += R"(],"FailedNodes":)";
  Append(result.failed_nodes, json);
  json += R"(,"FailedAndUnresolvableNodes":)";
  Append(result.failed_and_unresolvable_nodes, json);
  json += R"(,"Error":)";
  AppendJsonString(result.error, json);
  json += '}';
  return json;
}

std::string ToJson(const std::vector<HostPriority>& priorities) {
  std::string json = "[";
  for (const auto& [host, score] : priorities) {
    if (json.back() != '[') json += ',';
    json += R"({"Host":)";
    AppendJsonString(host, json);
    json += R"(,"Score":)";
    AppendJsonNumber(score, json);
    json += '}';
  }
  json += ']';
  return json;
}

}  // namespace vicinal
