#include "server/commands/terminal/terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>

namespace vicinal {
namespace {

TEST(TerminalTest, LinesAreBrokenWhereTheyDoNotFit) {
  Terminal terminal;
  const std::string text = "  one two three\nshort\n";
  EXPECT_EQ(terminal.Wrapped(text), text);
  terminal.columns = 10;
  EXPECT_EQ(terminal.Wrapped(text), "  one two\n  three\nshort\n");
  // Columns, words that are too long, letters of several bytes.
  EXPECT_EQ(terminal.Wrapped("NAME   NODE   STATUS"), "NAME   NODE   STATUS");
  EXPECT_EQ(terminal.Wrapped("a abcdefghijklmnop b"), "a\nabcdefghijklmnop\nb");
  EXPECT_EQ(terminal.Wrapped("äöüäö äöüä"), "äöüäö äöüä");
}

TEST(TerminalTest, WhatIsNoTerminalHasNoColourAndNoEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Terminal terminal = TerminalOf(ends[1]);
  EXPECT_EQ(terminal.columns, 0u);
  EXPECT_EQ(terminal.In(Colour::kRed, "text"), "text");
}

TEST(TerminalTest, ATerminalHasColoursUnlessTheyAreNotWanted) {
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = 77;
  int main = -1;
  int other = -1;
  ASSERT_EQ(openpty(&main, &other, nullptr, nullptr, &size), 0);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_EQ(TerminalOf(other).columns, 77u);
  EXPECT_EQ(TerminalOf(other).In(Colour::kGreen, "text"),
            "\033[1;32mtext\033[0m");
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(TerminalOf(other).has_colour);
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(TerminalOf(other).has_colour);
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(TerminalOf(other).has_colour);
  close(main);
  close(other);
}

}  // namespace
}  // namespace vicinal
