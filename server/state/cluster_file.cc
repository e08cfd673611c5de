#include "server/state/cluster_file.h"

#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "core/model/read_objects.h"
#include "core/simulate/cluster_object_reader.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Reads a List that is printed as kubectl does, with each item's braces alone
// on lines of the same indentation:
//
//   {
//       "apiVersion": "v1",
//       "items": [
//           {
//               …
//           },
//           {
//
// JSON strings have no line breaks, so that such lines are easily found in a
// piece of the text; whether what is between them is an object, the parser
// says.
class PrintedListReader {
 public:
  PrintedListReader(std::FILE* file, ClusterObjectReader& object_reader)
      : file_(file), object_reader_(object_reader), buffer_(kPiece) {}

  // Whether the file is such a list and has been read. If not, it may still be
  // anything, and objects may have been given.
  bool Read() {
    if (!Fill() || !ReadHead()) return false;
    const std::string next = absl::StrCat(",\n", indent_, "{");
    for (;;) {
      const std::optional<std::size_t> size = ItemSize();
      if (!size || !ReadItem(*size)) return false;
      begin_ += *size;
      if (Rest().starts_with("\n")) return ReadTail();
      while (Rest().size() < next.size()) {
        if (!Fill()) return false;
      }
      if (!Rest().starts_with(next)) return false;
      begin_ += next.size() - 1;
    }
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{4} << 20;
  static constexpr std::size_t kMaxItem = std::size_t{256} << 20;

  std::string_view Rest() const {
    return std::string_view(buffer_.data() + begin_, end_ - begin_);
  }

  // Reads more behind what is left. False at the end of the file.
  bool Fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING - end_;
    if (room == 0) {
      if (buffer_.size() > kMaxItem) return false;
      buffer_.resize(2 * buffer_.size());
      room = buffer_.size() - simdjson::SIMDJSON_PADDING - end_;
    }
    const std::size_t size = std::fread(buffer_.data() + end_, 1, room, file_);
    end_ += size;
    return size > 0;
  }

  // How long the item at the beginning of the rest is: up to a brace that is
  // the first thing on a line of its indentation. At least one byte follows.
  std::optional<std::size_t> ItemSize() {
    std::size_t from = 0;
    for (;;) {
      const std::string_view rest = Rest();
      const std::size_t brace = rest.find('}', from);
      if (brace == std::string_view::npos || brace + 1 == rest.size()) {
        from = std::min(brace, rest.size());
        if (!Fill()) return std::nullopt;
        continue;
      }
      const std::string_view before = rest.substr(0, brace);
      if (before.ends_with(indent_) &&
          before.substr(0, brace - indent_.size()).ends_with('\n')) {
        return brace + 1;
      }
      from = brace + 1;
    }
  }

  // Up to the first item's brace.
  bool ReadHead() {
    constexpr std::string_view kItems = "\"items\": [\n";
    const std::string_view rest = Rest();
    const std::size_t items = rest.substr(0, 4096).find(kItems);
    if (items == std::string_view::npos) return false;
    const std::size_t line = items + kItems.size();
    const std::size_t brace = rest.find_first_not_of(' ', line);
    if (brace == std::string_view::npos ||
        !rest.substr(brace).starts_with("{\n")) {
      return false;
    }
    indent_.assign(rest.substr(line, brace - line));
    head_.assign(rest.substr(0, line));
    begin_ = brace;
    return true;
  }

  bool ReadItem(std::size_t size) {
    const simdjson::padded_string_view json(buffer_.data() + begin_, size,
                                            buffer_.size() - begin_);
    const JsonPath root;
    const JsonPath items = root.Field("items");
    return ReadOne(reader_, json, items.Index(items_++),
                   std::ref(object_reader_))
        .ok();
  }

  // The list without its items must be a list.
  bool ReadTail() {
    while (Rest().size() < kPiece / 2 && Fill()) {
    }
    head_ += Rest();
    const absl::StatusOr<std::vector<Object>> none = ReadObjects(head_);
    return none.ok() && none->empty() && std::feof(file_) != 0;
  }

  std::FILE* const file_;
  ClusterObjectReader& object_reader_;
  // [begin_, end_) has been read from the file and not been used.
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t items_ = 0;  // Read so far.
  std::string head_;       // Before the first item.
  std::string indent_;     // Of the items.
  JsonReader reader_;
};

bool IsRegular(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

absl::Status ReadClusterFile(const std::string& path,
                             const ClusterReceiver& receiver) {
  ClusterObjectReader reader(receiver, "left out: ");
  if (IsRegular(path)) {
    const File file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (file != nullptr && PrintedListReader(file.get(), reader).Read()) {
      return absl::OkStatus();
    }
  }
  const absl::StatusOr<std::string> text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  const absl::Status status =
      ForEachObject(simdjson::padded_string_view(*text), std::ref(reader));
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<std::vector<Object>> ReadClusterFile(const std::string& path) {
  std::vector<Object> objects;
  ClusterReceiver receiver;
  receiver.add = [&objects](Object object, const PodFacts&) {
    objects.push_back(std::move(object));
  };
  const absl::Status status = ReadClusterFile(path, receiver);
  if (!status.ok()) return status;
  return objects;
}

absl::Status NoNodesInFile(const std::string& path) {
  return absl::InvalidArgumentError(
      path + ": there are no nodes in it; a cluster file is made with\n  " +
      ClusterFileCommand());
}

}  // namespace vicinal
