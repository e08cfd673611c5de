#include "server/decisions/decision_log.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "server/decisions/decision_json.h"

namespace vicinal {

void ForEachDecision(std::istream& lines, const VisitDecision& visit) {
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty()) visit(ReadDecision(line));
  }
}

absl::Status ForEachDecision(const std::string& path,
                             const VisitDecision& visit) {
  if (path == "-") {
    ForEachDecision(std::cin, visit);
    return absl::OkStatus();
  }
  // A directory can be opened.
  std::error_code ignored;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return absl::NotFoundError(path + ": cannot be read");
  }
  std::ifstream older(path + ".1");
  if (older) ForEachDecision(older, visit);
  ForEachDecision(file, visit);
  if (file.bad()) return absl::DataLossError(path + ": cannot be read");
  return absl::OkStatus();
}

}  // namespace vicinal
