// Where in a document a field is, and errors that say so:
//   `spec.priority: must be an integer, got "high"`.
#ifndef VICINAL_CORE_MODEL_JSON_PATH_H_
#define VICINAL_CORE_MODEL_JSON_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace vicinal {

// Where in the document we are: a chain of fields and indices that lives on the
// stack of the decoders, so that it costs nothing until an error is written. A
// path must not outlive its parent.
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath Field(std::string_view name) const {
    return JsonPath(this, name, kField);
  }
  JsonPath Index(std::size_t index) const { return JsonPath(this, {}, index); }

  // `spec.containers[0].name`; empty for the document itself.
  std::string ToString() const;

 private:
  static constexpr std::size_t kField = static_cast<std::size_t>(-1);

  JsonPath(const JsonPath* parent, std::string_view name, std::size_t index)
      : parent_(parent), name_(name), index_(index) {}

  const JsonPath* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = kField;
};

// InvalidArgument with the message `path: problem`.
absl::Status FieldError(const JsonPath& path, std::string_view problem);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_JSON_PATH_H_
