#include "server/kubernetes/list_page.h"

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

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
    page.items.emplace_back(raw.data(), raw.size(), body.capacity() - begin);
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

}  // namespace

absl::StatusOr<ListPage> ReadListPage(const std::string& body) {
  ListPage page;
  bool has_items = false;
  std::string problem;
  if (const error_code error = ReadPage(body, page, has_items)) {
    problem = simdjson::error_message(error);
  } else if (page.resource_version.empty()) {
    problem = "metadata.resourceVersion is missing";
  } else if (!has_items) {
    problem = "items is missing";
  } else {
    return page;
  }
  return absl::DataLossError(
      absl::StrCat("the answer is not a list: ", problem,
                   " (it begins: ", absl::CEscape(body.substr(0, 80)), ")"));
}

}  // namespace vicinal
