#include "server/kubernetes/list_all.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/kubernetes/api_client.h"
#include "server/kubernetes/list_pages.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {
namespace {

using Item = std::function<absl::Status(simdjson::padded_string_view)>;

// A page is asked for so often before the list is given up.
constexpr int kMaxAttempts = 5;

// What another attempt may mend. A server that does not answer at all has taken
// its time.
bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsDataLoss(status);
}

boost::asio::awaitable<absl::Status> List(ApiClient& client,
                                          const ListRequest& request,
                                          const ListCallbacks& callbacks) {
  const absl::StatusOr<ListedPages> listed =
      co_await ListPages(client, request, callbacks);
  co_return listed.status();
}

}  // namespace

absl::Status ListAll(const ClientConfig& config, const std::string& path,
                     const std::string& field_selector, const Item& item,
                     const ApiClientOptions& options) {
  boost::asio::io_context io(1);
  const absl::StatusOr<std::unique_ptr<ApiClient>> client =
      ApiClient::Create(io.get_executor(), config, options);
  if (!client.ok()) return client.status();
  ListRequest request;
  request.path = path;
  request.field_selector = field_selector;
  const ListCallbacks callbacks = {
      [] {}, [&item](const RawObject& object) { return item(object.bytes); },
      [](const absl::Status& why, int attempts) {
        return MayPass(why) && attempts < kMaxAttempts;
      }};
  absl::Status status;
  boost::asio::co_spawn(
      io, List(**client, request, callbacks),
      [&status](const std::exception_ptr& error, absl::Status result) {
        if (error != nullptr) std::rethrow_exception(error);
        status = std::move(result);
      });
  io.run();
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

}  // namespace vicinal
