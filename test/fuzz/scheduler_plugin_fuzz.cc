// A stream of the scheduler's plugin. Each line is a SchedulerMessage in
// protobuf's text form, or, after a `!`, as bytes in hexadecimal digits;
// positions that are not given follow each other. The hello may be left out.
#include <glog/logging.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "core/index/node_id.h"
#include "server/listeners/scheduler_plugin/session.h"
#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

class Silence : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber,
                const std::string&) override {}
};

std::optional<v1::SchedulerMessage> Parse(std::string_view line) {
  v1::SchedulerMessage message;
  if (!line.empty() && line.front() == '!') {
    line.remove_prefix(1);
    const std::string bytes = absl::HexStringToBytes(
        absl::string_view(line.data(), line.size() / 2 * 2));
    if (message.ParseFromString(bytes)) return message;
    return std::nullopt;
  }
  google::protobuf::TextFormat::Parser parser;
  Silence silence;
  parser.RecordErrorsTo(&silence);
  if (parser.ParseFromString(std::string(line), &message)) return message;
  return std::nullopt;
}

// An answer names nodes that are there, and is as long as it has to be.
void Check(const v1::Answer& answer, const v1::SchedulerMessage& message,
           const Session& session) {
  const NodeNumbers& numbers = session.cluster().numbers();
  for (const std::uint32_t number : answer.best().nodes()) {
    CHECK_NE(numbers.IdOf(number), kNoNode);
  }
  for (const v1::PluginVerdicts* verdicts :
       {&answer.verdicts().pod_topology_spread(),
        &answer.verdicts().inter_pod_affinity()}) {
    if (!message.question().has_verdicts()) continue;
    CHECK_EQ(verdicts->by_node().size(),
             verdicts->has_pre_filter() ? 0U : numbers.limit());
    for (const char byte : verdicts->by_node()) {
      CHECK_LE(static_cast<unsigned char>(byte), verdicts->statuses_size());
    }
  }
  for (const v1::PluginScores* scores :
       {&answer.scores().pod_topology_spread(),
        &answer.scores().inter_pod_affinity()}) {
    if (!message.question().has_scores()) continue;
    CHECK_EQ(
        static_cast<int>(scores->normalized().size()),
        scores->has_pre_score() ? 0 : message.question().scores().nodes_size());
  }
}

void Run(std::string_view text) {
  static const SchedulerConfig& config =
      *new SchedulerConfig(MakeSchedulerConfig());
  Session session(config, 1);
  std::uint64_t position = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto message = Parse(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!message) continue;
    if (position == 0 && !message->has_hello()) {
      v1::SchedulerMessage hello = MakeHello();
      CHECK(session.Handle(hello).ok());
      ++position;
    }
    ++position;
    if (message->position() == 0) message->set_position(position);
    const auto answer = session.Handle(*message);
    if (!answer.ok()) {
      CHECK_EQ(answer.status().message().find("position "), 0U);
      return;
    }
    if (*answer && (*answer)->has_answer()) {
      Check((*answer)->answer(), *message, session);
    }
  }
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  vicinal::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
