// Reads the fields of a kubeconfig's mappings, with errors that say where they
// stand.
#ifndef VICINAL_SERVER_KUBERNETES_KUBECONFIG_FIELDS_H_
#define VICINAL_SERVER_KUBERNETES_KUBECONFIG_FIELDS_H_

#include <yaml-cpp/yaml.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vicinal {

// Functions below return these: nullopt means that the field is unset (absent
// or null; of Scalar also empty).
template <typename T>
using MaybeOr = absl::StatusOr<std::optional<T>>;

// One mapping of a file, where it stands ("clusters[prod].cluster"), and the
// folder that its relative paths begin in.
struct Section {
  YAML::Node node;
  std::string where;
  std::string folder;

  // Where one of its fields stands.
  std::string Field(const std::string& key) const {
    return where + (where.empty() ? "" : ".") + key;
  }
};

// `field: problem`, and `field: value "value": problem`.
absl::Status Wrong(const std::string& field, std::string_view problem);
absl::Status WrongValue(const std::string& field, std::string_view value,
                        std::string_view problem);

// What stands at a key. Errors: it is there twice; of Scalar: it is a list or a
// mapping; of Boolean, whose default is false: it is neither true nor false.
MaybeOr<YAML::Node> Child(const Section& section, const char* key);
MaybeOr<std::string> Scalar(const Section& section, const char* key);
absl::StatusOr<bool> Boolean(const Section& section, const char* key);

// An error with the reason if one of the keys is set.
absl::Status Refuse(const Section& section,
                    std::initializer_list<const char*> keys,
                    std::string_view why);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_KUBECONFIG_FIELDS_H_
