#include "server/live_page/live_page.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/live_page/live_page_files.h"
#include "server/live_page/rule_metrics.h"
#include "server/state/store_parts.h"

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

// A rendering takes a tenth of a core at most.
constexpr int kRestFactor = 9;

// Nothing from elsewhere, and nothing that a name in the cluster could add to
// the page: no script, style or handler in its text is run.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

HttpResponse Protected(std::string_view content_type, std::string_view body) {
  HttpResponse response{200, std::string(content_type), std::string(body)};
  response.headers = {{"content-security-policy", kPolicy},
                      {"x-content-type-options", "nosniff"},
                      {"referrer-policy", "no-referrer"},
                      {"cache-control", "no-store"}};
  return response;
}

// For this thread alone, in Linux.
void TakeLowestPriority() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
}

}  // namespace

LivePage::LivePage(const ClusterStore& store, const Freshness& freshness,
                   ProfileOf profile_of, const DecisionRing& decisions,
                   const Options& options)
    : LivePage(PageSource{[&store] { return store.generation(); },
                          [&store] {
                            auto copy = std::make_unique<ClusterState>(
                                store.Read([](const ClusterState& cluster) {
                                  return cluster.release();
                                }));
                            CopyInParts(store, *copy);
                            return copy;
                          }},
               freshness, std::move(profile_of), decisions, options) {}

LivePage::LivePage(PageSource cluster, const Freshness& freshness,
                   ProfileOf profile_of, const DecisionRing& decisions,
                   const Options& options)
    : cluster_(std::move(cluster)),
      freshness_(freshness),
      profile_of_(std::move(profile_of)),
      decisions_(decisions),
      options_(options),
      thread_([this] { Run(); }) {}

LivePage::~LivePage() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

HttpResponse LivePage::Handle(const HttpRequest& request) {
  if (request.path == "/page") {
    return Protected("text/html; charset=utf-8", LivePageHtml());
  }
  if (request.path == "/page/style.css") {
    return Protected("text/css; charset=utf-8", LivePageStyle());
  }
  if (request.path == "/page/script.js") {
    return Protected("text/javascript; charset=utf-8", LivePageScript());
  }
  if (request.path == "/page/state") return AnswerState(request);
  return ErrorResponse(404, "unknown path");
}

HttpResponse LivePage::AnswerState(const HttpRequest& request) {
  std::shared_ptr<const State> state;
  {
    const MutexLock lock(mutex_);
    if (!asked_) {
      asked_ = true;
      changed_.NotifyAll();
    }
    state = state_;
  }
  if (state == nullptr) {
    return ErrorResponse(503, "the first picture of the cluster is being made");
  }
  HttpResponse response = Protected("application/json", "");
  response.headers.emplace_back("etag", state->etag);
  if (request.if_none_match == state->etag) {
    response.status = 304;
  } else {
    response.body = state->json;
  }
  return response;
}

std::uint64_t LivePage::renderings() const {
  const MutexLock lock(mutex_);
  return renderings_;
}

std::shared_ptr<const std::string> LivePage::RuleMetrics() {
  const MutexLock lock(mutex_);
  if (!asked_for_rules_ && options_.rules_interval.count() > 0) {
    asked_for_rules_ = true;
    changed_.NotifyAll();
  }
  return rules_;
}

std::uint64_t LivePage::looks() const {
  const MutexLock lock(mutex_);
  return looks_;
}

void LivePage::Run() {
  if (options_.copies_at_lowest_priority) TakeLowestPriority();
  for (Task task = AwaitTask(); task != Task::kEnd; task = AwaitTask()) {
    const Clock::time_point begin = Clock::now();
    if (task == Task::kLookAtRules) {
      LookAtRules();
    } else if (const Source source = Look(); source != rendered_) {
      Render(source);
    }
    const Clock::time_point end = Clock::now();
    const MutexLock lock(mutex_);
    next_ = end + (end - begin) * kRestFactor;
    if (task == Task::kRender) {
      next_ = std::max(next_, end + options_.interval);
    }
    next_rules_ = end + options_.rules_interval;
  }
}

LivePage::Task LivePage::AwaitTask() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    const Clock::time_point now = Clock::now();
    if (asked_ && now >= next_) {
      asked_ = false;
      return Task::kRender;
    }
    const Clock::time_point rules = std::max(next_, next_rules_);
    if (asked_for_rules_ && now >= rules) {
      asked_for_rules_ = false;
      return Task::kLookAtRules;
    }
    if (asked_) {
      changed_.WaitUntil(mutex_, next_);
    } else if (asked_for_rules_) {
      changed_.WaitUntil(mutex_, rules);
    } else {
      changed_.Wait(mutex_);
    }
  }
  return Task::kEnd;
}

void LivePage::LookAtRules() {
  const std::uint64_t generation = cluster_.generation();
  if (rules_of_ == generation) return;
  const std::unique_ptr<ClusterState> copy = cluster_.copy();
  if (copy == nullptr) {
    // The scheduler whose cluster it was is gone: no metrics of the past.
    rules_of_.reset();
    const MutexLock lock(mutex_);
    rules_ = std::make_shared<std::string>();
    return;
  }
  Yielding([&] { SetRules(ReportRules(*copy, 0)); });
  rules_of_ = generation;
  const MutexLock lock(mutex_);
  ++looks_;
}

void LivePage::SetRules(const RuleReport& report) {
  if (options_.rules_interval.count() == 0) return;
  auto rules = std::make_shared<const std::string>(RenderRuleMetrics(report));
  const MutexLock lock(mutex_);
  rules_.swap(rules);
}

void LivePage::Yielding(const std::function<void()>& work) const {
  if (options_.copies_at_lowest_priority) return work();  // It has that.
  // What has lost its priority cannot have it back.
  std::thread([&work] {
    TakeLowestPriority();
    work();
  }).join();
}

void LivePage::Draw(std::unique_ptr<ClusterState> cluster) {
  Yielding([&] {
    picture_ = DrawPicture(*cluster, profile_of_);
    cluster.reset();
    SetRules(picture_.rules);
  });
}

PageHealth LivePage::Health() const {
  const Freshness::Clock::time_point now = Freshness::Clock::now();
  PageHealth health;
  health.problem = std::string(freshness_.Check(now).message());
  for (const auto& [resource, outage] : freshness_.Outages(now)) {
    health.late[resource] =
        std::chrono::duration_cast<std::chrono::seconds>(outage);
  }
  return health;
}

LivePage::Source LivePage::Look() const {
  return {cluster_.generation(), decisions_.last(), Health()};
}

void LivePage::Render(const Source& source) {
  if (drawn_ != source.generation) {
    if (auto copy = cluster_.copy()) {
      Draw(std::move(copy));
      drawn_ = rules_of_ = source.generation;
    }
  }
  rendered_ = source;
  auto state = std::make_shared<State>();
  state->json = PageStateJson(source.health, picture_, decisions_.All());
  // After a restart the same state is the same.
  state->etag = absl::StrCat(
      "\"", absl::Hex(std::hash<std::string>()(state->json)), "\"");
  const MutexLock lock(mutex_);
  state_ = std::move(state);
  ++renderings_;
}

}  // namespace vicinal
