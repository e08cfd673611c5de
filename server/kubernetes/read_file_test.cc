#include "server/kubernetes/read_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

std::string PathOf(const std::string& name) {
  return testing::TempDir() + "read_file_" + name;
}

TEST(ReadSmallFileTest, GivesTheWholeContent) {
  const std::string path = PathOf("whole");
  const std::string content(100000, 'x');
  std::ofstream(path) << content;
  const absl::StatusOr<std::string> read = ReadSmallFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, content);
}

TEST(ReadSmallFileTest, SaysThatAFileIsMissing) {
  const absl::StatusOr<std::string> read = ReadSmallFile(PathOf("missing"));
  EXPECT_TRUE(absl::IsNotFound(read.status()));
  EXPECT_EQ(read.status().message(), "No such file or directory");
}

TEST(ReadSmallFileTest, RefusesADirectoryAndAPipe) {
  EXPECT_EQ(ReadSmallFile(testing::TempDir()).status().message(),
            "not a regular file");
  const std::string pipe = PathOf("pipe");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadSmallFile(pipe).status().message(), "not a regular file");
}

TEST(ReadSmallFileTest, RefusesAFileBeyondItsBound) {
  const std::string path = PathOf("large");
  std::ofstream(path) << std::string((4u << 20) + 1, 'x');
  EXPECT_EQ(ReadSmallFile(path).status().message(), "larger than 4 MiB");
}

TEST(ReadWholeFileTest, ReadsAFileOfAnySizeWithRoomBehindIt) {
  const std::string path = PathOf("whole_large");
  const std::string content((4u << 20) + 1, 'x');
  std::ofstream(path) << content;
  const absl::StatusOr<std::string> read = ReadWholeFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, content);
  EXPECT_GE(read->capacity(), content.size() + 64);
}

TEST(ReadWholeFileTest, ReadsAPipe) {
  const std::string pipe = PathOf("whole_pipe");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&pipe] { std::ofstream(pipe) << "text"; });
  const absl::StatusOr<std::string> read = ReadWholeFile(pipe);
  writer.join();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "text");
}

TEST(ReadWholeFileTest, ErrorsBeginWithThePath) {
  const std::string path = PathOf("missing");
  EXPECT_EQ(ReadWholeFile(path).status().message(),
            path + ": No such file or directory");
  EXPECT_EQ(ReadWholeFile(testing::TempDir()).status().message(),
            testing::TempDir() + ": Is a directory");
}

}  // namespace
}  // namespace vicinal
