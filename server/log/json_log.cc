#include "server/log/json_log.h"

#include <unistd.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
std::string JsonLogLine(google::LogSeverity severity, std::string_view file,
                        int line, std::int64_t microseconds,
                        std::string_view message) {
  nlohmann::ordered_json object;
  object["ts"] = static_cast<double>(microseconds) / 1000;
  object["severity"] =
      absl::AsciiStrToLower(google::GetLogSeverityName(severity));
  object["caller"] = absl::StrCat(std::string(file), ":", line);
  object["msg"] = message;
  return object.dump(-1, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

JsonLog::JsonLog() {
  FLAGS_logtostderr = false;
  FLAGS_stderrthreshold = google::NUM_SEVERITIES;
  for (int severity = 0; severity < google::NUM_SEVERITIES; ++severity) {
    google::SetLogDestination(severity, "");  // No files.
  }
  google::AddLogSink(this);
}

JsonLog::~JsonLog() {
  google::RemoveLogSink(this);
  FLAGS_logtostderr = true;
}

void JsonLog::send(google::LogSeverity severity, const char*,
                   const char* base_filename, int line,
                   const google::LogMessageTime& time, const char* message,
                   std::size_t message_len) {
  const std::string text = JsonLogLine(
      severity, base_filename, line,
      static_cast<std::int64_t>(time.timestamp()) * 1'000'000 + time.usec(),
      {message, message_len});
  // One call for each line, so that lines of threads do not mix. Where standard
  // error is full or closed the line is lost.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace vicinal
