#include "core/model/yaml.h"

#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <map>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/json_writer.h"
#include "core/model/yaml_scalar.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxDepth = 256;
constexpr std::size_t kMaxAliasedBytes = std::size_t{64} << 20;

// Errors travel through yaml-cpp as its own exception, and end in YamlToJson.
[[noreturn]] void Fail(const YAML::Mark& mark, const std::string& problem) {
  throw YAML::ParserException(mark, problem);
}

template <typename T>
T ValueOrFail(absl::StatusOr<T> value, const YAML::Mark& mark) {
  if (!value.ok()) Fail(mark, std::string(value.status().message()));
  return *std::move(value);
}

// Reads a text that somebody else owns, and if it ends with a line break the
// marker for the end of the document: without that yaml-cpp does not see that a
// quoted string is not closed.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text)
      : needs_end_(text.ends_with('\n')) {
    Offer(text);
  }

 protected:
  int_type underflow() override {
    if (!std::exchange(needs_end_, false)) return traits_type::eof();
    Offer("...\n");
    return traits_type::to_int_type(*gptr());
  }

 private:
  void Offer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // Only ever read.
    setg(begin, begin, begin + text.size());
  }

  bool needs_end_;
};

// The lines of a text, in ascending order.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The text from the line `number` (from 0, not less than the last time) on.
  std::string_view From(int number) {
    for (; line_ < number; ++line_) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
    }
    return rest_;
  }

 private:
  std::string_view rest_;
  int line_ = 0;
};

// Writes the events of a YAML stream as JSON.
class JsonEmitter : public YAML::EventHandler {
 public:
  explicit JsonEmitter(std::string_view text) : lines_(text) {}

  std::vector<std::string> TakeDocuments() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // A second document on the line of the first is a token that yaml-cpp does
    // not take from its queue, and would see as one document after the other
    // for ever.
    const bool on_same_line = mark.line <= std::exchange(line_, mark.line);
    if (has_document_ &&
        (on_same_line || !lines_.From(mark.line).starts_with("---"))) {
      Fail(mark,
           "text after the end of a document (documents are separated by "
           "lines of ---)");
    }
    has_document_ = true;
  }

  void OnDocumentEnd() override {
    if (out_ != "null") documents_.push_back(std::move(out_));
    out_.clear();
    anchors_.clear();
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Scalar(mark, nullptr, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& text) override {
    if (tag == "?" && text == "<<" && IsAtKey()) {
      StartMerge(mark, frames_.back());
      return;
    }
    // "?": plain without a tag, "!": quoted without a tag.
    const YamlScalar scalar =
        tag == "!"
            ? YamlScalar(std::string_view(text))
            : ValueOrFail(ResolveYamlScalar(tag == "?" ? "" : tag, text), mark);
    Scalar(mark, scalar, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) Fail(mark, "an anchor contains itself");
    const Anchored& anchored = it->second;
    Account(mark, anchored.json.size());
    if (frames_.size() + anchored.depth > kMaxDepth) FailDeep(mark);
    if (IsAtKey()) {
      Key(mark, KeyOf(mark, anchored.json));
      return;
    }
    BeginValue();
    out_ += anchored.json;
    EndValue(mark, anchored.depth);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, '[', anchor);
  }
  void OnSequenceEnd() override { Close(']'); }

  void OnMapStart(const YAML::Mark& mark, const std::string&,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    Open(mark, '{', anchor);
  }
  void OnMapEnd() override {
    AppendMerged(frames_.back());
    Close('}');
  }

 private:
  // A sequence or mapping that is being written.
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool is_map = false;
    bool at_key = false;     // Next comes a key of the map.
    bool is_empty = true;    // Nothing has been written into it.
    std::size_t begin = 0;   // Where it begins in the output.
    std::size_t height = 1;  // Levels in it, with itself.
    std::unordered_map<std::string, int> lines_of_keys;
    bool merging = false;             // Next comes the value of a merge key,
    std::size_t merge_begin = 0;      // which begins here in the output.
    std::vector<std::string> merges;  // Those values.
  };

  struct Anchored {
    std::string json;
    std::size_t depth = 0;
  };

  [[noreturn]] static void FailDeep(const YAML::Mark& mark) {
    Fail(mark, absl::StrCat("more than ", kMaxDepth, " levels"));
  }

  bool IsAtKey() const { return !frames_.empty() && frames_.back().at_key; }

  void Account(const YAML::Mark& mark, std::size_t bytes) {
    aliased_bytes_ += bytes;
    if (aliased_bytes_ > kMaxAliasedBytes) {
      Fail(mark, absl::StrCat("anchors and aliases stand for more than ",
                              kMaxAliasedBytes >> 20, " MiB"));
    }
  }

  void Keep(const YAML::Mark& mark, YAML::anchor_t anchor, std::string json,
            std::size_t depth) {
    if (anchor == YAML::NullAnchor) return;
    Account(mark, json.size());
    anchors_[anchor] = {std::move(json), depth};
  }

  void Scalar(const YAML::Mark& mark, const YamlScalar& scalar,
              YAML::anchor_t anchor) {
    if (IsAtKey()) {
      if (anchor != YAML::NullAnchor) {
        Keep(mark, anchor, ValueOrFail(ToJson(scalar), mark), 0);
      }
      Key(mark, ValueOrFail(ToJsonKey(scalar), mark));
      return;
    }
    std::string json = ValueOrFail(ToJson(scalar), mark);
    BeginValue();
    out_ += json;
    Keep(mark, anchor, std::move(json), 0);
    EndValue(mark, 0);
  }

  // The key that an alias stands for.
  static std::string KeyOf(const YAML::Mark& mark, const std::string& json) {
    if (json == "null") Fail(mark, "a key must not be null");
    if (json.starts_with('{') || json.starts_with('[')) FailCompoundKey(mark);
    if (!json.starts_with('"')) return json;
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(json);
    simdjson::ondemand::document document;
    std::string_view key;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
        document.get_string().get(key) != simdjson::SUCCESS) {
      Fail(mark, "a key must be a scalar");
    }
    return std::string(key);
  }

  [[noreturn]] static void FailCompoundKey(const YAML::Mark& mark) {
    Fail(mark, "a key must be a scalar");
  }

  void Key(const YAML::Mark& mark, std::string key) {
    Frame& map = frames_.back();
    const auto [it, is_new] =
        map.lines_of_keys.try_emplace(std::move(key), mark.line);
    if (!is_new) {
      std::string problem = "duplicate key ";
      AppendJsonString(it->first, problem);
      absl::StrAppend(&problem, ", first on line ", it->second + 1);
      Fail(mark, problem);
    }
    AppendKey(map, it->first);
    map.at_key = false;
  }

  void AppendKey(Frame& map, std::string_view key) {
    if (!map.is_empty) out_ += ',';
    map.is_empty = false;
    AppendJsonString(key, out_);
    out_ += ':';
  }

  void BeginValue() {
    if (frames_.empty() || frames_.back().is_map) return;
    if (!frames_.back().is_empty) out_ += ',';
    frames_.back().is_empty = false;
  }

  // `height`: levels of the value that has been written.
  void EndValue(const YAML::Mark& mark, std::size_t height) {
    if (frames_.empty()) return;
    Frame& parent = frames_.back();
    // What is merged does not stand below its parent, but in its place.
    parent.height =
        std::max(parent.height, parent.merging ? height : height + 1);
    if (!parent.is_map) return;
    parent.at_key = true;
    if (parent.merging) EndMerge(mark, parent);
  }

  void Open(const YAML::Mark& mark, char bracket, YAML::anchor_t anchor) {
    if (IsAtKey()) FailCompoundKey(mark);
    if (frames_.size() >= kMaxDepth) FailDeep(mark);
    BeginValue();
    Frame& frame = frames_.emplace_back();
    frame.mark = mark;
    frame.anchor = anchor;
    frame.is_map = bracket == '{';
    frame.at_key = frame.is_map;
    frame.begin = out_.size();
    out_ += bracket;
  }

  void Close(char bracket) {
    out_ += bracket;
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.anchor != YAML::NullAnchor) {
      Keep(frame.mark, frame.anchor, out_.substr(frame.begin), frame.height);
    }
    EndValue(frame.mark, frame.height);
  }

  void StartMerge(const YAML::Mark& mark, Frame& map) {
    if (map.merging) Fail(mark, "a merge key must not be merged");
    map.at_key = false;
    map.merging = true;
    map.merge_begin = out_.size();
  }

  // Takes the value out of the output again.
  void EndMerge(const YAML::Mark& mark, Frame& map) {
    map.merging = false;
    std::string value = out_.substr(map.merge_begin);
    out_.resize(map.merge_begin);
    if (!value.starts_with('{') && !value.starts_with('[')) FailMerge(mark);
    map.merges.push_back(std::move(value));
    merge_mark_ = mark;
  }

  [[noreturn]] static void FailMerge(const YAML::Mark& mark) {
    Fail(mark, "a merge key wants a mapping or a list of mappings");
  }

  // Writes those fields of the merged mappings that the map does not have.
  // Of several mappings the first that has a field gives it.
  void AppendMerged(Frame& map) {
    for (const std::string& json : map.merges) {
      const simdjson::padded_string padded(json);
      simdjson::ondemand::parser parser;
      simdjson::ondemand::document document;
      simdjson::error_code error = parser.iterate(padded).get(document);
      if (error == simdjson::SUCCESS && json.starts_with('{')) {
        error = AppendMissing(document.get_object(), map);
      } else if (error == simdjson::SUCCESS) {
        for (auto element : document.get_array()) {
          error = AppendMissing(element.get_object(), map);
          if (error != simdjson::SUCCESS) break;
        }
      }
      if (error != simdjson::SUCCESS) FailMerge(merge_mark_);
    }
  }

  simdjson::error_code AppendMissing(
      simdjson::simdjson_result<simdjson::ondemand::object> object,
      Frame& map) {
    if (object.error() != simdjson::SUCCESS) return object.error();
    for (auto field : object) {
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      simdjson::ondemand::value value;
      if (const auto error = field.value().get(value)) return error;
      std::string_view json;
      if (const auto error = RawJson(value).get(json)) return error;
      if (!map.lines_of_keys.try_emplace(std::string(key), map.mark.line)
               .second) {
        continue;
      }
      AppendKey(map, key);
      out_ += json;
    }
    return simdjson::SUCCESS;
  }

  static simdjson::simdjson_result<std::string_view> RawJson(
      simdjson::ondemand::value value) {
    simdjson::ondemand::json_type type;
    if (const auto error = value.type().get(type)) return error;
    switch (type) {
      case simdjson::ondemand::json_type::object:
        return RawJsonOf(value.get_object());
      case simdjson::ondemand::json_type::array:
        return RawJsonOf(value.get_array());
      default:
        return value.raw_json_token();
    }
  }

  template <typename Container>
  static simdjson::simdjson_result<std::string_view> RawJsonOf(
      simdjson::simdjson_result<Container> result) {
    Container container;
    if (const auto error = std::move(result).get(container)) return error;
    return container.raw_json();
  }

  Lines lines_;
  bool has_document_ = false;
  int line_ = -1;  // On which the document begins.
  std::vector<std::string> documents_;
  std::string out_;  // The document that is being written.
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t aliased_bytes_ = 0;
  YAML::Mark merge_mark_;  // Of the last merge.
};

std::string Located(int line, int column, std::string_view problem) {
  return absl::StrCat("line ", line + 1, ", column ", column + 1, ": ",
                      std::string(problem));
}

// YAML allows no control characters. yaml-cpp takes one of them (EOT) for the
// end of the text, and would read half a file.
absl::Status CheckCharacters(std::string_view text) {
  const auto it = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
            c != '\t') ||
           c == 0x7f;
  });
  if (it != text.end()) {
    const std::string_view before(text.data(),
                                  static_cast<std::size_t>(it - text.begin()));
    const auto line = std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1);
    return absl::InvalidArgumentError(
        Located(static_cast<int>(line), static_cast<int>(column),
                "control characters are not allowed"));
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return absl::InvalidArgumentError("the text is not valid UTF-8");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> YamlToJson(std::string_view text) {
  if (absl::Status status = CheckCharacters(text); !status.ok()) return status;
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    JsonEmitter emitter(text);
    while (parser.HandleNextDocument(emitter)) {
    }
    return emitter.TakeDocuments();
  } catch (const YAML::Exception& e) {
    return absl::InvalidArgumentError(
        Located(e.mark.line, e.mark.column,
                e.msg == YAML::ErrorMsg::DOC_IN_SCALAR
                    ? "the document ends in a quoted string"
                    : e.msg));
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat("the text is not valid YAML: ", e.what()));
  }
}

}  // namespace vicinal
