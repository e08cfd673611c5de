#include "server/kubernetes/list_pages.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/backoff.h"
#include "server/kubernetes/list_page.h"
#include "server/kubernetes/percent_encode.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kMaxRetryAfter(300);

std::string Target(const ListRequest& request,
                   const std::string& continue_token) {
  std::string target = absl::StrCat(request.path, "?limit=", request.page_size);
  if (!request.field_selector.empty()) {
    absl::StrAppend(&target,
                    "&fieldSelector=", PercentEncode(request.field_selector));
  }
  if (!continue_token.empty()) {
    absl::StrAppend(&target, "&continue=", PercentEncode(continue_token));
  }
  return target;
}

// A page, its text, and what the server said when there is none.
struct Attempt {
  std::string body;  // The page has views into it.
  absl::StatusOr<ListPage> page;
  std::optional<std::chrono::seconds> retry_after;
};

Attempt ReadAttempt(absl::StatusOr<ApiResponse> response) {
  Attempt attempt;
  if (!response.ok()) {
    attempt.page = response.status();
    return attempt;
  }
  attempt.retry_after = response->retry_after;
  if (absl::Status status = ToStatus(*response); !status.ok()) {
    attempt.page = std::move(status);
    return attempt;
  }
  attempt.body = std::move(response->body);
  attempt.page = ReadListPage(response->encoding, attempt.body);
  return attempt;
}

bool NeedsNewList(const absl::Status& status) {
  return absl::IsOutOfRange(status) || absl::IsInvalidArgument(status);
}

}  // namespace

asio::awaitable<absl::StatusOr<ListedPages>> ListPages(
    ApiClient& client, const ListRequest& request,
    const ListCallbacks& callbacks) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  Backoff backoff(request.initial_backoff, request.max_backoff,
                  std::random_device()());
  ListedPages listed;
  std::string continue_token;
  int attempts = 0;
  for (;;) {
    std::string target = Target(request, continue_token);
    absl::StatusOr<ApiResponse> response =
        co_await client.Get(std::move(target));
    const Attempt attempt = ReadAttempt(std::move(response));
    if (!attempt.page.ok()) {
      const absl::Status& status = attempt.page.status();
      if (NeedsNewList(status)) co_return status;
      if (!callbacks.failed(status, ++attempts)) co_return status;
      milliseconds wait = backoff.Next();
      if (attempt.retry_after.has_value()) {
        wait = std::max(
            wait, milliseconds(std::min(*attempt.retry_after, kMaxRetryAfter)));
      }
      timer.expires_after(wait);
      boost::system::error_code ignored;
      co_await timer.async_wait(
          asio::redirect_error(asio::use_awaitable, ignored));
      continue;
    }
    attempts = 0;
    backoff.Reset();
    const ListPage& page = *attempt.page;
    continue_token = page.continue_token;
    // The server prepares the next page while this one is read.
    if (!continue_token.empty()) {
      std::string next = Target(request, continue_token);
      co_await client.AskAhead(std::move(next));
    }
    // All pages of a list have the resource version of the first.
    if (listed.resource_version.empty()) {
      listed.resource_version = page.resource_version;
      callbacks.start();
    }
    for (const RawObject& object : page.items) {
      absl::Status status = callbacks.item(object);
      if (!status.ok()) co_return status;
    }
    listed.items += page.items.size();
    if (continue_token.empty()) co_return listed;
  }
}

}  // namespace vicinal
