#include "core/model/parse_documents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

constexpr int kMaxJsonDepth = 256;  // As YamlToJson.

// An integer that 64 bits do not hold; empty if there is none. On its way to an
// API server such a number becomes another one.
std::string_view HugeInteger(std::string_view json) {
  constexpr std::string_view kNumber = "0123456789.eE+-";
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
      ++i;
      continue;
    }
    const std::size_t end =
        std::min(json.find_first_not_of(kNumber, i), json.size());
    const std::string_view number = json.substr(i, end - i);
    std::int64_t small = 0;
    std::uint64_t large = 0;
    if (!number.empty() &&
        number.find_first_of(".eE") == std::string_view::npos &&
        !absl::SimpleAtoi({number.data(), number.size()}, &small) &&
        !absl::SimpleAtoi({number.data(), number.size()}, &large) &&
        number.find_first_of("0123456789") != std::string_view::npos) {
      return number;
    }
    i = std::max(end, i + 1);
  }
  return {};
}

// nlohmann reads duplicate keys without a word, and nests without bound.
absl::StatusOr<Json> ParseJson(std::string_view text) {
  const std::string_view huge = HugeInteger(text);
  if (!huge.empty()) {
    return absl::InvalidArgumentError(std::string(huge) +
                                      ": an integer of more than 64 bits, of "
                                      "which an API server need not read "
                                      "what is written: write it in quotes");
  }
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxJsonDepth && problem.empty()) {
      problem = absl::StrCat("more than ", kMaxJsonDepth, " levels");
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second &&
        problem.empty()) {
      problem = "duplicate key \"" + parsed.get<std::string>() + "\"";
    }
    return problem.empty();
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), check);
    if (!problem.empty()) return absl::InvalidArgumentError(problem);
    return json;
  } catch (const Json::exception& error) {
    if (!problem.empty()) return absl::InvalidArgumentError(problem);
    return absl::InvalidArgumentError(std::string("not valid JSON: ") +
                                      error.what());
  }
}

}  // namespace

absl::StatusOr<std::vector<Json>> ParseDocuments(std::string_view text) {
  std::vector<Json> documents;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    absl::StatusOr<Json> json = ParseJson(text);
    if (!json.ok()) return json.status();
    documents.push_back(*std::move(json));
    return documents;
  }
  absl::StatusOr<std::vector<std::string>> texts = YamlToJson(text);
  if (!texts.ok()) return texts.status();
  for (const std::string& one : *texts) {
    absl::StatusOr<Json> json = ParseJson(one);
    if (!json.ok()) return json.status();
    documents.push_back(*std::move(json));
  }
  return documents;
}

}  // namespace vicinal
