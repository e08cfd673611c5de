// What is written to bind a pod, for whom, and how it ended.
#ifndef VICINAL_SERVER_KUBERNETES_POD_BINDING_H_
#define VICINAL_SERVER_KUBERNETES_POD_BINDING_H_

#include <chrono>
#include <functional>
#include <string>

namespace vicinal {

struct PodBinding {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string node;
};

// Who asks for a binding, and for how long.
struct BindCaller {
  // Nothing is written after that.
  std::chrono::steady_clock::time_point waits_until =
      std::chrono::steady_clock::time_point::max();
  // Whether the caller has closed its connection; null: unknown. Thread-safe.
  std::function<bool()> is_gone = nullptr;

  bool StillWaits() const {
    return std::chrono::steady_clock::now() < waits_until &&
           (is_gone == nullptr || !is_gone());
  }
};

struct BindResult {
  enum class Outcome {
    kWritten,    // Or the pod was on that node already.
    kRefused,    // The pod is not on that node.
    kForbidden,  // The same: vicinal has no right to write bindings.
    kLate,       // Nothing was written, because nobody waits for it any more.
    kUnknown,    // No answer in any time in which the API server may write it.
  };

  Outcome outcome = Outcome::kWritten;
  std::string message;  // Why not; the API server's words where it has said so.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_BINDING_H_
