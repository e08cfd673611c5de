#include "server/kubernetes/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;

Program Shell(const std::string& script) {
  Program program;
  program.path = FindProgram("sh");
  program.arguments = {"-c", script};
  return program;
}

TEST(ProgramTest, PrintsWithItsArgumentsAndEnvironment) {
  Program program = Shell("echo \"$1|$COLOUR|$(cat)\"");
  program.arguments.insert(program.arguments.end(), {"sh", "a  'b' $(id)"});
  program.environment = {{"COLOUR", "blue"}};
  const auto result = RunProgram(program);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_status, 0);
  // Arguments reach it as they are, and its input is empty.
  EXPECT_EQ(result->output, "a  'b' $(id)|blue|\n");
}

TEST(ProgramTest, SaysHowItEnded) {
  EXPECT_EQ(RunProgram(Shell("exit 7"))->exit_status, 7);
  EXPECT_EQ(RunProgram(Shell("kill -9 $$"))->exit_status, 137);
}

TEST(ProgramTest, IsKilledWhenItTakesTooLong) {
  Program program = Shell("exec sleep 1000");
  program.timeout = std::chrono::milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(RunProgram(program).status()));
  // Its output has ended, and it has not.
  program = Shell("exec sleep 1000 >&-");
  program.timeout = std::chrono::milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(RunProgram(program).status()));
}

TEST(ProgramTest, MayNotPrintWithoutEnd) {
  const auto result = RunProgram(Shell("exec cat /dev/zero"));
  EXPECT_EQ(result.status().message(), "prints more than 4 MiB");
}

TEST(ProgramTest, IsFoundInAbsoluteFoldersOnly) {
  EXPECT_EQ(FindProgram("no-such-program-anywhere"), "");
  EXPECT_EQ(FindProgram("/"), "");
  EXPECT_THAT(FindProgram("sh"), testing::StartsWith("/"));
  EXPECT_EQ(FindProgram("/bin/sh"), "/bin/sh");
}

TEST(ProgramTest, AFileThatIsNoProgramIsNotGivenToAShell) {
  Program program;
  program.path = testing::TempDir() + "/no_shebang";
  ASSERT_EQ(RunProgram(Shell("echo 'echo run' > " + program.path +
                             " && chmod +x " + program.path))
                ->exit_status,
            0);
  EXPECT_THAT(std::string(RunProgram(program).status().message()),
              HasSubstr("cannot be started: Exec format error"));
}

}  // namespace
}  // namespace vicinal
