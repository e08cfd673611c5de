#include "server/kubernetes/bearer_token.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

using std::chrono::seconds;

const BearerToken::TimePoint kStart{std::chrono::hours(1)};

class BearerTokenTest : public testing::Test {
 protected:
  BearerTokenTest()
      : path_(testing::TempDir() + "bearer_token_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
  }

  void Write(const std::string& content) const {
    std::ofstream(path_) << content;
  }

  // Writes without leaving a trace in the file's metadata, as on a file system
  // with coarse times.
  void WriteUnnoticed(const std::string& content) const {
    struct stat before = {};
    ASSERT_EQ(stat(path_.c_str(), &before), 0);
    ASSERT_EQ(static_cast<size_t>(before.st_size), content.size());
    Write(content);
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  }

  static std::string Get(BearerToken& token, BearerToken::TimePoint now) {
    const absl::StatusOr<std::string> value = token.Get(now);
    return value.ok() ? *value
                      : "error: " + std::string(value.status().message());
  }

  const std::string path_;
};

TEST_F(BearerTokenTest, GivesWhatItWasGiven) {
  BearerToken none("", "");
  EXPECT_EQ(Get(none, kStart), "");
  BearerToken fixed("abc", "");
  EXPECT_EQ(Get(fixed, kStart), "abc");
}

TEST_F(BearerTokenTest, FileWinsAndIsTrimmed) {
  Write("  from-file\r\n");
  BearerToken token("given", path_);
  EXPECT_EQ(Get(token, kStart), "from-file");
}

TEST_F(BearerTokenTest, ReadsTheFileAgainWhenItChanges) {
  Write("one");
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart), "one");
  Write("three");
  EXPECT_EQ(Get(token, kStart), "three");
}

TEST_F(BearerTokenTest, ReadsTheFileAgainWhenALinkIsTurned) {
  std::ofstream(path_ + ".1") << "one";
  std::ofstream(path_ + ".2") << "two";
  std::filesystem::create_symlink(path_ + ".1", path_);
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart), "one");
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(path_ + ".2", path_);
  EXPECT_EQ(Get(token, kStart), "two");
}

TEST_F(BearerTokenTest, ReadsTheFileAgainAfterAMinute) {
  Write("one");
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart), "one");
  WriteUnnoticed("two");
  EXPECT_EQ(Get(token, kStart + seconds(59)), "one");
  EXPECT_EQ(Get(token, kStart + seconds(60)), "two");
}

TEST_F(BearerTokenTest, ReadsTheFileAgainOnceDistrusted) {
  Write("one");
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart), "one");
  WriteUnnoticed("two");
  token.Distrust();
  EXPECT_EQ(Get(token, kStart), "two");
}

TEST_F(BearerTokenTest, KeepsTheLastTokenWhileTheFileIsUnusable) {
  Write("one");
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart), "one");
  std::filesystem::remove(path_);
  EXPECT_EQ(Get(token, kStart), "one");
  Write("line\r\nX-Injected: header");
  EXPECT_EQ(Get(token, kStart), "one");
  Write("back");
  EXPECT_EQ(Get(token, kStart), "back");
}

TEST_F(BearerTokenTest, NamesAFileThatNeverHeldAToken) {
  BearerToken token("", path_);
  EXPECT_EQ(Get(token, kStart),
            "error: token file " + path_ + ": No such file or directory");
  Write(" \n");
  EXPECT_EQ(Get(token, kStart),
            "error: token file " + path_ + ": contains no token");
}

}  // namespace
}  // namespace vicinal
