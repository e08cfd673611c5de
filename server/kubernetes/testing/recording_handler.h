#ifndef VICINAL_SERVER_KUBERNETES_TESTING_RECORDING_HANDLER_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_RECORDING_HANDLER_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "server/kubernetes/resource_handler.h"

namespace vicinal {

// Writes down every call as a line: "list start", "listed {…}", "list end 7",
// "watch start", "changed {…}", "deleted {…}", "version 8", "batch end",
// "disconnected <message or OK>". What came as protobuf is written in
// hexadecimal digits: "listed protobuf 0a00".
class RecordingHandler : public ResourceHandler {
 public:
  explicit RecordingHandler(bool takes_protobuf = false)
      : takes_protobuf_(takes_protobuf) {}

  bool TakesProtobuf() const override { return takes_protobuf_; }

  void OnListStart() override { Add("list start"); }
  void OnListed(const RawObject& object) override {
    AddObject("listed ", object);
  }
  void OnListEnd(std::string_view version) override {
    Add("list end " + std::string(version));
  }
  void OnWatchStart() override { Add("watch start"); }
  void OnChanged(const RawObject& object) override {
    AddObject("changed ", object);
  }
  void OnDeleted(const RawObject& object) override {
    AddObject("deleted ", object);
  }
  void OnResourceVersion(std::string_view version) override {
    Add("version " + std::string(version));
  }
  void OnBatchEnd() override { Add("batch end"); }
  void OnDisconnected(const absl::Status& why,
                      std::chrono::steady_clock::time_point since) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      disconnected_since_ = since;
    }
    Add("disconnected " + (why.ok() ? "OK" : std::string(why.message())));
  }

  std::vector<std::string> lines() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }

  // As lines(), without the batch ends, which depend on how the network cuts.
  std::vector<std::string> events() const {
    std::vector<std::string> events = lines();
    std::erase(events, "batch end");
    return events;
  }

  void Clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    lines_.clear();
  }

  // What the last OnDisconnected said.
  std::chrono::steady_clock::time_point disconnected_since() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return disconnected_since_;
  }

  size_t Count(std::string_view prefix) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return CountLocked(prefix);
  }

  // Waits until this many lines begin so; false after 20 s.
  bool WaitFor(std::string_view prefix, size_t count = 1) const {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return CountLocked(prefix) >= count; });
  }

 private:
  void AddObject(const char* what, const RawObject& object) {
    if (object.encoding == Encoding::kProtobuf) {
      Add(what +
          ("protobuf " + absl::BytesToHexString(std::string(object.bytes))));
      return;
    }
    if (object.bytes.padding() < simdjson::SIMDJSON_PADDING)
      Add("too little padding");
    Add(what + std::string(object.bytes));
  }

  void Add(std::string line) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.notify_all();
  }

  size_t CountLocked(std::string_view prefix) const {
    size_t count = 0;
    for (const std::string& line : lines_) count += line.starts_with(prefix);
    return count;
  }

  const bool takes_protobuf_;
  mutable std::mutex mutex_;  // guards lines_, disconnected_since_
  mutable std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::chrono::steady_clock::time_point disconnected_since_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_RECORDING_HANDLER_H_
