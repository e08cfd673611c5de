// The threads on which the connections of a server live.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_IO_THREADS_H_
#define VICINAL_SERVER_LISTENERS_HTTP_IO_THREADS_H_

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace vicinal {

// Each thread has an io_context of its own, so that what belongs to one
// connection needs no lock and no strand, and wakes no other thread: several
// threads on one io_context wake each other for each step of a coroutine.
//
// Nothing that blocks may run on them. Not thread-safe, but for what runs on
// the contexts.
class IoThreads {
 public:
  // Called on a thread with what a handler of asio has thrown; the thread goes
  // on.
  using OnThrown = std::function<void(const std::exception&)>;

  // They run once Start is called.
  IoThreads(int threads, OnThrown on_thrown);
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  // Stops. What is left on the contexts is destroyed.
  ~IoThreads() { Stop(); }

  void Start();

  // One after the other; the first call gives the first.
  boost::asio::io_context& Next();

  // Lets each thread end what it is doing, and joins them. What is left on the
  // contexts stays there. A second call does nothing.
  void Stop();

 private:
  struct Io {
    boost::asio::io_context context{1};  // One thread runs it.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
        open{context.get_executor()};
  };

  void Run(boost::asio::io_context& context);

  const OnThrown on_thrown_;
  std::vector<std::unique_ptr<Io>> ios_;
  std::size_t next_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_IO_THREADS_H_
