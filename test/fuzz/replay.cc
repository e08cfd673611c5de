// Runs a fuzzer's function on the files of its corpus, without libFuzzer: what
// was found once stays found in every build. Fails if there is no file.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_FATAL;
  google::InitGoogleLogging(argv[0]);
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " FILE…\n";
    return EXIT_FAILURE;
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    CHECK(file) << argv[i];
    const std::string input((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    std::cout << argv[i] << std::endl;  // Before it may crash.
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                           input.size());
  }
  return EXIT_SUCCESS;
}
