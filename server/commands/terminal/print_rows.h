// Tables as kubectl prints them.
#ifndef VICINAL_SERVER_COMMANDS_TERMINAL_PRINT_ROWS_H_
#define VICINAL_SERVER_COMMANDS_TERMINAL_PRINT_ROWS_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/terminal/terminal.h"

namespace vicinal {

inline constexpr char kPending[] = "Pending";

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, three blanks between them. Rows with
// the cell kPending are red on a terminal with colours.
void PrintRows(const std::vector<Row>& rows, std::string_view indent,
               std::ostream& out, const Terminal& terminal = {});

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_TERMINAL_PRINT_ROWS_H_
