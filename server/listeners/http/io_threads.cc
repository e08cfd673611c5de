#include "server/listeners/http/io_threads.h"

#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace vicinal {

IoThreads::IoThreads(int threads, OnThrown on_thrown)
    : on_thrown_(std::move(on_thrown)) {
  for (int i = 0; i < threads; ++i) {
    ios_.push_back(std::make_unique<Io>());
    // Opens what the context needs to wait, which it would do for its first
    // connection: open files that stay are then those of connections.
    const boost::asio::steady_timer opener(ios_.back()->context);
  }
}

void IoThreads::Start() {
  for (const std::unique_ptr<Io>& io : ios_) {
    threads_.emplace_back([this, &context = io->context] { Run(context); });
  }
}

boost::asio::io_context& IoThreads::Next() {
  return ios_[next_++ % ios_.size()]->context;
}

void IoThreads::Stop() {
  for (const std::unique_ptr<Io>& io : ios_) io->context.stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void IoThreads::Run(boost::asio::io_context& context) {
  while (true) {
    try {
      context.run();
      return;
    } catch (const std::exception& thrown) {
      on_thrown_(thrown);
    }
  }
}

}  // namespace vicinal
