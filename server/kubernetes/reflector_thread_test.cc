#include "server/kubernetes/reflector_thread.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/recording_handler.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;

constexpr char kPage[] =
    R"({"metadata":{"resourceVersion":"10"},"items":[{"a":1}]})";
constexpr char kBookmark[] =
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":"
    "\"11\"}}}\n";

std::unique_ptr<ReflectorThread> StartOrDie(
    const ClientConfig& config, const std::vector<ReflectedResource>& resources,
    ReflectorOptions options = {}) {
  options.stream_lists = false;
  absl::StatusOr<std::unique_ptr<ReflectorThread>> thread =
      ReflectorThread::Start(config, resources, options);
  EXPECT_TRUE(thread.ok()) << thread.status();
  return *std::move(thread);
}

// Lists are answered; watches give bookmarks as fast as they go.
void ListAndFlood(const TestRequest& request, TestReply& reply) {
  if (request.Query("watch") != "1") return reply.Send(200, kPage);
  reply.StartChunks();
  for (int i = 0; i < 1000; ++i) reply.Chunk(kBookmark);
  reply.WaitUntilGone();
}

class ThreadNotingHandler : public RecordingHandler {
 public:
  void OnResourceVersion(std::string_view version) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    RecordingHandler::OnResourceVersion(version);
  }

  std::set<std::thread::id> threads() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return threads_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

TEST(ReflectorThreadTest, ReflectsManyResourcesOnOneThread) {
  TestHttpServer server({}, ListAndFlood);
  ThreadNotingHandler handler;  // shared
  std::vector<ReflectedResource> resources;
  for (int i = 0; i < 7; ++i)
    resources.push_back({"/api/v1/r" + std::to_string(i), "", &handler});
  const auto thread = StartOrDie(PlainConfigOf(server), resources);
  ASSERT_TRUE(handler.WaitFor("version 11", 7000));
  EXPECT_EQ(handler.Count("list end 10"), 7u);
  EXPECT_EQ(handler.threads().size(), 1u);
  EXPECT_EQ(handler.threads().count(std::this_thread::get_id()), 0u);
}

TEST(ReflectorThreadTest, AResourceThatFailsDoesNotHinderTheOthers) {
  TestHttpServer server({}, [](const TestRequest& request, TestReply& reply) {
    if (request.path == "/bad") return reply.Send(403, "no");
    ListAndFlood(request, reply);
  });
  RecordingHandler bad;
  RecordingHandler good;
  const auto thread = StartOrDie(PlainConfigOf(server),
                                 {{"/bad", "", &bad}, {"/good", "", &good}});
  EXPECT_TRUE(bad.WaitFor("disconnected list: 403", 2));
  EXPECT_TRUE(good.WaitFor("version 11", 1000));
  EXPECT_EQ(bad.Count("list start"), 0u);
}

TEST(ReflectorThreadTest, CallsNoHandlerAfterStop) {
  TestHttpServer server({}, ListAndFlood);
  RecordingHandler handler;
  const auto thread =
      StartOrDie(PlainConfigOf(server), {{"/pods", "", &handler}});
  ASSERT_TRUE(handler.WaitFor("version 11"));
  thread->Stop();
  const size_t calls = handler.lines().size();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(handler.lines().size(), calls);
  thread->Stop();
}

// Stop must cut each of these short; the test's time limit says whether it
// does.
TEST(ReflectorThreadTest, StopsWhateverIsUnderWay) {
  TestHttpServerOptions deaf;
  deaf.accept_delay = std::chrono::hours(1);
  const std::vector<std::pair<std::string, TestHttpServer::Handler>> cases = {
      {"silent head",
       [](const TestRequest&, TestReply& reply) { reply.WaitUntilGone(); }},
      {"silent body",
       [](const TestRequest&, TestReply& reply) {
         reply.StartChunks();
         reply.Chunk("{");
         reply.WaitUntilGone();
       }},
      {"silent watch",
       [](const TestRequest& request, TestReply& reply) {
         if (request.Query("watch") != "1") return reply.Send(200, kPage);
         reply.StartChunks();
         reply.WaitUntilGone();
       }},
      {"backoff",
       [](const TestRequest&, TestReply& reply) { reply.Send(500, ""); }},
  };
  ReflectorOptions options;
  options.initial_backoff = std::chrono::hours(1);
  options.max_backoff = std::chrono::hours(1);
  for (const auto& [name, behaviour] : cases) {
    SCOPED_TRACE(name);
    TestHttpServer server({}, behaviour);
    RecordingHandler handler;
    const auto thread =
        StartOrDie(PlainConfigOf(server), {{"/pods", "", &handler}}, options);
    ASSERT_TRUE(server.WaitForRequests(name == "silent watch" ? 2 : 1));
    if (name == "backoff") {
      ASSERT_TRUE(handler.WaitFor("disconnected"));
    }
    thread->Stop();
    EXPECT_EQ(handler.Count("disconnected"), name == "backoff" ? 1u : 0u);
  }
  // At once: perhaps before, perhaps while it connects.
  for (int i = 0; i < 20; ++i) {
    TestHttpServer server(deaf, ListAndFlood);
    RecordingHandler handler;
    StartOrDie(PlainConfigOf(server), {{"/pods", "", &handler}})->Stop();
  }
}

TEST(ReflectorThreadTest, StartsAndStopsManyTimes) {
  TestHttpServer server({}, ListAndFlood);
  for (int i = 0; i < 20; ++i) {
    RecordingHandler handler;
    const auto thread =
        StartOrDie(PlainConfigOf(server),
                   {{"/pods", "", &handler}, {"/nodes", "", &handler}});
    ASSERT_TRUE(handler.WaitFor("version 11"));
  }
}

TEST(ReflectorThreadTest, NamesACertificateThatCannotBeUsed) {
  ClientConfig config;
  config.certificate_authority_pem = "nonsense";
  RecordingHandler handler;
  EXPECT_EQ(ReflectorThread::Start(config, {{"/pods", "", &handler}})
                .status()
                .message(),
            "certificate authority: contains no PEM certificate");
}

}  // namespace
}  // namespace vicinal
