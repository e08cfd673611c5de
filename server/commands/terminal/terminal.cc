#include "server/commands/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace vicinal {
namespace {

// How many columns UTF-8 takes, roughly: a character each.
std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void AppendWrapped(std::string_view line, std::size_t columns,
                   std::string& out) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view words = line.substr(indent);
  if (Columns(line) <= columns || words.find("   ") != words.npos) {
    out += line;
    return;
  }
  std::size_t used = 0;
  std::size_t begin = 0;
  while (begin < words.size()) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    if (used > 0 && used + 1 + Columns(word) > columns) {
      out += '\n';
      used = 0;
    }
    if (used == 0) {
      out.append(indent, ' ');
      used = indent;
    } else {
      out += ' ';
      ++used;
    }
    out += word;
    used += Columns(word);
    begin = end + 1;
  }
}

}  // namespace

std::string Terminal::In(Colour colour, std::string_view text) const {
  if (!has_colour) return std::string(text);
  return std::string(colour == Colour::kRed ? "\033[1;31m" : "\033[1;32m") +
         std::string(text) + "\033[0m";
}

std::string Terminal::Wrapped(std::string_view text) const {
  if (columns == 0) return std::string(text);
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    AppendWrapped(text.substr(0, end), columns, wrapped);
    if (end == text.size()) break;
    wrapped += '\n';
    text.remove_prefix(end + 1);
  }
  return wrapped;
}

Terminal TerminalOf(int descriptor) {
  Terminal terminal;
  if (isatty(descriptor) == 0) return terminal;
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) terminal.columns = size.ws_col;
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  terminal.has_colour = (no_colour == nullptr || *no_colour == '\0') &&
                        term != nullptr && std::string_view(term) != "dumb";
  return terminal;
}

}  // namespace vicinal
