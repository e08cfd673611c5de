// Says what the processor lacks that .bazelrc builds for, instead of dying of
// an illegal instruction. It runs before all other code of the binary, and its
// target is compiled for any x86-64.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef __x86_64__
#error \
    "vicinal gives the answers of amd64 only: elsewhere Go rounds scores otherwise"
#endif

// As .bazelrc has it.
#ifdef VICINAL_X86_64_V2
#define BUILT_FOR "x86-64-v2"
#else
#define BUILT_FOR "x86-64-v3"
#endif

namespace {

void Say(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(EXIT_FAILURE);
}

// Constructors run in the order of their priorities, and 101 is the first that
// is free.
__attribute__((constructor(101))) void CheckProcessor() {
  __builtin_cpu_init();
  const struct {
    const char* name;
    bool is_there;
  } wanted[] = {
#ifdef VICINAL_X86_64_V2
      {" sse4.2", __builtin_cpu_supports("sse4.2") != 0},
      {" popcnt", __builtin_cpu_supports("popcnt") != 0},
#else
      {" avx2", __builtin_cpu_supports("avx2") != 0},
      {" bmi", __builtin_cpu_supports("bmi") != 0},
      {" bmi2", __builtin_cpu_supports("bmi2") != 0},
      {" fma", __builtin_cpu_supports("fma") != 0},
#endif
      {" pclmul", __builtin_cpu_supports("pclmul") != 0},
  };
  bool is_complete = true;
  for (const auto& feature : wanted) {
    if (feature.is_there) continue;
    if (is_complete) {
      Say("vicinal: built for " BUILT_FOR "; this processor lacks:");
    }
    is_complete = false;
    Say(feature.name);
  }
  if (is_complete) return;
  Say("\n");
  _exit(EXIT_FAILURE);
}

}  // namespace
