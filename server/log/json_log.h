// Log lines as JSON, for what collects logs.
#ifndef VICINAL_SERVER_LOG_JSON_LOG_H_
#define VICINAL_SERVER_LOG_JSON_LOG_H_

#include <glog/logging.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace vicinal {

// One line of the log, with its end, as Kubernetes' components write it with
// --logging-format=json (k8s.io/component-base/logs/json/json.go): `ts` in
// milliseconds since 1970, `caller` as file:line, `msg`; and `severity`, which
// is "info", "warning", "error" or "fatal". Bytes that are no UTF-8 become
// U+FFFD. Thread-safe.
std::string JsonLogLine(google::LogSeverity severity, std::string_view file,
                        int line, std::int64_t microseconds,
                        std::string_view message);

// As long as one lives, glog writes such lines to standard error, in place of
// its own. What it prints when the process dies of a broken invariant follows
// as text: the stack. At most one at a time.
class JsonLog : public google::LogSink {
 public:
  JsonLog();
  ~JsonLog() override;
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  using google::LogSink::send;
  void send(google::LogSeverity severity, const char* full_filename,
            const char* base_filename, int line,
            const google::LogMessageTime& time, const char* message,
            std::size_t message_len) override;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LOG_JSON_LOG_H_
