// A directory for sockets, for tests.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_SHORT_DIRECTORY_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_SHORT_DIRECTORY_H_

#include <glog/logging.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace vicinal {

// With a name of its own that is short: the path of a socket has at most 107
// bytes, and a test's own directory may have more. Removed in the end.
class ShortDirectory {
 public:
  ShortDirectory() { PCHECK(mkdtemp(path_.data()) != nullptr); }
  ShortDirectory(const ShortDirectory&) = delete;
  ShortDirectory& operator=(const ShortDirectory&) = delete;
  ~ShortDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/vicinal-XXXXXX";
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_SHORT_DIRECTORY_H_
