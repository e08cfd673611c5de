#include "server/commands/explain/wanted_workload.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/model/did_you_mean.h"

namespace vicinal {
namespace {

bool IsPodWord(const std::string& word) {
  const std::string lower = absl::AsciiStrToLower(word);
  return lower == "pod" || lower == "pods" || lower == "po";
}

}  // namespace

absl::StatusOr<WantedWorkload> WantedWorkload::Parse(
    const std::string& object, const std::string& namespace_name) {
  WantedWorkload wanted;
  wanted.object_ = object;
  wanted.namespace_ = namespace_name;
  if (object.empty()) return wanted;
  const std::size_t slash = object.find('/');
  const std::string kind = object.substr(0, slash);
  if (slash != std::string::npos) wanted.name_ = object.substr(slash + 1);
  wanted.kind_ = WorkloadKindFromWord(kind);
  const bool is_known = wanted.kind_ || IsPodWord(kind);
  if (!is_known || wanted.name_.empty() ||
      wanted.name_.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "what is explained must be KIND/NAME, such as deployment/web or "
        "pod/web-1, got \"",
        object, "\""));
  }
  return wanted;
}

void WantedWorkload::LookOutFor(ClusterReceiver& receiver) {
  if (!kind_) return;
  receiver.text = [this, told = std::move(receiver.text)](
                      const TypeMeta& type, const JsonPath& path,
                      simdjson::padded_string_view json) {
    Look(type, json);
    return told ? told(type, path, json) : absl::OkStatus();
  };
  // That they are listed; those that the simulator does not know matter here.
  receiver.add_workload = [](Workload) {};
  receiver.note = [this](std::string note) {
    notes_.push_back(std::move(note));
  };
}

void WantedWorkload::Look(const TypeMeta& type, std::string_view json) {
  if (WorkloadKindOf(type.api_version, type.kind) != kind_) return;
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object() || !object.contains("metadata") ||
      !object["metadata"].is_object()) {
    return;
  }
  const nlohmann::json& meta = object["metadata"];
  const auto text = [&meta](const char* key, const char* other) {
    const auto it = meta.find(key);
    return it != meta.end() && it->is_string() ? it->get<std::string>()
                                               : std::string(other);
  };
  if (text("namespace", "default") != namespace_) return;
  const std::string name = text("name", "");
  if (name != name_) {
    others_.push_back(name);
    return;
  }
  text_ = json;
  if (object.contains("kind")) return;
  const nlohmann::json api_version = type.api_version;
  const nlohmann::json kind = type.kind;
  text_ = absl::StrCat("{\"apiVersion\":", api_version.dump(),
                       ",\"kind\":", kind.dump(), ",",
                       text_.substr(text_.find('{') + 1));
}

std::string WantedWorkload::pod() const {
  return name_.empty() || kind_ ? "" : namespace_ + "/" + name_;
}

absl::StatusOr<std::string> WantedWorkload::Text() const {
  if (!text_.empty()) return text_;
  std::string message =
      absl::StrCat(object_, ": there is none in namespace ", namespace_);
  const std::string guess = DidYouMean(name_, others_);
  if (!guess.empty()) absl::StrAppend(&message, "; did you mean ", guess, "?");
  for (const std::string& note : notes_) {
    absl::StrAppend(&message, "\n", note);
  }
  return absl::NotFoundError(message);
}

}  // namespace vicinal
