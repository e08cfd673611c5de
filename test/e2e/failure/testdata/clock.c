// Shifts the wall clock of the process that preloads it by as many seconds as
// an int64 in the file $CLOCK_OFFSET_FILE says; the monotonic clock stays. It
// allocates nothing, since an allocator may ask for the time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* offset;

__attribute__((constructor)) static void Map(void) {
  const char* path = getenv("CLOCK_OFFSET_FILE");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) abort();
  void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  close(fd);
  offset = mapped;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  long result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && offset &&
      (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += *offset;
  }
  return (int)result;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  (void)zone;
  struct timespec t;
  if (clock_gettime(CLOCK_REALTIME, &t) != 0) return -1;
  now->tv_sec = t.tv_sec;
  now->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}
