// How jemalloc is to behave; linked into every binary that allocates with it.
//
// background_thread: memory that is free goes back to the system also when
// nothing is allocated any more, as after a large request.
//
// lg_tcache_max: each thread keeps blocks of up to 256 KiB, and not only 32,
// for its next question: an array of 8 bytes for each of 15,000 nodes is 120
// KB.
//
// Not thp:always: pages of 2 MiB cost some 30 MB, and what they bring, events a
// sixth faster in a cluster of millions of pods (test/bench/scale, with
// MALLOC_CONF=thp:always), no watch can deliver.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,lg_tcache_max:18";
}
