#ifndef VICINAL_SERVER_KUBERNETES_PERCENT_ENCODE_H_
#define VICINAL_SERVER_KUBERNETES_PERCENT_ENCODE_H_

#include <string>
#include <string_view>

namespace vicinal {

// `text` as a value in the query of a URL (RFC 3986): all but letters, digits
// and -_.~ is encoded.
inline std::string PercentEncode(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                       c == '.' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      const unsigned char byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_PERCENT_ENCODE_H_
