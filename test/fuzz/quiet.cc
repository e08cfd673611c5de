// What the decoders log about bad input would be most of a fuzzer's work.
#include <glog/logging.h>

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_FATAL;
  google::InitGoogleLogging((*argv)[0]);
  return 0;
}
