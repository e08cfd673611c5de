#include "server/log/unblock_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace vicinal {
namespace {

// In a process of its own each: standard error and the signal stay changed.
class UnblockLogDeathTest : public testing::Test {
 protected:
  UnblockLogDeathTest() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }

  // Makes standard error a pipe; its ends are those of another process too.
  void MakePipe() { ASSERT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  void BecomeError() const {
    if (dup2(ends_[1], STDERR_FILENO) < 0) _exit(10);
  }

  // Writes lines until one is lost; how many went into the pipe.
  static int Fill() {
    const std::string line(1000, 'x');
    int lines = 0;
    while (write(STDERR_FILENO, line.data(), line.size()) > 0) ++lines;
    if (errno != EAGAIN) _exit(11);
    return lines;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(UnblockLogDeathTest, AFullPipeLosesLinesAndGoesOnOnceItIsRead) {
  MakePipe();
  EXPECT_EXIT(
      {
        BecomeError();
        if (!UnblockLog().ok()) _exit(12);
        if (Fill() == 0) _exit(13);
        std::string read_all(1 << 20, '\0');
        if (read(ends_[0], read_all.data(), read_all.size()) <= 0) _exit(14);
        _exit(Fill() > 0 ? 0 : 15);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(UnblockLogDeathTest, APipeWithoutAReaderEndsNothing) {
  MakePipe();
  EXPECT_EXIT(
      {
        BecomeError();
        if (!UnblockLog().ok()) _exit(12);
        close(ends_[0]);
        // The test runner, which forked, may hold the other end: then it fills.
        const ssize_t written = write(STDERR_FILENO, "x", 1);
        _exit(written == 1 || errno == EPIPE ? 0 : 13);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(UnblockLogDeathTest, OthersWaitForThePipeAsBefore) {
  MakePipe();
  EXPECT_EXIT(
      {
        BecomeError();
        if (!UnblockLog().ok()) _exit(12);
        _exit((fcntl(ends_[1], F_GETFL) & O_NONBLOCK) == 0 &&
                      (fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK) != 0
                  ? 0
                  : 13);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(UnblockLogDeathTest, AFileStaysAsItIs) {
  EXPECT_EXIT(
      {
        const int file = open("/dev/null", O_WRONLY);
        if (dup2(file, STDERR_FILENO) < 0) _exit(10);
        if (!UnblockLog().ok()) _exit(12);
        _exit((fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK) == 0 ? 0 : 13);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vicinal
