#include "server/commands/simulate/script.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/deschedule/read_policy.h"
#include "core/simulate/script_objects.h"
#include "server/commands/cluster/put_in_namespace.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {
namespace {

constexpr char kDefaultNamespace[] = "default";

bool IsScript(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") ||
         word.ends_with(".json");
}

// Words in one argument are taken apart if they begin with an action; a file's
// name may have blanks.
std::vector<std::string> Words(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    const std::vector<std::string> parts =
        absl::StrSplit(argument, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
    if (!parts.empty() && VerbFromWord(parts.front())) {
      words.insert(words.end(), parts.begin(), parts.end());
    } else {
      words.push_back(argument);
    }
  }
  return words;
}

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

std::string RelativeTo(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : directory + path;
}

// Fills in what stands in an action's files.
absl::Status ReadFiles(const std::string& directory, Action& action,
                       std::vector<std::string>& notes) {
  for (const std::string& name : action.files) {
    const std::string path = RelativeTo(directory, name);
    absl::StatusOr<std::string> text = ReadWholeFile(path);
    if (!text.ok()) return text.status();
    if (action.verb == Verb::kDeschedule) {
      absl::StatusOr<Policy> policy = ReadPolicy(*text);
      if (!policy.ok()) return InFile(path, policy.status());
      action.policy = *std::move(policy);
      continue;
    }
    const std::string& name_space = action.target.namespace_name;
    if (name_space != kDefaultNamespace) {
      text = PutInNamespace(*std::move(text), name_space);
    }
    absl::StatusOr<ScriptObjects> manifest = ReadScriptObjects(*text);
    if (!manifest.ok()) return InFile(path, manifest.status());
    if (manifest->items.empty() && manifest->ignored.empty()) {
      return absl::InvalidArgumentError(path + ": no Kubernetes object in it");
    }
    for (const auto& [kind, count] : manifest->ignored) {
      notes.push_back(absl::StrCat(path, ": ", count, " ", kind,
                                   " left out: the kind does not matter to "
                                   "placement, or is not known"));
    }
    for (ScriptObject& item : manifest->items) {
      const Object* object = std::get_if<Object>(&item);
      if (action.verb == Verb::kAddNode &&
          (object == nullptr || !std::holds_alternative<Node>(*object))) {
        return absl::InvalidArgumentError(
            path + ": add-node takes Nodes; use apply for other objects");
      }
      action.items.push_back(std::move(item));
    }
  }
  return absl::OkStatus();
}

absl::Status AppendScenario(const std::string& path,
                            const std::string& namespace_name, Scenario& all,
                            std::vector<std::string>& notes) {
  absl::StatusOr<std::string> text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Scenario> scenario = ReadScenario(*text, namespace_name);
  if (!scenario.ok()) return InFile(path, scenario.status());
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  if (!scenario->cluster.empty()) {
    if (!all.cluster.empty()) {
      return InFile(path, absl::InvalidArgumentError(
                              "cluster: another script has named one"));
    }
    all.cluster = RelativeTo(directory, scenario->cluster);
  }
  for (Step& step : scenario->steps) {
    for (Action& action : step.actions) {
      absl::Status status = ReadFiles(directory, action, notes);
      if (!status.ok()) return status;
    }
    all.steps.push_back(std::move(step));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Scenario> ReadScript(const std::vector<std::string>& arguments,
                                    const std::string& namespace_name,
                                    std::vector<std::string>& notes) {
  const std::vector<std::string> words = Words(arguments);
  Scenario all;
  std::span<const std::string> rest(words);
  while (!rest.empty()) {
    if (!VerbFromWord(rest.front()) && IsScript(rest.front())) {
      absl::Status status =
          AppendScenario(rest.front(), namespace_name, all, notes);
      if (!status.ok()) return status;
      rest = rest.subspan(1);
      continue;
    }
    std::size_t used = 0;
    absl::StatusOr<Action> action = ParseAction(rest, namespace_name, &used);
    if (!action.ok()) return action.status();
    absl::Status status = ReadFiles("", *action, notes);
    if (!status.ok()) return status;
    Step& step = all.steps.emplace_back();
    step.name = action->text;
    step.actions.push_back(*std::move(action));
    rest = rest.subspan(used);
  }
  return all;
}

}  // namespace vicinal
