#include "server/decisions/rotating_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::TempDir;

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A path where nothing is.
std::string NewPath() {
  const std::string path =
      TempDir() + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(path);
  std::filesystem::remove_all(path + ".1");
  return path;
}

TEST(RotatingFileTest, AppendsToWhatIsThere) {
  const std::string path = NewPath();
  std::ofstream(path) << "a\n";
  RotatingFile file(path, 100);
  ASSERT_TRUE(file.Append("b\n").ok());
  ASSERT_TRUE(file.Append("c\n").ok());
  EXPECT_EQ(Read(path), "a\nb\nc\n");
}

TEST(RotatingFileTest, OnlyTheOwnerCanReadANewFile) {
  const std::string path = NewPath();
  RotatingFile file(path, 100);
  ASSERT_TRUE(file.Append("a\n").ok());
  EXPECT_EQ(
      std::filesystem::status(path).permissions(),
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(RotatingFileTest, KeepsOneOlderFile) {
  const std::string path = NewPath();
  RotatingFile file(path, 8);
  for (const char* line : {"one\n", "two\n", "three\n"}) {
    ASSERT_TRUE(file.Append(line).ok());
  }
  EXPECT_EQ(Read(path + ".1"), "one\ntwo\n");
  EXPECT_EQ(Read(path), "three\n");
  for (const char* line : {"four\n", "a line longer than all\n", "five\n"}) {
    ASSERT_TRUE(file.Append(line).ok());
  }
  EXPECT_EQ(Read(path + ".1"), "a line longer than all\n");
  EXPECT_EQ(Read(path), "five\n");
}

TEST(RotatingFileTest, AFileThatWasTakenAwayBeginsAnewWhenItIsFull) {
  const std::string path = NewPath();
  RotatingFile file(path, 8);
  ASSERT_TRUE(file.Append("one\n").ok());
  std::filesystem::remove(path);
  ASSERT_TRUE(file.Append("two\n").ok());
  ASSERT_TRUE(file.Append("three\n").ok());
  EXPECT_EQ(Read(path), "three\n");
}

TEST(RotatingFileTest, AFullDiskIsAnErrorUntilThereIsRoom) {
  const std::string path = NewPath();
  std::filesystem::create_symlink("/dev/full", path);
  RotatingFile file(path, 100);
  EXPECT_EQ(file.Append("a\n").message(),
            path + ": cannot be written: No space left on device");
  std::filesystem::remove(path);
  EXPECT_TRUE(file.Append("b\n").ok());
  EXPECT_EQ(Read(path), "b\n");
}

TEST(RotatingFileTest, APathThatCannotBeOpenedIsAnError) {
  EXPECT_EQ(RotatingFile("/proc/no/such", 100).Append("a\n").message(),
            "/proc/no/such: cannot be opened: No such file or directory");
  const std::string path = NewPath();
  std::filesystem::create_directory(path);
  EXPECT_THAT(std::string(RotatingFile(path, 100).Append("a\n").message()),
              HasSubstr("Is a directory"));
}

TEST(RotatingFileTest, APipeThatNobodyReadsIsAnErrorAtOnce) {
  const std::string path = NewPath();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  RotatingFile file(path, 100);
  EXPECT_THAT(std::string(file.Append("a\n").message()),
              HasSubstr("No such device or address"));
}

}  // namespace
}  // namespace vicinal
