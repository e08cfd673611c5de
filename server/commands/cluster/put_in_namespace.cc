#include "server/commands/cluster/put_in_namespace.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

namespace ondemand = simdjson::ondemand;

// Kubernetes' own kinds that are in no namespace and that come with workloads.
constexpr std::array<std::string_view, 14> kWithoutNamespace = {
    "Node",
    "Namespace",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "PriorityClass",
    "RuntimeClass",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "DeviceClass",
    "ResourceSlice",
    "IngressClass"};

// Where text is to be put in.
struct Insertion {
  std::size_t offset = 0;
  std::string text;
};

class Reader {
 public:
  // `name` is the namespace's as JSON, in quotes.
  Reader(const std::string& json, std::string name)
      : json_(json), name_(std::move(name)) {}

  // False: it is not JSON.
  bool Read() {
    ondemand::document document;
    ondemand::object object;
    return parser_.iterate(json_).get(document) == simdjson::SUCCESS &&
           document.get_object().get(object) == simdjson::SUCCESS &&
           ReadObject(object);
  }

  std::string Result() {
    std::sort(insertions_.begin(), insertions_.end(),
              [](const Insertion& a, const Insertion& b) {
                return a.offset < b.offset;
              });
    std::string result(json_.data(), json_.size());
    for (auto it = insertions_.rbegin(); it != insertions_.rend(); ++it) {
      result.insert(it->offset, it->text);
    }
    return result;
  }

 private:
  bool ReadObject(ondemand::object& object) {
    std::string_view kind;
    bool has_metadata = false;
    std::vector<Insertion> here;
    for (auto field : object) {
      std::string_view key;
      ondemand::value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS) {
        return false;
      }
      if (key == "kind") {
        if (value.get_string().get(kind) != simdjson::SUCCESS) return false;
      } else if (key == "metadata") {
        has_metadata = true;
        if (!ReadMetadata(value, here)) return false;
      } else if (key == "items") {
        if (!ReadItems(value)) return false;
      }
    }
    const bool is_in_namespaces =
        has_metadata && !kind.empty() && !kind.ends_with("List") &&
        std::find(kWithoutNamespace.begin(), kWithoutNamespace.end(), kind) ==
            kWithoutNamespace.end();
    if (is_in_namespaces) {
      insertions_.insert(insertions_.end(), here.begin(), here.end());
    }
    return true;
  }

  bool ReadItems(ondemand::value value) {
    ondemand::array items;
    if (value.get_array().get(items) != simdjson::SUCCESS) return true;
    for (auto item : items) {
      ondemand::object object;
      if (item.get_object().get(object) != simdjson::SUCCESS ||
          !ReadObject(object)) {
        return false;
      }
    }
    return true;
  }

  bool ReadMetadata(ondemand::value value, std::vector<Insertion>& here) {
    ondemand::object metadata;
    if (value.get_object().get(metadata) != simdjson::SUCCESS) return true;
    std::string_view raw;
    if (metadata.raw_json().get(raw) != simdjson::SUCCESS) return false;
    const std::size_t offset =
        static_cast<std::size_t>(raw.data() - json_.data()) + 1;
    if (metadata.reset().error() != simdjson::SUCCESS) return false;
    bool is_empty = true;
    for (auto field : metadata) {
      std::string_view key;
      ondemand::value inner;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(inner) != simdjson::SUCCESS) {
        return false;
      }
      is_empty = false;
      if (key == "namespace") return true;
    }
    here.push_back({offset, "\"namespace\":" + name_ + (is_empty ? "" : ",")});
    return true;
  }

  const simdjson::padded_string json_;
  const std::string name_;
  ondemand::parser parser_;
  std::vector<Insertion> insertions_;
};

}  // namespace

std::string PutInNamespace(std::string manifest,
                           std::string_view namespace_name) {
  const absl::StatusOr<std::vector<std::string>> documents =
      YamlToJson(manifest);
  if (!documents.ok()) return manifest;
  const std::string name =
      nlohmann::json(namespace_name)
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string result;
  for (const std::string& document : *documents) {
    Reader reader(document, name);
    if (!reader.Read()) return manifest;
    result += (result.empty() ? "" : "---\n") + reader.Result() + "\n";
  }
  return result;
}

}  // namespace vicinal
