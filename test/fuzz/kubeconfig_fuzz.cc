// A kubeconfig file.
#include <glog/logging.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "server/kubernetes/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const int file = memfd_create("kubeconfig", MFD_CLOEXEC);
  PCHECK(file >= 0);
  PCHECK(write(file, data, size) == static_cast<ssize_t>(size));
  static_cast<void>(
      vicinal::LoadKubeconfig("/proc/self/fd/" + std::to_string(file)));
  PCHECK(close(file) == 0);
  return 0;
}
