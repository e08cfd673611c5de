#include "server/kubernetes/reflector.h"

#include <glog/logging.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/kubernetes/list_pages.h"
#include "server/kubernetes/percent_encode.h"
#include "server/kubernetes/watch_event.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kMaxRetryAfter(300);

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

absl::Status Prefixed(std::string_view prefix, const absl::Status& status) {
  return absl::Status(
      status.code(), absl::StrCat(std::string(prefix), ": ", status.message()));
}

}  // namespace

Reflector::Reflector(std::unique_ptr<ApiClient> client, std::string path,
                     std::string field_selector,
                     const ReflectorOptions& options, ResourceHandler& handler)
    : client_(std::move(client)),
      path_(std::move(path)),
      field_selector_(std::move(field_selector)),
      options_(options),
      handler_(handler),
      random_(std::random_device()()),
      backoff_(options.initial_backoff, options.max_backoff, random_()) {}

asio::awaitable<void> Reflector::Run() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    if (resource_version_.empty()) {
      const Outcome listed = co_await List();
      if (listed.status.ok()) continue;
      LogFailure(listed.status);
      handler_.OnDisconnected(listed.status);
      timer.expires_after(DelayAfter(listed, {}));
    } else {
      const steady_clock::time_point start = steady_clock::now();
      const Outcome watched = co_await Watch();
      if (watched.relist) resource_version_.clear();
      if (!watched.status.ok()) LogFailure(watched.status);
      handler_.OnDisconnected(watched.status);
      timer.expires_after(DelayAfter(watched, steady_clock::now() - start));
    }
    boost::system::error_code ignored;
    co_await timer.async_wait(
        asio::redirect_error(asio::use_awaitable, ignored));
  }
}

asio::awaitable<Reflector::Outcome> Reflector::List() {
  const ListRequest request = MakeListRequest();
  const ListCallbacks callbacks = MakeListCallbacks();
  const absl::StatusOr<ListedPages> listed =
      co_await ListPages(*client_, request, callbacks);
  Outcome outcome;
  if (!listed.ok()) {
    outcome.status = Prefixed("list", listed.status());
    co_return outcome;
  }
  resource_version_ = listed->resource_version;
  handler_.OnListEnd(resource_version_);
  LOG(INFO) << path_ << ": listed " << listed->items
            << " objects at resource version " << resource_version_;
  logged_failure_.clear();
  co_return outcome;
}

ListRequest Reflector::MakeListRequest() const {
  ListRequest request;
  request.path = path_;
  request.field_selector = field_selector_;
  request.page_size = options_.page_size;
  request.initial_backoff = options_.initial_backoff;
  request.max_backoff = options_.max_backoff;
  return request;
}

ListCallbacks Reflector::MakeListCallbacks() {
  ListCallbacks callbacks;
  callbacks.start = [this] { handler_.OnListStart(); };
  callbacks.item = [this](simdjson::padded_string_view object) {
    handler_.OnListed(object);
    return absl::OkStatus();
  };
  callbacks.failed = [this](const absl::Status& why, int) {
    const absl::Status status = Prefixed("list", why);
    LogFailure(status);
    handler_.OnDisconnected(status);
    return true;
  };
  return callbacks;
}

asio::awaitable<Reflector::Outcome> Reflector::Watch() {
  Outcome failed;
  std::string target = WatchTarget();
  const absl::StatusOr<ApiResponse> response =
      co_await client_->StartStream(std::move(target));
  if (!response.ok()) {
    failed.status = Prefixed("watch", response.status());
    co_return failed;
  }
  if (response->status != 200) {
    // ToStatus is OK for other successes, which a watch does not have.
    const absl::Status status = ToStatus(*response);
    failed.status =
        status.ok()
            ? absl::UnknownError(absl::StrCat("watch: ", response->status))
            : Prefixed("watch", status);
    failed.expired = response->status == 410;
    failed.relist = failed.expired || response->status == 400;
    failed.retry_after = response->retry_after;
    co_return failed;
  }
  if (!logged_failure_.empty()) {
    LOG(INFO) << path_ << ": watching again from resource version "
              << resource_version_;
    logged_failure_.clear();
  }
  event_parser_ = simdjson::ondemand::parser();
  handler_.OnWatchStart();
  for (;;) {
    const absl::StatusOr<simdjson::padded_string_view> lines =
        co_await client_->NextLines();
    if (!lines.ok()) {
      failed.status = Prefixed("watch", lines.status());
      co_return failed;
    }
    if (lines->empty()) co_return Outcome();
    const Outcome handled = HandleLines(*lines);
    handler_.OnBatchEnd();
    if (!handled.status.ok()) co_return handled;
  }
}

Reflector::Outcome Reflector::HandleLines(simdjson::padded_string_view lines) {
  size_t begin = 0;
  while (begin < lines.size()) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const simdjson::padded_string_view line(lines.data() + begin, end - begin,
                                            lines.capacity() - begin);
    begin = end + 1;
    if (IsBlank(line)) continue;
    Outcome handled = HandleEvent(line);
    if (!handled.status.ok()) return handled;
  }
  return {};
}

Reflector::Outcome Reflector::HandleEvent(simdjson::padded_string_view line) {
  Outcome failed;
  const absl::StatusOr<WatchEvent> event = ParseWatchEvent(line, event_parser_);
  if (!event.ok()) {
    failed.status = Prefixed("watch", event.status());
    failed.relist = true;
    return failed;
  }
  switch (event->type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      handler_.OnChanged(event->object);
      break;
    case WatchEvent::Type::kDeleted:
      handler_.OnDeleted(event->object);
      break;
    case WatchEvent::Type::kBookmark:
      break;
    case WatchEvent::Type::kError: {
      const int code = event->error_code >= 400 ? event->error_code : 500;
      failed.status = Prefixed(
          "watch event", ApiError(code, std::string(event->error_message)));
      failed.expired = code == 410;
      failed.relist = code != 429 && code != 503 && code != 504;
      return failed;
    }
  }
  resource_version_ = event->resource_version;
  handler_.OnResourceVersion(resource_version_);
  return {};
}

milliseconds Reflector::DelayAfter(const Outcome& outcome,
                                   std::chrono::nanoseconds lived) {
  const bool healthy = lived >= options_.healthy_after;
  if (healthy) {
    backoff_.Reset();
    expired_before_ = false;
    if (outcome.status.ok()) return milliseconds(0);
  }
  if (outcome.expired && !expired_before_) {
    expired_before_ = true;
    return milliseconds(0);
  }
  milliseconds delay = backoff_.Next();
  if (outcome.retry_after.has_value()) {
    delay = std::max(
        delay, milliseconds(std::min(*outcome.retry_after, kMaxRetryAfter)));
  }
  return delay;
}

void Reflector::LogFailure(const absl::Status& status) {
  const std::string failure(status.message());
  if (failure == logged_failure_) {
    VLOG(1) << path_ << ": " << failure;
    return;
  }
  LOG(WARNING) << path_ << ": " << failure << "; trying again";
  logged_failure_ = failure;
}

std::string Reflector::WatchTarget() {
  std::uniform_int_distribution<int64_t> timeout(
      options_.watch_timeout.count(), 2 * options_.watch_timeout.count());
  std::string target = absl::StrCat(
      path_, "?watch=1&allowWatchBookmarks=true&resourceVersion=",
      PercentEncode(resource_version_), "&timeoutSeconds=", timeout(random_));
  if (!field_selector_.empty()) {
    absl::StrAppend(&target, "&fieldSelector=", PercentEncode(field_selector_));
  }
  return target;
}

}  // namespace vicinal
