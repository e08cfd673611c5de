// The outcome of a plugin for a pod, or for a pod on a node.
// Source: k8s.io/kube-scheduler/framework (Status, Code).
#ifndef VICINAL_CORE_PLUGINS_STATUS_H_
#define VICINAL_CORE_PLUGINS_STATUS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vicinal {

enum class Code {
  kSuccess,
  kError,          // Something is wrong with the question, not with the fit.
  kUnschedulable,  // Does not fit; removing pods could help.
  kUnschedulableAndUnresolvable,  // Does not fit, whatever is removed.
  kSkip,  // The plugin has nothing to say about this pod.
};

class Status {
 public:
  // Success.
  Status() = default;
  // `reason` must outlive the status: it is one of a plugin's constants.
  Status(Code code, std::string_view reason)
      : code_(code), constant_reason_(reason) {}
  // With reasons that are made up for the case.
  Status(Code code, std::vector<std::string> reasons)
      : code_(code), reasons_(std::move(reasons)) {}

  static Status Skip() { return Status(Code::kSkip, std::string_view()); }
  static Status Error(std::string message) {
    return Status(Code::kError, std::vector{std::move(message)});
  }

  Code code() const { return code_; }
  bool ok() const { return code_ == Code::kSuccess; }
  bool IsSkip() const { return code_ == Code::kSkip; }

  // In the words of the stock scheduler; empty for success and skip.
  std::vector<std::string_view> Reasons() const {
    if (!constant_reason_.empty()) return {constant_reason_};
    return {reasons_.begin(), reasons_.end()};
  }
  // All reasons in one line, joined by ", ".
  std::string Message() const {
    std::string message;
    for (const std::string_view reason : Reasons()) {
      if (!message.empty()) message += ", ";
      message += reason;
    }
    return message;
  }

  // The plugin that said so; set by who ran it. Empty for success.
  std::string_view plugin() const { return plugin_; }
  void set_plugin(std::string_view plugin) { plugin_ = plugin; }

  friend bool operator==(const Status&, const Status&) = default;

 private:
  Code code_ = Code::kSuccess;
  std::string_view plugin_;
  std::string_view constant_reason_;
  std::vector<std::string> reasons_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_STATUS_H_
