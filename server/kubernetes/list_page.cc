#include "server/kubernetes/list_page.h"

#include <simdjson.h>

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/model/wire_reader.h"
#include "server/kubernetes/protobuf_envelope.h"

namespace vicinal {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

error_code ReadMetadata(ondemand::value value, ListPage& page) {
  ondemand::object metadata;
  if (const error_code error = value.get_object().get(metadata)) return error;
  for (auto field : metadata) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    if (key != "resourceVersion" && key != "continue") continue;
    std::string_view text;
    if (const error_code error = field.value().get_string().get(text))
      return error;
    (key == "continue" ? page.continue_token : page.resource_version) = text;
  }
  return SUCCESS;
}

error_code ReadItems(ondemand::value value, const std::string& body,
                     ListPage& page) {
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type == ondemand::json_type::null) return SUCCESS;  // Go's nil slice
  ondemand::array items;
  if (const error_code error = value.get_array().get(items)) return error;
  for (auto element : items) {
    ondemand::object object;
    if (const error_code error = element.get_object().get(object)) return error;
    std::string_view raw;
    if (const error_code error = object.raw_json().get(raw)) return error;
    const size_t begin = static_cast<size_t>(raw.data() - body.data());
    page.items.push_back({Encoding::kJson, simdjson::padded_string_view(
                                               raw.data(), raw.size(),
                                               body.capacity() - begin)});
  }
  return SUCCESS;
}

error_code ReadPage(const std::string& body, ListPage& page, bool& has_items) {
  ondemand::parser parser;
  ondemand::document document;
  if (const error_code error =
          parser.iterate(simdjson::padded_string_view(body)).get(document)) {
    return error;
  }
  ondemand::object list;
  if (const error_code error = document.get_object().get(list)) return error;
  for (auto field : list) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    if (key != "metadata" && key != "items") continue;
    ondemand::value value;
    if (const error_code error = field.value().get(value)) return error;
    has_items |= key == "items";
    const error_code error = key == "items" ? ReadItems(value, body, page)
                                            : ReadMetadata(value, page);
    if (error != SUCCESS) return error;
  }
  const bool at_end =
      document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? SUCCESS : simdjson::TRAILING_CONTENT;
}

// What is wrong with the page; "" for nothing.
std::string ReadJson(const std::string& body, ListPage& page) {
  bool has_items = false;
  if (const error_code error = ReadPage(body, page, has_items)) {
    return simdjson::error_message(error);
  }
  return has_items ? "" : "items is missing";
}

// metav1.ListMeta
bool ReadMetadata(std::string_view message, ListPage& page) {
  WireReader metadata(message);
  WireField field;
  while (metadata.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 2) page.resource_version = field.bytes;
    if (field.number == 3) page.continue_token = field.bytes;
  }
  return metadata.ok();
}

// As ReadJson. Each kind's list is {metadata = 1, items = 2}; one without items
// has no such field.
std::string ReadProtobuf(const std::string& body, ListPage& page) {
  const std::optional<ProtobufEnvelope> envelope = OpenProtobuf(body);
  if (!envelope) return "no protobuf of an API server, or cut off";
  if (!envelope->kind.ends_with("List")) {
    return absl::StrCat("it is of kind \"",
                        absl::CEscape(std::string(envelope->kind)), "\"");
  }
  WireReader list(envelope->message);
  WireField field;
  while (list.Next(field)) {
    if (field.number != 1 && field.number != 2) continue;
    if (field.type != WireType::kBytes) return "a field has the wrong type";
    if (field.number == 2) {
      const auto begin =
          static_cast<std::size_t>(field.bytes.data() - body.data());
      page.items.push_back(
          {Encoding::kProtobuf,
           simdjson::padded_string_view(field.bytes.data(), field.bytes.size(),
                                        body.capacity() - begin)});
    } else if (!ReadMetadata(field.bytes, page)) {
      return "metadata is no protobuf";
    }
  }
  return list.ok() ? "" : "the list is no protobuf, or cut off";
}

}  // namespace

absl::StatusOr<ListPage> ReadListPage(Encoding encoding,
                                      const std::string& body) {
  ListPage page;
  std::string problem = encoding == Encoding::kProtobuf
                            ? ReadProtobuf(body, page)
                            : ReadJson(body, page);
  if (problem.empty() && page.resource_version.empty()) {
    problem = "metadata.resourceVersion is missing";
  }
  if (problem.empty()) return page;
  return absl::DataLossError(
      absl::StrCat("the answer is not a list: ", problem,
                   " (it begins: ", absl::CEscape(body.substr(0, 80)), ")"));
}

}  // namespace vicinal
