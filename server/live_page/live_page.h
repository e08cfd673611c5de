// A page about the running server and its cluster, for a browser.
//
//   GET /page            the page, which loads what follows and nothing else
//   GET /page/style.css
//   GET /page/script.js
//   GET /page/state      what it shows, as JSON; with an ETag
//
// The page asks for its state every few seconds. However many pages do, there
// is one rendering at a time, one in an interval at most, and none while
// nothing has changed or nobody asks. The metrics about rules are of the same
// copies, or of one of their own while nobody looks at the page.
#ifndef VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_H_
#define VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "core/deschedule/rule_report.h"
#include "core/index/cluster_state.h"
#include "core/sync/mutex.h"
#include "server/decisions/decision_ring.h"
#include "server/listeners/http/http_handler.h"
#include "server/live_page/page_state.h"
#include "server/live_page/picture.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"

namespace vicinal {

// Where a page has its cluster from. Both are called by its thread.
struct PageSource {
  // How often the cluster has changed.
  std::function<std::uint64_t()> generation;
  // With at least all of that; null: there is none now.
  std::function<std::unique_ptr<ClusterState>()> copy;
};

// Thread-safe.
//
// What questions of the scheduler notice of it: a rendering copies the cluster
// in parts, so that the lock of the store is held for moments (the longest is
// to collect the names of all pods), and works on the copy, in a thread of the
// lowest priority. A rendering costs what CopyInParts
// and DrawPicture do: some 0.6 s of a core, and the memory of the cluster once
// more, with 5,000 nodes and 150,000 pods. It rests for nine times as long as
// it took, so that it takes a tenth of a core at most. Asking costs O(1) and a
// copy of the answer, kMaxPageStateBytes at most.
class LivePage {
 public:
  struct Options {
    // From the end of a rendering to the begin of the next.
    std::chrono::milliseconds interval{5000};
    // From the end of a look at the rules for the metrics to the begin of the
    // next; 0: there are no such metrics.
    std::chrono::milliseconds rules_interval{60000};
    // False: only what is not copying is done at the lowest priority. A lock
    // that the copy takes is not held by a thread that gets no time then.
    bool copies_at_lowest_priority = true;
  };

  // All that is referred to must outlive it.
  LivePage(PageSource cluster, const Freshness& freshness, ProfileOf profile_of,
           const DecisionRing& decisions, const Options& options);
  LivePage(const ClusterStore& store, const Freshness& freshness,
           ProfileOf profile_of, const DecisionRing& decisions,
           const Options& options);
  // Waits for a rendering that is under way.
  ~LivePage();

  // Answers a GET of a path above; others get status 404. Never waits for a
  // rendering: the state is the last one, and 503 until there is the first. 304
  // if the client has it.
  HttpResponse Handle(const HttpRequest& request);

  // RenderRuleMetrics of the last look at the cluster; empty until there is
  // one. Asks for the next, which comes once an interval has gone by, if the
  // cluster has changed: a scrape never waits for one. Cost: O(1).
  std::shared_ptr<const std::string> RuleMetrics();

  // How often a state was rendered, and the rules were looked at for the
  // metrics alone. For tests.
  std::uint64_t renderings() const;
  std::uint64_t looks() const;

 private:
  // What a state is made of; the same again makes no other.
  struct Source {
    std::uint64_t generation = 0;
    std::uint64_t decisions = 0;
    PageHealth health;

    friend bool operator==(const Source&, const Source&) = default;
  };
  struct State {
    std::string etag;
    std::string json;
  };

  enum class Task { kEnd, kRender, kLookAtRules };

  HttpResponse AnswerState(const HttpRequest& request);
  void Run();
  Task AwaitTask();
  void LookAtRules();
  void SetRules(const RuleReport& report);
  Source Look() const;
  void Render(const Source& source);
  void Draw(std::unique_ptr<ClusterState> cluster);
  // Calls `work` at the lowest priority.
  void Yielding(const std::function<void()>& work) const;
  PageHealth Health() const;

  const PageSource cluster_;
  const Freshness& freshness_;
  const ProfileOf profile_of_;
  const DecisionRing& decisions_;
  const Options options_;

  // Only the thread's.
  std::optional<Source> rendered_;
  std::optional<std::uint64_t> drawn_;  // The generation of the picture.
  Picture picture_;
  std::optional<std::uint64_t> rules_of_;  // The generation of the metrics.

  mutable Mutex mutex_;
  CondVar changed_;  // With mutex_.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool asked_for_rules_ ABSL_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point next_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point next_rules_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const std::string> rules_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<std::string>();
  std::shared_ptr<const State> state_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t renderings_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t looks_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_H_
