// How jemalloc is to behave; linked into every binary that allocates with it.
//
// background_thread: memory that is free goes back to the system also when
// nothing is allocated any more, as after a large request.
//
// Not thp:always: pages of 2 MiB make events a third faster in clusters of
// millions of pods, but questions in one of 15,000 nodes twice as slow, and
// cost some 30 MB (test/bench/run --parts flat, with MALLOC_CONF=thp:always).
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true";
}
