// Writes JSON by appending to a string.
#ifndef VICINAL_CORE_MODEL_JSON_WRITER_H_
#define VICINAL_CORE_MODEL_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace vicinal {

// Appends `text` as a JSON string: quoted, with '"', '\' and control characters
// escaped. Bytes that are not UTF-8 become U+FFFD. Cost: O(text).
void AppendJsonString(std::string_view text, std::string& out);

// Appends a decimal number.
void AppendJsonNumber(std::int64_t number, std::string& out);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_JSON_WRITER_H_
