#ifndef VICINAL_SERVER_KUBERNETES_ENCODING_H_
#define VICINAL_SERVER_KUBERNETES_ENCODING_H_

#include <string_view>

namespace vicinal {

// How the API server writes objects.
enum class Encoding { kJson, kProtobuf };

// Their media types.
inline constexpr char kJsonMediaType[] = "application/json";
inline constexpr char kProtobufMediaType[] =
    "application/vnd.kubernetes.protobuf";

// What a client accepts that would like to have this encoding. A server may
// answer in JSON all the same.
constexpr const char* AcceptOf(Encoding wanted) {
  return wanted == Encoding::kJson
             ? kJsonMediaType
             : "application/vnd.kubernetes.protobuf,application/json";
}

// The encoding of an answer with this Content-Type, such as
// "application/vnd.kubernetes.protobuf;stream=watch". Whatever is not known is
// read as JSON, and is an error there if it is none.
constexpr Encoding EncodingOf(std::string_view content_type) {
  constexpr std::string_view kProtobuf = kProtobufMediaType;
  if (!content_type.starts_with(kProtobuf)) return Encoding::kJson;
  content_type.remove_prefix(kProtobuf.size());
  const bool ends =
      content_type.empty() || content_type[0] == ';' || content_type[0] == ' ';
  return ends ? Encoding::kProtobuf : Encoding::kJson;
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_ENCODING_H_
