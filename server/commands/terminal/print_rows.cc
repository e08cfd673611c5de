#include "server/commands/terminal/print_rows.h"

#include <algorithm>
#include <cstddef>

namespace vicinal {

void PrintRows(const std::vector<Row>& rows, std::string_view indent,
               std::ostream& out, const Terminal& terminal) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const Row& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - row[i].size() + 3, ' ');
    }
    line.resize(line.find_last_not_of(' ') + 1);
    const bool is_pending =
        std::find(row.begin(), row.end(), kPending) != row.end();
    out << (is_pending ? terminal.In(Colour::kRed, line) : line) << "\n";
  }
}

}  // namespace vicinal
