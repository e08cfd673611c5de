#ifndef VICINAL_SERVER_KUBERNETES_TESTING_JSON_OBJECT_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_JSON_OBJECT_H_

#include <simdjson.h>

#include <string_view>

#include "server/kubernetes/encoding.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

// A text as an object of the API server, which is valid as long as this.
class JsonObject {
 public:
  explicit JsonObject(std::string_view text) : text_(text) {}

  operator RawObject() const {  // NOLINT(google-explicit-constructor)
    return {Encoding::kJson, text_};
  }

 private:
  simdjson::padded_string text_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_JSON_OBJECT_H_
