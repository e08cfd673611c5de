#include "server/listeners/extender/extender_result.h"

#include "core/model/json_writer.h"

namespace vicinal {
namespace {

void Append(const std::vector<ExtenderFilterResult::FailedNode>& nodes,
            std::string& json) {
  json += '{';
  // Most nodes have the reason of the one before.
  std::string_view last;
  std::string last_json;
  for (const auto& [name, reason] : nodes) {
    if (json.back() != '{') json += ',';
    AppendJsonString(name, json);
    json += ':';
    if (last_json.empty() || reason != last) {
      last = reason;
      last_json.clear();
      AppendJsonString(reason, last_json);
    }
    json += last_json;
  }
  json += '}';
}

// As much as the answer takes if nothing needs to be escaped.
std::size_t SizeOf(const ExtenderFilterResult& result) {
  std::size_t size = 128 + result.error.size();
  for (const std::string_view name : result.node_names) size += name.size() + 3;
  for (const auto* nodes :
       {&result.failed_nodes, &result.failed_and_unresolvable_nodes}) {
    for (const auto& [name, reason] : *nodes) {
      size += name.size() + reason.size() + 6;
    }
  }
  return size;
}

}  // namespace

std::string ToJson(const ExtenderFilterResult& result) {
  std::string json;
  json.reserve(SizeOf(result));
  json += R"({"Nodes":null,"NodeNames":[)";
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
  std::string json;
  std::size_t size = 2;
  for (const auto& [host, score] : priorities) size += host.size() + 24;
  json.reserve(size);
  json += "[";
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
