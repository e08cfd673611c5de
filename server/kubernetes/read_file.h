#ifndef VICINAL_SERVER_KUBERNETES_READ_FILE_H_
#define VICINAL_SERVER_KUBERNETES_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

// The whole content of a small configuration file. Errors say why but do not
// repeat the path; more than 4 MiB is refused.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// All of any file that can be read, such as a pipe; "-" is standard input.
// There is room for simdjson's padding behind the text. Errors begin with the
// path.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_READ_FILE_H_
