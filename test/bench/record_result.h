// Keeps what a benchmark measures for test/bench/compare.
#ifndef VICINAL_TEST_BENCH_RECORD_RESULT_H_
#define VICINAL_TEST_BENCH_RECORD_RESULT_H_

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace vicinal {

// Appends one line to the file that $VICINAL_BENCH_RESULTS names, as
// test/bench/results/results.go does; without it, does nothing. `values` are by
// name, which ends with the unit. False, with a message on the standard error,
// if the file cannot be written.
inline bool RecordResult(const std::string& bench, const std::string& name,
                         const std::map<std::string, double>& values) {
  const char* const path = std::getenv("VICINAL_BENCH_RESULTS");
  if (path == nullptr) return true;
  const nlohmann::json line = {
      {"bench", bench}, {"case", name}, {"values", values}};
  std::ofstream file(path, std::ios::app);
  file << line.dump() << std::endl;
  if (file) return true;
  std::fprintf(stderr, "VICINAL_BENCH_RESULTS: cannot write %s\n", path);
  return false;
}

}  // namespace vicinal

#endif  // VICINAL_TEST_BENCH_RECORD_RESULT_H_
