// What standard output is printed on.
#ifndef VICINAL_SERVER_COMMANDS_TERMINAL_TERMINAL_H_
#define VICINAL_SERVER_COMMANDS_TERMINAL_TERMINAL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace vicinal {

enum class Colour { kRed, kGreen };

// By default what is no terminal: lines of any length, without colour.
struct Terminal {
  std::size_t columns = 0;  // 0: any number.
  bool has_colour = false;

  // The text, bold and in a colour if there are colours.
  std::string In(Colour colour, std::string_view text) const;

  // The text with line breaks at blanks such that its lines fit, further lines
  // with the indentation of the first. Lines with columns, which three blanks
  // keep apart, and words that are too long stay as they are.
  std::string Wrapped(std::string_view text) const;
};

// What a file descriptor is. No colour: it is no terminal, or $NO_COLOR is not
// empty (https://no-color.org), or $TERM is dumb.
Terminal TerminalOf(int descriptor);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_TERMINAL_TERMINAL_H_
