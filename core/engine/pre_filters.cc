#include "core/engine/pre_filters.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

Status WithPlugin(Status status, std::string_view plugin) {
  status.set_plugin(plugin);
  return status;
}

void Restrict(const std::vector<std::string>& names,
              std::optional<std::set<std::string>>& node_names) {
  std::set<std::string> both;
  for (const std::string& name : names) {
    if (!node_names || node_names->contains(name)) both.insert(name);
  }
  node_names = std::move(both);
}

}  // namespace

std::string Listed(const std::set<std::string>& names) {
  return "[" + absl::StrJoin(names, " ") + "]";
}

PreFilters RunPreFilters(const Profile& profile, const ClusterState& cluster,
                         const PodInfo& pod) {
  PreFilters prepared;
  for (const auto& plugin : profile.filters) {
    PreFilterResult result = plugin->PreFilter(cluster, pod);
    if (result.status.IsSkip()) continue;
    switch (result.status.code()) {
      case Code::kSuccess:
        break;
      case Code::kUnschedulable:
        // A later plugin may find something that is worse.
        prepared.status = WithPlugin(std::move(result.status), plugin->Name());
        continue;
      case Code::kUnschedulableAndUnresolvable:
        prepared.status = WithPlugin(std::move(result.status), plugin->Name());
        return prepared;
      default:
        prepared.status = WithPlugin(
            Status::Error("running PreFilter plugin " + Quoted(plugin->Name()) +
                          ": " + result.status.Message()),
            plugin->Name());
        return prepared;
    }
    prepared.filters.push_back({plugin->Name(), std::move(result.filter)});
    if (!result.node_names) continue;
    prepared.restricting_plugins.emplace(plugin->Name());
    Restrict(*result.node_names, prepared.node_names);
    if (!prepared.node_names->empty()) continue;
    const auto& plugins = prepared.restricting_plugins;
    prepared.status = Status(
        Code::kUnschedulableAndUnresolvable,
        std::vector{plugins.size() == 1
                        ? "node(s) didn't satisfy plugin " + *plugins.begin()
                        : "node(s) didn't satisfy plugin(s) " +
                              Listed(plugins) + " simultaneously"});
    return prepared;
  }
  return prepared;
}

}  // namespace vicinal
