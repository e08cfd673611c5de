#include "server/kubernetes/reflector.h"

#include <glog/logging.h>

#include <algorithm>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/frame.h"
#include "server/kubernetes/list_pages.h"
#include "server/kubernetes/percent_encode.h"
#include "server/kubernetes/watch_event.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
// a || b ends with the first of them, and cancels the other.
using asio::experimental::awaitable_operators::operator||;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kMaxRetryAfter(300);

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Whether another coroutine has ended first (`||`).
bool IsCancelled(const asio::cancellation_state& state) {
  return state.cancelled() != asio::cancellation_type::none;
}

absl::Status Prefixed(std::string_view prefix, const absl::Status& status) {
  return absl::Status(
      status.code(), absl::StrCat(std::string(prefix), ": ", status.message()));
}

}  // namespace

Reflector::Reflector(std::unique_ptr<ApiClient> client,
                     std::unique_ptr<ApiClient> spare, std::string path,
                     std::string field_selector,
                     const ReflectorOptions& options, ResourceHandler& handler)
    : client_(std::move(client)),
      spare_(std::move(spare)),
      path_(std::move(path)),
      field_selector_(std::move(field_selector)),
      options_(options),
      handler_(handler),
      random_(std::random_device()()),
      backoff_(options.initial_backoff, options.max_backoff, random_()),
      all_in_pages_(!options.stream_lists) {}

asio::awaitable<void> Reflector::Run() {
  for (;;) {
    const steady_clock::time_point start = steady_clock::now();
    Outcome ended;
    if (!resource_version_.empty()) {
      ended = co_await Watch();
    } else if (all_in_pages_ || next_in_pages_) {
      ended = co_await List();
      next_in_pages_ = false;
      if (ended.status.ok()) continue;
    } else {
      ended = co_await ListAndWatch();
      if (all_in_pages_) continue;
    }
    spare_->Close();
    if (ended.relist) resource_version_.clear();
    co_await Sleep(DelayAfter(ended, steady_clock::now() - start));
  }
}

asio::awaitable<Reflector::Outcome> Reflector::ListAndWatch() {
  const Outcome started = co_await StartWatch(*client_, milliseconds(0));
  if (started.invalid) {
    LOG(INFO) << path_ << ": the server streams no lists ("
              << started.status.message() << "); it is asked for pages";
    all_in_pages_ = true;
  } else if (!started.status.ok()) {
    OnFailure(started.status);
  }
  if (!started.status.ok()) {
    client_->Close();
    next_in_pages_ = started.expired;
    co_return started;
  }
  listed_ = 0;
  event_parser_ = simdjson::ondemand::parser();
  handler_.OnListStart();
  const Outcome ended = co_await FollowWatch();
  next_in_pages_ = resource_version_.empty();
  co_return ended;
}

asio::awaitable<Reflector::Outcome> Reflector::List() {
  const ListRequest request = MakeListRequest();
  const ListCallbacks callbacks = MakeListCallbacks();
  const absl::StatusOr<ListedPages> listed =
      co_await ListPages(*client_, request, callbacks);
  Outcome outcome;
  if (!listed.ok()) {
    outcome.status = Prefixed("list", listed.status());
    OnFailure(outcome.status);
    co_return outcome;
  }
  EndList(listed->resource_version, listed->items);
  co_return outcome;
}

void Reflector::EndList(std::string_view resource_version, std::size_t items) {
  resource_version_ = resource_version;
  handler_.OnListEnd(resource_version_);
  LOG(INFO) << path_ << ": listed " << items << " objects at resource version "
            << resource_version_;
  logged_failure_.clear();
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
  callbacks.item = [this](const RawObject& object) {
    handler_.OnListed(object);
    return absl::OkStatus();
  };
  callbacks.failed = [this](const absl::Status& why, int) {
    OnFailure(Prefixed("list", why));
    return true;
  };
  return callbacks;
}

asio::awaitable<Reflector::Outcome> Reflector::Watch() {
  std::variant<Outcome, Outcome, Outcome> attempts = co_await (
      StartWatch(*client_, milliseconds(0)) ||
      StartWatch(*spare_, options_.second_attempt_after) || GiveUpLater());
  if (attempts.index() == 1) std::swap(client_, spare_);
  spare_->Close();
  Outcome started = std::visit([](Outcome& of) { return of; }, attempts);
  if (!started.status.ok()) {
    client_->Close();
    OnFailure(started.status);
    co_return started;
  }
  if (!logged_failure_.empty()) {
    LOG(INFO) << path_ << ": watching again from resource version "
              << resource_version_;
    logged_failure_.clear();
  }
  event_parser_ = simdjson::ondemand::parser();
  handler_.OnWatchStart();
  const Outcome ended = co_await FollowWatch();
  co_return ended;
}

asio::awaitable<Reflector::Outcome> Reflector::FollowWatch() {
  for (;;) {
    std::variant<Outcome, Outcome> end = co_await (ReadWatch() || Renew());
    Outcome ended = std::visit([](Outcome& of) { return of; }, end);
    if (end.index() == 0 || !ended.status.ok()) co_return ended;
    std::swap(client_, spare_);
    spare_->Close();
    // An event of the former watch came at the last moment: the new one would
    // tell it again.
    if (renewed_from_ != resource_version_) {
      OnWatchEnd(absl::OkStatus());
      client_->Close();
      co_return Outcome();
    }
    VLOG(1) << path_ << ": renewed a silent watch";
  }
}

asio::awaitable<Reflector::Outcome> Reflector::StartWatch(ApiClient& client,
                                                          milliseconds after) {
  co_await Sleep(after);
  Outcome outcome;
  std::string target = WatchTarget();
  const absl::StatusOr<ApiResponse> response =
      co_await client.StartStream(std::move(target));
  if (!response.ok()) {
    outcome.status = Prefixed("watch", response.status());
    outcome.answered = false;
  } else if (response->status != 200) {
    // ToStatus is OK for other successes, which a watch does not have.
    const absl::Status status = ToStatus(*response);
    outcome.status =
        status.ok()
            ? absl::UnknownError(absl::StrCat("watch: ", response->status))
            : Prefixed("watch", status);
    outcome.expired = response->status == 410;
    outcome.invalid = response->status == 400 || response->status == 422;
    outcome.relist = outcome.expired || response->status == 400;
    outcome.retry_after = response->retry_after;
  }
  co_return outcome;
}

asio::awaitable<Reflector::Outcome> Reflector::GiveUpLater() {
  co_await Sleep(options_.attempt_timeout);
  Outcome outcome;
  outcome.status = absl::DeadlineExceededError("watch: not answered in time");
  outcome.answered = false;
  co_return outcome;
}

asio::awaitable<Reflector::Outcome> Reflector::ReadWatch() {
  Outcome end;
  for (;;) {
    const absl::StatusOr<simdjson::padded_string_view> documents =
        co_await client_->NextDocuments();
    if (!documents.ok()) {
      end.status = Prefixed("watch", documents.status());
      break;
    }
    if (documents->empty()) break;
    end = client_->stream_encoding() == Encoding::kProtobuf
              ? HandleFrames(*documents)
              : HandleLines(*documents);
    handler_.OnBatchEnd();
    if (!end.status.ok()) break;
  }
  if (!IsCancelled(co_await asio::this_coro::cancellation_state)) {
    OnWatchEnd(end.status);
  }
  co_return end;
}

asio::awaitable<Reflector::Outcome> Reflector::Renew() {
  for (;;) {
    const std::chrono::nanoseconds silence =
        steady_clock::now() - client_->last_read();
    if (silence < options_.silent_after) {
      co_await Sleep(options_.silent_after - silence);
      continue;
    }
    if (resource_version_.empty()) {
      Outcome outcome;
      outcome.status = absl::DeadlineExceededError("list: silent");
      outcome.answered = false;
      OnWatchEnd(outcome.status);
      co_return outcome;
    }
    const steady_clock::time_point last_read = client_->last_read();
    std::variant<Outcome, Outcome> end =
        co_await (TryToRenew() || StaySilent());
    Outcome ended = std::visit([](Outcome& of) { return of; }, end);
    // What StaySilent has told stands.
    if (end.index() == 1 && !ended.status.ok()) co_return ended;
    if (client_->last_read() != last_read) {
      spare_->Close();
      continue;
    }
    if (!ended.status.ok()) OnWatchEnd(ended.status);
    co_return ended;
  }
}

asio::awaitable<Reflector::Outcome> Reflector::TryToRenew() {
  for (;;) {
    renewed_from_ = resource_version_;
    const Outcome started = co_await StartWatch(*spare_, milliseconds(0));
    if (started.status.ok() || started.relist) co_return started;
    VLOG(1) << path_ << ": a silent watch is not renewed: " << started.status;
    const std::chrono::seconds wait = started.retry_after.value_or(seconds(1));
    co_await Sleep(std::max(wait, seconds(1)));
  }
}

// Tells the end itself: a name lookup that is under way cannot be broken off,
// and holds up those who wait for both.
asio::awaitable<Reflector::Outcome> Reflector::StaySilent() {
  const steady_clock::time_point last_read = client_->last_read();
  co_await Sleep(options_.renewal_timeout);
  Outcome outcome;
  if (IsCancelled(co_await asio::this_coro::cancellation_state) ||
      client_->last_read() != last_read) {
    co_return outcome;
  }
  outcome.answered = false;
  outcome.status = absl::DeadlineExceededError(
      "watch: silent, and a new one is not answered either");
  OnWatchEnd(outcome.status);
  co_return outcome;
}

asio::awaitable<void> Reflector::Sleep(std::chrono::nanoseconds time) {
  if (time <= std::chrono::nanoseconds(0)) co_return;
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(time);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Reflector::OnFailure(const absl::Status& why) {
  LogFailure(why);
  handler_.OnDisconnected(why, steady_clock::now());
}

void Reflector::OnWatchEnd(const absl::Status& why) {
  if (!why.ok()) LogFailure(why);
  handler_.OnDisconnected(why, client_->last_read());
}

Reflector::Outcome Reflector::HandleLines(simdjson::padded_string_view lines) {
  size_t begin = 0;
  while (begin < lines.size()) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const simdjson::padded_string_view line(lines.data() + begin, end - begin,
                                            lines.capacity() - begin);
    begin = end + 1;
    if (IsBlank(line)) continue;
    Outcome handled = HandleEvent(ParseWatchEvent(line, event_parser_));
    if (!handled.status.ok()) return handled;
  }
  return {};
}

Reflector::Outcome Reflector::HandleFrames(std::string_view frames) {
  while (HasFrame(frames)) {
    const std::size_t length = FrameLength(frames);
    Outcome handled = HandleEvent(
        ParseProtobufWatchEvent(frames.substr(kFrameHeaderBytes, length)));
    if (!handled.status.ok()) return handled;
    frames.remove_prefix(kFrameHeaderBytes + length);
  }
  return {};
}

Reflector::Outcome Reflector::HandleEvent(
    const absl::StatusOr<WatchEvent>& event) {
  Outcome failed;
  if (!event.ok()) {
    failed.status = Prefixed("watch", event.status());
    failed.relist = true;
    return failed;
  }
  const bool listing = resource_version_.empty();
  switch (event->type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      if (listing) {
        handler_.OnListed(event->object);
        ++listed_;
      } else {
        handler_.OnChanged(event->object);
      }
      break;
    case WatchEvent::Type::kDeleted:
      handler_.OnDeleted(event->object);
      break;
    case WatchEvent::Type::kBookmark:
      if (listing && event->ends_initial_events) {
        EndList(event->resource_version, listed_);
        handler_.OnWatchStart();
      }
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
  // Those of listed objects are in no order.
  if (listing) return {};
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
  if (!outcome.answered)
    delay = std::min(delay, options_.unanswered_max_backoff);
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
      path_,
      "?watch=1&allowWatchBookmarks=true&timeoutSeconds=", timeout(random_));
  if (resource_version_.empty()) {
    absl::StrAppend(
        &target, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  } else {
    absl::StrAppend(&target,
                    "&resourceVersion=", PercentEncode(resource_version_));
  }
  if (!field_selector_.empty()) {
    absl::StrAppend(&target, "&fieldSelector=", PercentEncode(field_selector_));
  }
  return target;
}

}  // namespace vicinal
