#include "server/kubernetes/blocking_api_client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "server/kubernetes/api_client.h"

namespace vicinal {

// A client with an io_context of its own, which runs while a call waits.
struct BlockingApiClient::Connection {
  boost::asio::io_context io{1};
  std::unique_ptr<ApiClient> client;
};

absl::StatusOr<std::unique_ptr<BlockingApiClient>> BlockingApiClient::Create(
    const ClientConfig& config, const ApiClientOptions& options) {
  std::unique_ptr<BlockingApiClient> client(
      new BlockingApiClient(config, options));
  // The first connection shows whether the configuration can be used.
  absl::StatusOr<std::unique_ptr<Connection>> connection = client->Take();
  if (!connection.ok()) return connection.status();
  const MutexLock lock(client->mutex_);
  client->idle_.push_back(*std::move(connection));
  return client;
}

BlockingApiClient::BlockingApiClient(const ClientConfig& config,
                                     const ApiClientOptions& options)
    : config_(config), options_(options) {}

BlockingApiClient::~BlockingApiClient() = default;

absl::StatusOr<std::unique_ptr<BlockingApiClient::Connection>>
BlockingApiClient::Take() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  auto connection = std::make_unique<Connection>();
  absl::StatusOr<std::unique_ptr<ApiClient>> client =
      ApiClient::Create(connection->io.get_executor(), config_, options_);
  if (!client.ok()) return client.status();
  connection->client = *std::move(client);
  return connection;
}

absl::StatusOr<ApiResponse> BlockingApiClient::Send(ApiRequest request) {
  absl::StatusOr<std::unique_ptr<Connection>> connection = Take();
  if (!connection.ok()) return connection.status();
  boost::asio::io_context& io = (*connection)->io;
  std::optional<absl::StatusOr<ApiResponse>> result;
  boost::asio::co_spawn(io, (*connection)->client->Send(std::move(request)),
                        [&result](std::exception_ptr error,
                                  absl::StatusOr<ApiResponse> response) {
                          // Nothing below throws but for want of memory, and
                          // then the process is to end.
                          if (error != nullptr) std::rethrow_exception(error);
                          result = std::move(response);
                        });
  io.restart();
  io.run();
  const MutexLock lock(mutex_);
  idle_.push_back(*std::move(connection));
  return *std::move(result);
}

}  // namespace vicinal
