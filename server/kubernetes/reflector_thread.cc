#include "server/kubernetes/reflector_thread.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <thread>
#include <utility>

#include "server/kubernetes/api_client.h"
#include "server/kubernetes/reflector.h"

namespace vicinal {
namespace {

// The coroutine owns its reflector, so that both end with the io_context.
boost::asio::awaitable<void> Run(std::unique_ptr<Reflector> reflector) {
  co_await reflector->Run();
}

// Nothing below throws but for want of memory, and then the process is to end.
void Rethrow(std::exception_ptr error) {
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace

class ReflectorThread::Impl {
 public:
  explicit Impl(std::vector<std::unique_ptr<Reflector>> reflectors,
                std::unique_ptr<boost::asio::io_context> io)
      : io_(std::move(io)) {
    for (std::unique_ptr<Reflector>& reflector : reflectors) {
      boost::asio::co_spawn(*io_, Run(std::move(reflector)), &Rethrow);
    }
    thread_ = std::thread([this] { io_->run(); });
  }

  ~Impl() {
    io_->stop();
    thread_.join();
  }

 private:
  const std::unique_ptr<boost::asio::io_context> io_;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<ReflectorThread>> ReflectorThread::Start(
    const ClientConfig& config, const std::vector<ReflectedResource>& resources,
    const ReflectorOptions& reflector_options,
    const ApiClientOptions& client_options) {
  auto io = std::make_unique<boost::asio::io_context>(1);
  std::vector<std::unique_ptr<Reflector>> reflectors;
  for (const ReflectedResource& resource : resources) {
    ApiClientOptions options = client_options;
    options.wanted = resource.handler->TakesProtobuf()
                         ? reflector_options.encoding
                         : Encoding::kJson;
    absl::StatusOr<std::unique_ptr<ApiClient>> client =
        ApiClient::Create(io->get_executor(), config, options);
    if (!client.ok()) return client.status();
    absl::StatusOr<std::unique_ptr<ApiClient>> spare =
        ApiClient::Create(io->get_executor(), config, options);
    if (!spare.ok()) return spare.status();
    reflectors.push_back(std::make_unique<Reflector>(
        *std::move(client), *std::move(spare), resource.path,
        resource.field_selector, reflector_options, *resource.handler));
  }
  return std::unique_ptr<ReflectorThread>(new ReflectorThread(
      std::make_unique<Impl>(std::move(reflectors), std::move(io))));
}

ReflectorThread::ReflectorThread(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

ReflectorThread::~ReflectorThread() = default;

void ReflectorThread::Stop() { impl_.reset(); }

}  // namespace vicinal
