// Loading memory before it is needed. With millions of pods nearly everything
// that an event looks at has to come from main memory; what is asked for
// together comes in the time of one.
#ifndef VICINAL_CORE_INDEX_PREFETCH_H_
#define VICINAL_CORE_INDEX_PREFETCH_H_

#include <cstddef>

namespace vicinal {

// Begins to load a value; null is ignored. Changes nothing.
// Cost: O(bytes / 64).
template <typename Value>
void Prefetch(const Value* value) {
  if (value == nullptr) return;
  constexpr std::size_t kCacheLine = 64;
  const char* const begin = reinterpret_cast<const char*>(value);
  for (std::size_t at = 0; at < sizeof(Value); at += kCacheLine) {
    __builtin_prefetch(begin + at);
  }
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_PREFETCH_H_
