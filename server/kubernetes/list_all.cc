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
#include "server/kubernetes/list_page.h"

namespace vicinal {
namespace {

constexpr int kPageSize = 500;

using Item = std::function<absl::Status(simdjson::padded_string_view)>;

boost::asio::awaitable<absl::Status> ListPages(ApiClient& client,
                                               const std::string& path,
                                               const std::string& query,
                                               const Item& item) {
  std::string continue_token;
  do {
    std::string target = absl::StrCat(path, "?limit=", kPageSize, query);
    if (!continue_token.empty()) {
      // The API server's tokens are base64 for URLs, but for its padding.
      absl::StrAppend(&target, "&continue=");
      for (const char c : continue_token) {
        target += c == '=' ? "%3D" : std::string(1, c);
      }
    }
    const absl::StatusOr<ApiResponse> response =
        co_await client.Get(std::move(target));
    if (!response.ok()) co_return response.status();
    if (absl::Status status = ToStatus(*response); !status.ok()) {
      co_return status;
    }
    absl::Status item_status;
    const absl::StatusOr<ListPage> page =
        SplitListPage(response->body, [&](simdjson::padded_string_view json) {
          if (item_status.ok()) item_status = item(json);
        });
    if (!page.ok()) co_return page.status();
    if (!item_status.ok()) co_return item_status;
    continue_token = page->continue_token;
  } while (!continue_token.empty());
  co_return absl::OkStatus();
}

}  // namespace

absl::Status ListAll(const ClientConfig& config, const std::string& path,
                     const std::string& query, const Item& item,
                     const ApiClientOptions& options) {
  boost::asio::io_context io(1);
  const absl::StatusOr<std::unique_ptr<ApiClient>> client =
      ApiClient::Create(io.get_executor(), config, options);
  if (!client.ok()) return client.status();
  absl::Status status;
  boost::asio::co_spawn(
      io, ListPages(**client, path, query, item),
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
