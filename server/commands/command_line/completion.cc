#include "server/commands/command_line/completion.h"

#include <iostream>
#include <memory>

#include "server/commands/command_line/mistake.h"

namespace vicinal {
namespace {

constexpr char kBash[] = R"(# source <(vicinal completion bash)
_vicinal() {
  local lines
  mapfile -t lines < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # The last line is for kubectl.
  COMPREPLY=("${lines[@]:0:${#lines[@]}-1}")
}
complete -o default -F _vicinal vicinal kubectl-vicinal
)";

}  // namespace

void AddCompletion(CLI::App& app, std::function<absl::Status()>& action) {
  CLI::App* completion = app.add_subcommand(
      "completion", "Print a script that completes vicinal's command line.");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash")
      ->required()
      ->check(CLI::IsMember({"bash"}));
  completion->footer(
      "For this shell:\n  source <(vicinal completion bash)\nFor kubectl "
      "vicinal: link the program into $PATH as kubectl_complete-vicinal too.");
  completion->callback([&action, shell] {
    action = [] {
      std::cout << kBash;
      return absl::OkStatus();
    };
  });
}

bool CompleteIfAsked(const CLI::App& app,
                     const std::vector<std::string>& arguments,
                     std::ostream& out) {
  const std::string& program = arguments.front();
  const std::string name = program.substr(program.rfind('/') + 1);
  std::size_t first = 1;
  if (name != "kubectl_complete-vicinal") {
    if (arguments.size() < 2 || arguments[1] != "__complete") return false;
    first = 2;
  }
  for (const std::string& candidate :
       Completions(app, {arguments.begin() + static_cast<std::ptrdiff_t>(first),
                         arguments.end()})) {
    out << candidate << "\n";
  }
  out << ":0\n";
  return true;
}

}  // namespace vicinal
