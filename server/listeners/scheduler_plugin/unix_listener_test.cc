#include "server/listeners/scheduler_plugin/unix_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include "server/listeners/scheduler_plugin/testing/short_directory.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;

class UnixListenerTest : public ::testing::Test {
 protected:
  static absl::StatusOr<std::unique_ptr<UnixListener>> Start(
      const std::string& path) {
    return UnixListener::Start(path, [](int fd) { close(fd); });
  }
  static std::string ErrorOf(const std::string& path) {
    const auto listener = Start(path);
    return listener.ok() ? "no error"
                         : std::string(listener.status().message());
  }

  const ShortDirectory directory_;
  const std::string path_ = directory_.path() + "/listener.sock";
};

TEST_F(UnixListenerTest, OnlyTheOwnerMayOpenTheSocket) {
  const auto listener = Start(path_);
  ASSERT_TRUE(listener.ok()) << listener.status();
  struct stat found = {};
  ASSERT_EQ(lstat(path_.c_str(), &found), 0);
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(UnixListenerTest, ConnectionsAreHandedOn) {
  std::promise<int> accepted;
  const auto listener = UnixListener::Start(
      path_, [&accepted](int fd) { accepted.set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::copy(path_.begin(), path_.end(), address.sun_path);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
      0);
  const int other_end = accepted.get_future().get();
  EXPECT_GE(other_end, 0);
  close(other_end);
  close(fd);
}

TEST_F(UnixListenerTest, ASocketThatIsLeftOverIsReplaced) {
  {
    // Bound, and closed without being removed.
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), address.sun_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(
        bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
        0);
    close(fd);
  }
  EXPECT_TRUE(Start(path_).ok());
}

TEST_F(UnixListenerTest, TheSocketIsRemovedInTheEnd) {
  ASSERT_TRUE(Start(path_).ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(UnixListenerTest, ASocketInUseIsRefused) {
  const auto listener = Start(path_);
  ASSERT_TRUE(listener.ok());
  EXPECT_THAT(ErrorOf(path_), HasSubstr("another process listens there"));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(UnixListenerTest, WhatIsNoSocketIsLeftAlone) {
  std::ofstream(path_) << "precious";
  EXPECT_THAT(ErrorOf(path_), HasSubstr("is not a socket"));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(UnixListenerTest, PathsThatCannotBeAreRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("must have 1 to 107 bytes"));
  EXPECT_THAT(ErrorOf(std::string(200, 'x')),
              HasSubstr("must have 1 to 107 bytes"));
  EXPECT_THAT(ErrorOf(directory_.path() + "/no/where.sock"),
              HasSubstr("there is no such directory"));
}

}  // namespace
}  // namespace vicinal
