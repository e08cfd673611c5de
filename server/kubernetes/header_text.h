// What may stand in a header of HTTP.
#ifndef VICINAL_SERVER_KUBERNETES_HEADER_TEXT_H_
#define VICINAL_SERVER_KUBERNETES_HEADER_TEXT_H_

#include <algorithm>
#include <string_view>

namespace vicinal {

// Whether the text has only visible characters of ASCII, and no blanks: a token
// with others would end its header or be cut.
inline bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_HEADER_TEXT_H_
