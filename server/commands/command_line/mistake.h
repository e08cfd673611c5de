// What a command line that was not understood was probably meant to be.
#ifndef VICINAL_SERVER_COMMANDS_COMMAND_LINE_MISTAKE_H_
#define VICINAL_SERVER_COMMANDS_COMMAND_LINE_MISTAKE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vicinal {

// The first word that is no subcommand, or no flag of the one before it, with
// the nearest that is: `unknown command "exlain"; did you mean explain?`.
// Empty: there is none. `arguments` are those behind the program's name.
std::string DescribeMistake(const CLI::App& app,
                            const std::vector<std::string>& arguments);

// The same walk: what can stand in the place of the last argument, which may be
// empty or begun. A value of a flag is up to who knows it: nothing.
std::vector<std::string> Completions(const CLI::App& app,
                                     const std::vector<std::string>& arguments);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_COMMAND_LINE_MISTAKE_H_
