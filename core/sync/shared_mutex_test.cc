#include "core/sync/shared_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace vicinal {
namespace {

constexpr int kReaders = 64;

// Two numbers that are equal unless a writer is at work.
struct Pair {
  SharedMutex mutex;
  std::int64_t first ABSL_GUARDED_BY(mutex) = 0;
  std::int64_t second ABSL_GUARDED_BY(mutex) = 0;
};

void Write(Pair& pair) {
  const WriterLock lock(pair.mutex);
  ++pair.first;
  std::this_thread::yield();
  ++pair.second;
}

// 64 readers that overlap all the time, as questions do, against events. A lock
// that prefers readers never gets to the end of this.
TEST(SharedMutexTest, ReadersThatOverlapLetEachWriteThrough) {
  constexpr int kWrites = 500;
  constexpr int kReads = 10;  // Of each reader, at least.
  Pair pair;
  std::atomic<int> reading = 0;
  std::atomic<int> done = 0;
  std::atomic<bool> written = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      for (int reads = 0; reads < kReads || !written;) {
        const ReaderLock lock(pair.mutex);
        ++reading;
        torn += pair.first != pair.second;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --reading;
        if (++reads == kReads) ++done;
      }
    });
  }
  while (reading == 0) std::this_thread::yield();
  for (int i = 0; i < kWrites; ++i) {
    Write(pair);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  written = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(done, kReaders);
  EXPECT_EQ(torn, 0);
  const ReaderLock lock(pair.mutex);
  EXPECT_EQ(pair.second, kWrites);
}

// Writers that come one after the other without a pause keep no reader out.
TEST(SharedMutexTest, WritersThatOverlapLetEachReaderThrough) {
  constexpr int kReads = 200;
  Pair pair;
  std::atomic<bool> read = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      while (!read) Write(pair);
    });
  }
  int torn = 0;
  for (int i = 0; i < kReads; ++i) {
    const ReaderLock lock(pair.mutex);
    torn += pair.first != pair.second;
  }
  read = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace vicinal
