#ifndef VICINAL_SERVER_KUBERNETES_BEARER_TOKEN_H_
#define VICINAL_SERVER_KUBERNETES_BEARER_TOKEN_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

// The token of a request's Authorization header. With a file, the file wins:
// kubelet replaces it while the pod runs, so it is read again when its
// identity, size or modification time changed, when the last reading is a
// minute old, and after Distrust(). Not thread safe.
class BearerToken {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Either may be empty; both empty: no token.
  BearerToken(std::string token, std::string file);

  // "" for none. A file that cannot be read, or whose content cannot stand in a
  // header, is an error that names it, unless an earlier content (or the token
  // given) can still be used; then that is returned and a line logged. Costs a
  // stat(2) most of the time.
  absl::StatusOr<std::string> Get(TimePoint now);

  // The server has refused the token (401): reads the file again next time.
  void Distrust() { trusted_ = false; }

 private:
  struct Version {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t seconds = 0;
    int64_t nanoseconds = 0;
    bool operator==(const Version&) const = default;
  };
  Version CurrentVersion() const;

  std::string file_;
  std::string token_;
  bool trusted_ = false;  // read_at_ and version_ are those of token_
  TimePoint read_at_;
  Version version_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_BEARER_TOKEN_H_
