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
  std::string target = absl::StrCat(path, "?limit=", kPageSize, query);
  for (;;) {
    const absl::StatusOr<ApiResponse> response = co_await client.Get(target);
    if (!response.ok()) co_return response.status();
    if (absl::Status status = ToStatus(*response); !status.ok()) {
      co_return status;
    }
    const absl::StatusOr<ListPage> page = ReadListPage(response->body);
    if (!page.ok()) co_return page.status();
    const bool is_last = page->continue_token.empty();
    if (!is_last) {
      target = absl::StrCat(path, "?limit=", kPageSize, query, "&continue=");
      // The API server's tokens are base64 for URLs, but for its padding.
      for (const char c : page->continue_token) {
        target += c == '=' ? "%3D" : std::string(1, c);
      }
      co_await client.AskAhead(target);
    }
    for (const simdjson::padded_string_view json : page->items) {
      if (absl::Status status = item(json); !status.ok()) co_return status;
    }
    if (is_last) co_return absl::OkStatus();
  }
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
