#include "server/kubernetes/reflector.h"

#include <glog/logging.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/raw_object.h"
#include "server/kubernetes/reflector_thread.h"
#include "server/kubernetes/testing/protobuf.h"
#include "server/kubernetes/testing/recording_handler.h"
#include "server/kubernetes/testing/test_certificates.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

// How the server deals with one request.
using Step = std::function<void(const TestRequest& request, TestReply& reply)>;

std::string Object(const std::string& name, const std::string& version) {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" +
         version + "\"}}";
}

std::string Event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string ErrorEvent(int code) {
  return Event("ERROR",
               R"({"kind":"Status","metadata":{},"message":"told so","code":)" +
                   std::to_string(code) + "}");
}

std::string Bookmark(const std::string& version) {
  return Event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":")" +
                               version + "\"}}");
}

// The end of a list that is a stream.
std::string ListEnd(const std::string& version) {
  return Event("BOOKMARK",
               R"({"kind":"Pod","metadata":{"resourceVersion":")" + version +
                   R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

Step Page(const std::string& version, const std::vector<std::string>& items,
          const std::string& continue_token = "") {
  std::string list;
  for (const std::string& item : items)
    list += (list.empty() ? "" : ",") + item;
  const std::string body =
      R"({"kind":"PodList","metadata":{"resourceVersion":")" + version +
      R"(","continue":")" + continue_token + R"("},"items":[)" + list + "]}";
  return
      [body](const TestRequest&, TestReply& reply) { reply.Send(200, body); };
}

Step Failure(int status, const std::string& message = "told so",
             const std::map<std::string, std::string>& headers = {}) {
  const std::string body = R"({"kind":"Status","message":")" + message + "\"}";
  return [=](const TestRequest&, TestReply& reply) {
    reply.Send(status, body, headers);
  };
}

enum class End { kOrderly, kCut, kNever };

Step WatchOf(const std::string& lines, End end) {
  return [=](const TestRequest&, TestReply& reply) {
    reply.StartChunks();
    if (!lines.empty()) reply.Chunk(lines);
    if (end == End::kOrderly) reply.EndChunks();
    if (end == End::kCut) reply.Cut();
    if (end == End::kNever) reply.WaitUntilGone();
  };
}

// A server that follows a script, one step for each request; then its watches
// stay open and silent. Over it, a reflector of pods.
class ReflectorTest : public testing::Test {
 protected:
  ReflectorTest() {
    reflector_options_.initial_backoff = milliseconds(1);
    reflector_options_.max_backoff = milliseconds(4);
    reflector_options_.stream_lists = false;
  }

  void Serve(const std::vector<Step>& script, uint16_t port = 0) {
    auto next = std::make_shared<std::atomic<size_t>>(0);
    TestHttpServerOptions options;
    options.certificate =
        IssueTestCertificate(authority_, {.common_name = "server",
                                          .dns_names = {},
                                          .ip_addresses = {"127.0.0.1"}});
    options.port = port;
    server_ = std::make_unique<TestHttpServer>(
        options, [script, next](const TestRequest& request, TestReply& reply) {
          const size_t step = (*next)++;
          if (step < script.size()) {
            script[step](request, reply);
          } else {
            WatchOf("", End::kNever)(request, reply);
          }
        });
    config_.port = server_->port();
  }

  void Reflect() { ReflectTo(handler_); }

  void ReflectTo(ResourceHandler& handler) {
    config_.host = "127.0.0.1";
    config_.certificate_authority_pem = authority_.certificate_pem;
    absl::StatusOr<std::unique_ptr<ReflectorThread>> thread =
        ReflectorThread::Start(
            config_, {{"/api/v1/pods", "spec.nodeName!=,a=b", &handler}},
            reflector_options_, client_options_);
    ASSERT_TRUE(thread.ok()) << thread.status();
    thread_ = *std::move(thread);
  }

  // The resourceVersion of request `index`; "stream" or "list" if it asks for a
  // list.
  std::string VersionAsked(size_t index) const {
    const TestRequest request = server_->requests()[index];
    if (request.Query("sendInitialEvents") == "true") return "stream";
    return request.Query("watch") == "1" ? request.Query("resourceVersion")
                                         : "list";
  }

  milliseconds Gap(size_t from, size_t to) const {
    const std::vector<TestRequest> requests = server_->requests();
    return std::chrono::duration_cast<milliseconds>(requests[to].at -
                                                    requests[from].at);
  }

  const TestCertificate authority_ = MakeTestAuthority("test CA");
  ClientConfig config_;
  ReflectorOptions reflector_options_;
  ApiClientOptions client_options_;
  RecordingHandler handler_;
  std::unique_ptr<TestHttpServer> server_;
  std::unique_ptr<ReflectorThread> thread_;  // stops first
};

TEST_F(ReflectorTest, ListsInPagesThenWatches) {
  const std::string a = Object("a", "3");
  const std::string b = Object("b", "4");
  const std::string c = Object("c", "11");
  Serve({Page("10", {a}, "to/ken+="), Page("10", {b}),
         WatchOf(Event("ADDED", c) + Event("MODIFIED", c) + "\n" +
                     Bookmark("15") + Event("DELETED", Object("a", "16")),
                 End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 16"));
  EXPECT_THAT(
      handler_.events(),
      ElementsAre("list start", "listed " + a, "listed " + b, "list end 10",
                  "watch start", "changed " + c, "version 11", "changed " + c,
                  "version 11", "version 15", "deleted " + Object("a", "16"),
                  "version 16"));
  ASSERT_TRUE(handler_.WaitFor("batch end"));

  const std::vector<TestRequest> requests = server_->requests();
  ASSERT_EQ(requests.size(), 3u);
  for (const TestRequest& request : requests) {
    EXPECT_EQ(request.path, "/api/v1/pods");
    EXPECT_EQ(request.Query("fieldSelector"), "spec.nodeName!=,a=b");
    EXPECT_EQ(request.connection, 1);
  }
  EXPECT_EQ(requests[0].Query("limit"), "500");
  EXPECT_EQ(requests[0].query.count("continue"), 0u);
  EXPECT_EQ(requests[0].query.count("resourceVersion"), 0u);
  EXPECT_EQ(requests[1].Query("continue"), "to/ken+=");
  EXPECT_EQ(requests[2].Query("watch"), "1");
  EXPECT_EQ(requests[2].Query("allowWatchBookmarks"), "true");
  EXPECT_EQ(requests[2].Query("resourceVersion"), "10");
  const int timeout = std::stoi(requests[2].Query("timeoutSeconds"));
  EXPECT_GE(timeout, 300);
  EXPECT_LE(timeout, 600);
}

class StreamingReflectorTest : public ReflectorTest {
 protected:
  StreamingReflectorTest() { reflector_options_.stream_lists = true; }
};

TEST_F(StreamingReflectorTest, AListComesAsTheFirstEventsOfTheWatch) {
  const std::string a = Object("a", "4");
  const std::string b = Object("b", "3");
  const std::string c = Object("c", "11");
  Serve({WatchOf(Event("ADDED", a) + Bookmark("9") + Event("ADDED", b) +
                     Event("MODIFIED", a) + Event("DELETED", b) +
                     ListEnd("10") + Event("ADDED", c) + ListEnd("12"),
                 End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 12"));
  EXPECT_THAT(
      handler_.events(),
      ElementsAre("list start", "listed " + a, "listed " + b, "listed " + a,
                  "deleted " + b, "list end 10", "watch start", "changed " + c,
                  "version 11", "version 12"));
  const std::vector<TestRequest> requests = server_->requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].Query("watch"), "1");
  EXPECT_EQ(requests[0].Query("allowWatchBookmarks"), "true");
  EXPECT_EQ(requests[0].Query("sendInitialEvents"), "true");
  EXPECT_EQ(requests[0].Query("resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(requests[0].query.count("resourceVersion"), 0u);
  EXPECT_EQ(requests[0].Query("fieldSelector"), "spec.nodeName!=,a=b");
}

TEST_F(StreamingReflectorTest, AnEmptyListIsAList) {
  Serve({WatchOf(ListEnd("7"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  EXPECT_THAT(handler_.events(),
              ElementsAre("list start", "list end 7", "watch start"));
}

TEST_F(StreamingReflectorTest, TheWatchResumesFromTheEndOfTheList) {
  Serve({WatchOf(ListEnd("10"), End::kCut)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start", 2));
  EXPECT_EQ(VersionAsked(1), "10");
  EXPECT_EQ(handler_.Count("list start"), 1u);
}

TEST_F(StreamingReflectorTest, AfterA410TheListIsStreamedAgain) {
  Serve({WatchOf(ListEnd("10") + ErrorEvent(410), End::kNever),
         WatchOf(ListEnd("20"), End::kCut), Failure(410),
         WatchOf(ListEnd("30"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("list end 30"));
  EXPECT_EQ(VersionAsked(1), "stream");
  EXPECT_EQ(VersionAsked(2), "20");
  EXPECT_EQ(VersionAsked(3), "stream");
}

TEST_F(StreamingReflectorTest, AServerThatRefusesStreamsIsAskedForPages) {
  for (const int refusal : {400, 422}) {
    handler_.Clear();
    Serve({Failure(refusal), Page("10", {Object("a", "3")}), Failure(410),
           Page("20", {Object("a", "3")})});
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("list end 20")) << refusal;
    EXPECT_EQ(VersionAsked(0), "stream");
    EXPECT_EQ(VersionAsked(1), "list");
    EXPECT_EQ(VersionAsked(2), "10");
    EXPECT_EQ(VersionAsked(3), "list");
    EXPECT_EQ(handler_.Count("disconnected"), 1u);
    thread_.reset();
  }
}

TEST_F(StreamingReflectorTest, AStreamThatAnOverloadRefusesIsAskedForAgain) {
  Serve({Failure(429), Failure(503), WatchOf(ListEnd("10"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("list end 10"));
  EXPECT_EQ(VersionAsked(1), "stream");
  EXPECT_EQ(VersionAsked(2), "stream");
}

TEST_F(StreamingReflectorTest, AListThatBreaksOffGoesOnInPages) {
  reflector_options_.silent_after = milliseconds(50);
  for (const End end : {End::kCut, End::kOrderly, End::kNever}) {
    handler_.Clear();
    Serve({WatchOf(Event("ADDED", Object("a", "1")), end),
           Page("10", {Object("b", "2")}), Failure(410),
           WatchOf(ListEnd("20"), End::kNever)});
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("list end 20"));
    EXPECT_EQ(VersionAsked(1), "list");
    EXPECT_EQ(VersionAsked(3), "stream");
    EXPECT_EQ(handler_.Count("list start"), 3u);
    thread_.reset();
  }
}

TEST_F(ReflectorTest, AnEmptyListIsAList) {
  Serve({Page("7", {})});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  EXPECT_THAT(handler_.events(),
              ElementsAre("list start", "list end 7", "watch start"));
}

TEST_F(ReflectorTest, AContinueTokenThatExpiresStartsTheListOver) {
  Serve({Page("10", {Object("a", "1")}, "next"), Failure(410),
         Page("20", {Object("b", "2")})});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  EXPECT_THAT(
      handler_.events(),
      ElementsAre("list start", "listed " + Object("a", "1"),
                  "disconnected list: 410: told so", "list start",
                  "listed " + Object("b", "2"), "list end 20", "watch start"));
  EXPECT_EQ(server_->requests()[2].query.count("continue"), 0u);
  EXPECT_EQ(VersionAsked(3), "20");
}

TEST_F(ReflectorTest, ResumesFromTheLastBookmarkAfterACut) {
  Serve({Page("10", {}),
         WatchOf(Event("ADDED", Object("a", "11")) + Bookmark("15"), End::kCut),
         WatchOf(Event("MODIFIED", Object("a", "16")), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 16"));
  EXPECT_EQ(VersionAsked(2), "15");
  EXPECT_EQ(handler_.Count("list start"), 1u);
  EXPECT_EQ(handler_.Count("disconnected watch: read from 127.0.0.1:"), 1u);
  EXPECT_EQ(handler_.Count("watch start"), 2u);
}

TEST_F(ReflectorTest, ResumesFromTheLastEventAfterAnOrderlyEnd) {
  reflector_options_.healthy_after = milliseconds(0);
  Serve({Page("10", {}),
         WatchOf(Event("DELETED", Object("a", "12")), End::kOrderly),
         WatchOf(Bookmark("13"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 13"));
  EXPECT_EQ(VersionAsked(2), "12");
  EXPECT_THAT(handler_.events(),
              ElementsAre("list start", "list end 10", "watch start",
                          "deleted " + Object("a", "12"), "version 12",
                          "disconnected OK", "watch start", "version 13"));
}

TEST_F(ReflectorTest, ResumesWhenTheWatchIsRefusedForATime) {
  for (const int status : {401, 403, 404, 429, 500, 503}) {
    SCOPED_TRACE(status);
    thread_.reset();
    Serve({Page("10", {}), Failure(status), Failure(status),
           WatchOf(Bookmark("11"), End::kNever)});
    const size_t lists = handler_.Count("list start");
    const size_t done = handler_.Count("version 11");
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("version 11", done + 1));
    EXPECT_EQ(VersionAsked(3), "10");
    EXPECT_EQ(handler_.Count("list start"), lists + 1);
    EXPECT_EQ(handler_.Count("disconnected watch: " + std::to_string(status) +
                             ": told so"),
              2u);
  }
}

TEST_F(ReflectorTest, ListsAgainWhenTheWatchIsAnswered410Or400) {
  for (const int status : {410, 400}) {
    SCOPED_TRACE(status);
    thread_.reset();
    Serve({Page("10", {}), Failure(status), Page("20", {}),
           WatchOf(Bookmark("21"), End::kNever)});
    const size_t done = handler_.Count("version 21");
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("version 21", done + 1));
    EXPECT_EQ(VersionAsked(2), "list");
    EXPECT_EQ(VersionAsked(3), "20");
  }
}

TEST_F(ReflectorTest, ListsAgainOnAnErrorEvent) {
  for (const int code : {410, 500, 0}) {
    SCOPED_TRACE(code);
    thread_.reset();
    Serve({Page("10", {}),
           WatchOf(Bookmark("11") + ErrorEvent(code) +
                       Event("ADDED", Object("x", "12")),
                   End::kNever),
           Page("20", {}), WatchOf(Bookmark("21"), End::kNever)});
    const size_t done = handler_.Count("version 21");
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("version 21", done + 1));
    EXPECT_EQ(VersionAsked(2), "list");
    EXPECT_EQ(VersionAsked(3), "20");
    EXPECT_EQ(handler_.Count("changed"), 0u);  // nothing after the error counts
  }
  EXPECT_EQ(handler_.Count("disconnected watch event: 410: told so"), 1u);
  EXPECT_EQ(handler_.Count("disconnected watch event: 500: told so"), 2u);
}

TEST_F(ReflectorTest, ResumesAfterAnErrorEventOfAnOverload) {
  Serve({Page("10", {}), WatchOf(Bookmark("11") + ErrorEvent(429), End::kNever),
         WatchOf(ErrorEvent(503), End::kNever),
         WatchOf(Bookmark("21"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 21"));
  EXPECT_EQ(VersionAsked(2), "11");
  EXPECT_EQ(VersionAsked(3), "11");
}

TEST_F(ReflectorTest, ListsAgainOnALineThatIsNoEvent) {
  const std::vector<std::string> lines = {
      "garbage\n", "{\"type\":\"ADDED\"}\n",
      "{\"type\":\"ADDED\",\"object\":{}}\n",
      "{\"type\":\"WHO\",\"object\":" + Object("a", "11") + "}\n",
      "\x01\x02\xff\n"};
  for (const std::string& line : lines) {
    SCOPED_TRACE(line);
    thread_.reset();
    Serve({Page("10", {}),
           WatchOf(Bookmark("11") + line + Bookmark("12"), End::kNever),
           Page("20", {}), WatchOf(Bookmark("21"), End::kNever)});
    const size_t done = handler_.Count("version 21");
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("version 21", done + 1));
    EXPECT_EQ(VersionAsked(2), "list");
    EXPECT_EQ(handler_.Count("version 12"), 0u);
    EXPECT_EQ(handler_.Count("disconnected watch: not a watch event: "),
              done + 1);
  }
}

TEST_F(ReflectorTest, ATruncatedEventAtAnOrderlyEndIsNoEvent) {
  const std::string event = Event("ADDED", Object("a", "11"));
  Serve({Page("10", {}),
         WatchOf(event.substr(0, event.size() - 3), End::kOrderly),
         Page("20", {})});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start", 2));
  EXPECT_EQ(VersionAsked(2), "list");
  EXPECT_EQ(handler_.Count("changed"), 0u);
}

TEST_F(ReflectorTest, RetriesAListUntilItSucceeds) {
  const Step cut = [](const TestRequest&, TestReply& reply) {
    reply.SendRaw("HTTP/1.1 200");
    reply.Cut();
  };
  const Step html = [](const TestRequest&, TestReply& reply) {
    reply.Send(200, "<html>");
  };
  Serve({Failure(401), Failure(403), Failure(404), Failure(500), cut, html,
         Page("10", {Object("a", "1")}), cut});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  EXPECT_EQ(handler_.Count("disconnected list: "), 6u);
  EXPECT_EQ(handler_.Count("list end 10"), 1u);
}

TEST_F(ReflectorTest, AsksForTheSamePageAgainWhateverGoesWrong) {
  const Step cut = [](const TestRequest&, TestReply& reply) {
    reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    reply.Cut();
  };
  const Step html = [](const TestRequest&, TestReply& reply) {
    reply.Send(200, "<html>");
  };
  const std::vector<Step> failures = {cut,          html,         Failure(401),
                                      Failure(403), Failure(404), Failure(429),
                                      Failure(500), Failure(503), Failure(504)};
  std::vector<Step> script = {Page("10", {Object("a", "1")}, "next")};
  script.insert(script.end(), failures.begin(), failures.end());
  script.push_back(Page("10", {Object("b", "1")}));
  Serve(script);
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  const std::vector<TestRequest> requests = server_->requests();
  for (size_t i = 1; i < failures.size() + 2; ++i) {
    EXPECT_EQ(requests[i].Query("continue"), "next") << i;
  }
  EXPECT_EQ(handler_.Count("disconnected list: "), failures.size());
  EXPECT_EQ(handler_.Count("list start"), 1u);
  EXPECT_EQ(handler_.Count("listed "), 2u);
}

// 5 % of the requests fail; each page has one object.
TEST_F(ReflectorTest, ALongListFinishesWithFewMoreRequestsThanPages) {
  constexpr int kPages = 300;
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::vector<int> fails(kPages * 2, 0);
  for (int i = 0; i < kPages / 20; ++i) fails[i] = 1 + i % 5;
  std::shuffle(fails.begin(), fails.begin() + kPages, std::mt19937(seed));
  Serve(std::vector<Step>(
      fails.size(), [&fails, asked = std::make_shared<std::atomic<size_t>>(0)](
                        const TestRequest& request, TestReply& reply) {
        const std::string token = request.Query("continue");
        const int page = token.empty() ? 0 : std::stoi(token);
        switch (fails[(*asked)++]) {
          case 1:
            return Failure(429)(request, reply);
          case 2:
            return Failure(500)(request, reply);
          case 3:  // Before the answer.
            return reply.Cut();
          case 4:  // In its head, and in its body.
            reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Le");
            return reply.Cut();
          case 5:
            reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{");
            return reply.Cut();
          default:
            return Page("10", {Object(std::to_string(page), "1")},
                        page + 1 < kPages ? std::to_string(page + 1) : "")(
                request, reply);
        }
      }));
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("list end"));
  size_t lists = 0;
  for (const TestRequest& request : server_->requests()) {
    lists += request.Query("watch") != "1";
  }
  EXPECT_LE(lists, kPages * 11 / 10);
  EXPECT_EQ(handler_.Count("list start"), 1u);
  EXPECT_EQ(handler_.Count("listed "), kPages);
  for (int page = 0; page < kPages; ++page) {
    EXPECT_EQ(handler_.Count("listed " + Object(std::to_string(page), "1")), 1u)
        << page;
  }
  thread_.reset();
  server_.reset();  // It uses the table above.
}

TEST_F(ReflectorTest, WaitsForAServerThatIsNotThereYet) {
  Serve({});
  const uint16_t port = server_->port();
  server_.reset();
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("disconnected list: connect to 127.0.0.1:", 5));
  Serve({Page("10", {})}, port);
  EXPECT_TRUE(handler_.WaitFor("watch start"));
}

TEST_F(ReflectorTest, HonoursRetryAfter) {
  Serve({Failure(429, "busy", {{"Retry-After", "1"}}), Page("10", {}),
         Failure(429, "busy", {{"Retry-After", "1"}}),
         WatchOf(Bookmark("11"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 11"));
  EXPECT_GE(Gap(0, 1), milliseconds(1000));
  EXPECT_GE(Gap(2, 3), milliseconds(1000));
  EXPECT_EQ(VersionAsked(3), "10");
}

TEST_F(ReflectorTest, WaitsLongerWithEveryFailure) {
  reflector_options_.initial_backoff = milliseconds(50);
  reflector_options_.max_backoff = milliseconds(200);
  Serve({Failure(500), Page("10", {}), WatchOf("", End::kCut),
         WatchOf("", End::kOrderly), Failure(500)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start", 3));
  // Half of 50 for the page; then of 50, 100 and 200: a short watch does not
  // start over.
  EXPECT_GE(Gap(0, 1), milliseconds(25));
  EXPECT_GE(Gap(2, 3), milliseconds(25));
  EXPECT_GE(Gap(3, 4), milliseconds(50));
  EXPECT_GE(Gap(4, 5), milliseconds(100));
}

TEST_F(ReflectorTest, AHealthyWatchResetsTheWait) {
  reflector_options_.max_backoff = std::chrono::hours(24);
  reflector_options_.healthy_after = milliseconds(0);
  std::vector<Step> script = {Page("10", {})};
  for (int i = 0; i < 30; ++i) script.push_back(WatchOf("", End::kCut));
  Serve(script);
  Reflect();
  // Without resets the last of these waits would be six days.
  EXPECT_TRUE(server_->WaitForRequests(32));
}

TEST_F(ReflectorTest,
       OnlyTheFirst410SinceAHealthyWatchIsFollowedByAListAtOnce) {
  for (const Step& gone :
       {Failure(410), WatchOf(ErrorEvent(410), End::kOrderly)}) {
    thread_.reset();
    reflector_options_.initial_backoff = std::chrono::hours(1);
    reflector_options_.max_backoff = std::chrono::hours(1);
    Serve({Page("10", {}), gone, Page("20", {}), gone});
    const size_t before = handler_.Count("disconnected");
    Reflect();
    ASSERT_TRUE(handler_.WaitFor("disconnected", before + 2));
    EXPECT_EQ(VersionAsked(3), "20");
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(server_->requests().size(), 4u);
  }
}

// Never answers.
void Hang(const TestRequest&, TestReply& reply) { reply.WaitUntilGone(); }

TEST_F(ReflectorTest, ASilentWatchIsRenewedWithoutAnOutage) {
  reflector_options_.silent_after = milliseconds(50);
  Serve({Page("10", {}), WatchOf(Bookmark("11"), End::kNever),
         WatchOf("", End::kNever), WatchOf(Bookmark("12"), End::kNever)});
  Reflect();
  ASSERT_TRUE(server_->WaitForRequests(6));
  EXPECT_EQ(VersionAsked(2), "11");
  EXPECT_EQ(VersionAsked(3), "11");
  EXPECT_EQ(VersionAsked(4), "12");
  EXPECT_EQ(handler_.Count("watch start"), 1u);
  EXPECT_EQ(handler_.Count("disconnected"), 0u);
  EXPECT_EQ(handler_.Count("version 11"), 1u);
  EXPECT_EQ(handler_.Count("version 12"), 1u);
}

TEST_F(ReflectorTest, AWatchThatIsNotRenewedIsBrokenSinceItsLastByte) {
  reflector_options_.silent_after = milliseconds(100);
  reflector_options_.renewal_timeout = milliseconds(100);
  reflector_options_.attempt_timeout = milliseconds(100);
  std::mutex mutex;
  std::chrono::steady_clock::time_point last_byte;
  Serve({Page("10", {}),
         [&](const TestRequest&, TestReply& reply) {
           reply.StartChunks();
           reply.Chunk(Bookmark("11"));
           {
             const std::lock_guard lock(mutex);
             last_byte = std::chrono::steady_clock::now();
           }
           reply.WaitUntilGone();
         },
         &Hang, &Hang, &Hang, WatchOf(Bookmark("12"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("disconnected watch: silent"));
  {
    const std::lock_guard lock(mutex);
    // The silence is seen at least this much later.
    EXPECT_LT(handler_.disconnected_since(), last_byte + milliseconds(100));
  }
  ASSERT_TRUE(handler_.WaitFor("version 12"));
  EXPECT_EQ(handler_.Count("list start"), 1u);
  const std::vector<TestRequest> requests = server_->requests();
  for (size_t i = 2; i < requests.size(); ++i) {
    EXPECT_THAT(VersionAsked(i), testing::AnyOf("11", "12")) << i;
  }
  thread_.reset();
  server_.reset();
}

TEST_F(ReflectorTest, AByteOnTheOldWatchEndsItsRenewal) {
  reflector_options_.silent_after = milliseconds(50);
  reflector_options_.renewal_timeout = milliseconds(500);
  Serve({Page("10", {}),
         [this](const TestRequest&, TestReply& reply) {
           reply.StartChunks();
           // While the watch is being renewed.
           for (int version = 11; version <= 13; ++version) {
             EXPECT_TRUE(server_->WaitForRequests(version - 8));
             reply.Chunk(Bookmark(std::to_string(version)));
           }
           reply.WaitUntilGone();
         },
         &Hang, &Hang, &Hang, WatchOf(Bookmark("14"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 14"));
  EXPECT_EQ(handler_.Count("disconnected"), 0u);
  EXPECT_EQ(handler_.Count("watch start"), 1u);
  EXPECT_EQ(VersionAsked(5), "13");
  thread_.reset();
}

TEST_F(ReflectorTest, ARenewalThatIsRefusedIsTriedAgain) {
  reflector_options_.silent_after = milliseconds(50);
  reflector_options_.renewal_timeout = std::chrono::hours(1);
  Serve({Page("10", {}), WatchOf(Bookmark("11"), End::kNever), Failure(503),
         WatchOf(Bookmark("12"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 12"));
  EXPECT_EQ(handler_.Count("disconnected"), 0u);
}

TEST_F(ReflectorTest, ARenewalThatIsAnswered410OrdersAList) {
  reflector_options_.silent_after = milliseconds(50);
  Serve({Page("10", {}), WatchOf(Bookmark("11"), End::kNever), Failure(410),
         Page("20", {}), WatchOf(Bookmark("21"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 21"));
  EXPECT_EQ(handler_.Count("disconnected watch: 410: told so"), 1u);
}

TEST_F(ReflectorTest, AWatchThatIsNotAnsweredIsAskedForTwice) {
  reflector_options_.second_attempt_after = milliseconds(50);
  reflector_options_.attempt_timeout = std::chrono::hours(1);
  Serve({Page("10", {}), &Hang, WatchOf(Bookmark("11"), End::kNever)});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 11"));
  EXPECT_EQ(handler_.Count("disconnected"), 0u);
}

TEST_F(ReflectorTest, GivesAnObjectOfMegabytesThatComesInTinyChunks) {
  const std::string object =
      R"({"metadata":{"resourceVersion":"11"},"data":")" +
      std::string(5 << 20, 'x') + "\"}";
  const std::string line = Event("MODIFIED", object) + Bookmark("12");
  Serve({Page("10", {}), [&](const TestRequest&, TestReply& reply) {
           reply.StartChunks();
           std::string chunks;
           for (size_t i = 0; i < line.size(); i += 16) {
             const std::string piece = line.substr(i, 16);
             chunks +=
                 (piece.size() == 16
                      ? "10"
                      : std::string(1, "0123456789abcdef"[piece.size()])) +
                 "\r\n" + piece + "\r\n";
           }
           reply.SendRaw(chunks);
           reply.WaitUntilGone();
         }});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("version 12"));
  const std::vector<std::string> events = handler_.events();
  ASSERT_EQ(events.size(), 6u);
  EXPECT_TRUE(events[3] == "changed " + object);
}

TEST_F(ReflectorTest, ListsManyPages) {
  std::vector<Step> script;
  constexpr int kPages = 40;
  for (int page = 0; page < kPages; ++page) {
    std::vector<std::string> items;
    for (int i = 0; i < 50; ++i)
      items.push_back(Object(std::string(5000, 'n'), "1"));
    script.push_back(Page(
        "10", items, page + 1 < kPages ? "page" + std::to_string(page) : ""));
  }
  Serve(script);
  reflector_options_.page_size = 50;
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("list end"));
  EXPECT_EQ(handler_.Count("listed " + Object(std::string(5000, 'n'), "1")),
            2000u);
  EXPECT_EQ(server_->requests()[1].Query("limit"), "50");
}

TEST_F(ReflectorTest, AsksForTheNextPageBeforeItReadsOne) {
  Serve({Page("10", {Object("a", "3")}, "more"), Page("10", {})});
  class Handler : public RecordingHandler {
   public:
    explicit Handler(const TestHttpServer& server) : server_(server) {}
    void OnListed(const RawObject& object) override {
      EXPECT_TRUE(server_.WaitForRequests(2));
      RecordingHandler::OnListed(object);
    }

   private:
    const TestHttpServer& server_;
  };
  Handler handler(*server_);
  ReflectTo(handler);
  EXPECT_TRUE(handler.WaitFor("list end"));
  thread_.reset();
}

TEST_F(ReflectorTest, GoesOnWithTheNewTokenOnceTheOldIsRefused) {
  config_.token_file = testing::TempDir() + "reflector_token";
  std::ofstream(config_.token_file) << "old";
  const Step with_new_token = [](const TestRequest& request, TestReply& reply) {
    if (request.Header("authorization") == "Bearer new") {
      (request.Query("watch") == "1" ? WatchOf(Bookmark("11"), End::kNever)
                                     : Page("10", {}))(request, reply);
    } else {
      Failure(401, "Unauthorized")(request, reply);
    }
  };
  Serve(std::vector<Step>(1000, with_new_token));
  reflector_options_.max_backoff = milliseconds(100);
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("disconnected list: 401: Unauthorized"));
  std::ofstream(config_.token_file) << "new";
  EXPECT_TRUE(handler_.WaitFor("version 11"));
}

// Collects this process's warnings about a path.
class WarningSink : public google::LogSink {
 public:
  WarningSink() { google::AddLogSink(this); }
  ~WarningSink() override { google::RemoveLogSink(this); }

  void send(google::LogSeverity severity, const char*, const char*, int,
            const struct tm*, const char* message, size_t length) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (severity >= google::GLOG_WARNING)
      warnings_.emplace_back(message, length);
  }

  std::vector<std::string> warnings() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return warnings_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(ReflectorTest, LogsAFailureWhenItChanges) {
  const WarningSink sink;
  Serve({Failure(403, "one"), Failure(403, "one"), Failure(403, "one"),
         Failure(403, "two"), Failure(403, "two"), Page("10", {}),
         Failure(403, "two"), Failure(403, "two")});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("watch start"));
  EXPECT_THAT(sink.warnings(),
              ElementsAre("/api/v1/pods: list: 403: one; trying again",
                          "/api/v1/pods: list: 403: two; trying again",
                          "/api/v1/pods: watch: 403: two; trying again"));
}

constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";

// A reflector that would like to have protobuf.
class ProtobufReflectorTest : public ReflectorTest {
 protected:
  ~ProtobufReflectorTest() override { thread_.reset(); }  // Uses the handler.

  void ReflectProtobuf() { ReflectTo(protobuf_handler_); }

  static Step Answer(int status, const std::string& body) {
    return [=](const TestRequest&, TestReply& reply) {
      reply.Send(status, body, {{"Content-Type", kProtobuf}});
    };
  }

  static Step FramesOf(const std::string& frames, End end) {
    return [=](const TestRequest&, TestReply& reply) {
      reply.StartChunks(200, std::string(kProtobuf) + ";stream=watch");
      if (!frames.empty()) reply.Chunk(frames);
      if (end == End::kOrderly) reply.EndChunks();
      if (end == End::kCut) reply.Cut();
      if (end == End::kNever) reply.WaitUntilGone();
    };
  }

  static std::string PodEvent(const std::string& type, const std::string& name,
                              const std::string& version) {
    return Frame(ProtobufEvent(type, "Pod", ProtobufObject(name, version)));
  }

  // What the handler writes down of such an object.
  static std::string Written(const std::string& name,
                             const std::string& version) {
    return "protobuf " + absl::BytesToHexString(ProtobufObject(name, version));
  }

  RecordingHandler protobuf_handler_{true};
};

TEST_F(ProtobufReflectorTest, ListsPagesAndWatches) {
  Serve(
      {Answer(200, ProtobufList("10", "more", {ProtobufObject("a", "3")})),
       Answer(200, ProtobufList("10", "", {ProtobufObject("b", "4")})),
       FramesOf(PodEvent("ADDED", "c", "11") + PodEvent("MODIFIED", "a", "12") +
                    PodEvent("DELETED", "b", "13") +
                    PodEvent("BOOKMARK", "", "14"),
                End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 14"));
  EXPECT_THAT(
      protobuf_handler_.events(),
      ElementsAre("list start", "listed " + Written("a", "3"),
                  "listed " + Written("b", "4"), "list end 10", "watch start",
                  "changed " + Written("c", "11"), "version 11",
                  "changed " + Written("a", "12"), "version 12",
                  "deleted " + Written("b", "13"), "version 13", "version 14"));
  for (const TestRequest& request : server_->requests()) {
    EXPECT_EQ(request.Header("accept"),
              "application/vnd.kubernetes.protobuf,application/json");
  }
}

TEST_F(ProtobufReflectorTest, ListsAStream) {
  reflector_options_.stream_lists = true;
  const std::string end =
      WireBytes(1, WireBytes(6, "10") +
                       WireBytes(12, WireBytes(1, "k8s.io/initial-events-end") +
                                         WireBytes(2, "true")));
  Serve({FramesOf(PodEvent("ADDED", "a", "3") +
                      Frame(ProtobufEvent("BOOKMARK", "Pod", end)) +
                      PodEvent("MODIFIED", "a", "11"),
                  End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 11"));
  EXPECT_THAT(protobuf_handler_.events(),
              ElementsAre("list start", "listed " + Written("a", "3"),
                          "list end 10", "watch start",
                          "changed " + Written("a", "11"), "version 11"));
}

TEST_F(ProtobufReflectorTest, UnderstandsAServerThatHasOnlyJson) {
  Serve({Page("10", {Object("a", "3")}),
         WatchOf(Event("ADDED", Object("b", "11")), End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 11"));
  EXPECT_THAT(
      protobuf_handler_.events(),
      ElementsAre("list start", "listed " + Object("a", "3"), "list end 10",
                  "watch start", "changed " + Object("b", "11"), "version 11"));
}

TEST_F(ProtobufReflectorTest, TheEncodingMayChangeWithEachAnswer) {
  Serve({Answer(200, ProtobufList("10", "", {ProtobufObject("a", "3")})),
         WatchOf(Event("ADDED", Object("b", "11")), End::kOrderly),
         FramesOf(PodEvent("ADDED", "c", "12"), End::kOrderly),
         WatchOf(Event("ADDED", Object("d", "13")), End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 13"));
  EXPECT_EQ(protobuf_handler_.Count("changed " + Object("b", "11")), 1U);
  EXPECT_EQ(protobuf_handler_.Count("changed " + Written("c", "12")), 1U);
  EXPECT_EQ(protobuf_handler_.Count("changed " + Object("d", "13")), 1U);
  EXPECT_EQ(protobuf_handler_.Count("list start"), 1U);
}

TEST_F(ProtobufReflectorTest, AHandlerThatTakesJsonOnlyIsGivenThat) {
  Serve({Page("10", {Object("a", "3")})});
  Reflect();
  ASSERT_TRUE(handler_.WaitFor("list end 10"));
  EXPECT_EQ(server_->requests()[0].Header("accept"), "application/json");
}

TEST_F(ProtobufReflectorTest, JsonCanBeAskedFor) {
  reflector_options_.encoding = Encoding::kJson;
  Serve({Page("10", {Object("a", "3")})});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("list end 10"));
  EXPECT_EQ(server_->requests()[0].Header("accept"), "application/json");
}

TEST_F(ProtobufReflectorTest, AnExpiredVersionInProtobufListsAnew) {
  const std::string gone = InEnvelope("Status", ProtobufStatusOf(410));
  Serve(
      {Answer(200, ProtobufList("10", "", {})), Answer(410, gone),
       Answer(200, ProtobufList("20", "", {})),
       FramesOf(Frame(ProtobufEvent("ERROR", "Status", ProtobufStatusOf(410))),
                End::kNever),
       Answer(200, ProtobufList("30", "", {}))});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("list end 30"));
  EXPECT_EQ(protobuf_handler_.Count("disconnected watch: 410: told so"), 1U);
  EXPECT_EQ(protobuf_handler_.Count("disconnected watch event: 410: told so"),
            1U);
}

TEST_F(ProtobufReflectorTest, AnOverloadResumesTheWatch) {
  Serve({Answer(200, ProtobufList("10", "", {})),
         FramesOf(
             PodEvent("ADDED", "a", "11") +
                 Frame(ProtobufEvent("ERROR", "Status", ProtobufStatusOf(429))),
             End::kNever),
         FramesOf(PodEvent("ADDED", "b", "12"), End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 12"));
  EXPECT_EQ(VersionAsked(2), "11");
}

TEST_F(ProtobufReflectorTest, AFrameThatIsNoEventListsAnew) {
  Serve(
      {Answer(200, ProtobufList("10", "", {})),
       FramesOf(PodEvent("ADDED", "a", "11") + Frame("no event"), End::kNever),
       Answer(200, ProtobufList("20", "", {}))});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("list end 20"));
  EXPECT_EQ(protobuf_handler_.Count("disconnected watch: not a watch event"),
            1U);
}

TEST_F(ProtobufReflectorTest, HalfAFrameIsDroppedAndTheWatchResumed) {
  const std::string half = PodEvent("ADDED", "b", "12").substr(0, 9);
  Serve({Answer(200, ProtobufList("10", "", {})),
         FramesOf(PodEvent("ADDED", "a", "11") + half, End::kOrderly),
         FramesOf(PodEvent("ADDED", "b", "12") + half, End::kCut),
         FramesOf(PodEvent("ADDED", "c", "13"), End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 13"));
  EXPECT_EQ(VersionAsked(2), "11");
  EXPECT_EQ(VersionAsked(3), "12");
  EXPECT_EQ(protobuf_handler_.Count("list start"), 1U);
}

TEST_F(ProtobufReflectorTest, AFrameBeyondTheBoundBreaksTheWatch) {
  client_options_.max_line_bytes = 1000;
  Serve({Answer(200, ProtobufList("10", "", {})),
         FramesOf(PodEvent("ADDED", "a", "11") + std::string(4, '\xff'),
                  End::kNever),
         FramesOf(PodEvent("ADDED", "b", "12"), End::kNever)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("version 12"));
  EXPECT_EQ(protobuf_handler_.Count(
                "disconnected watch: a frame is longer than 1000 bytes"),
            1U);
  EXPECT_EQ(VersionAsked(2), "11");
}

TEST_F(ProtobufReflectorTest, APageThatIsCutOffIsAskedForAgain) {
  const std::string page = ProtobufList("10", "", {ProtobufObject("a", "3")});
  Serve({Answer(200, page.substr(0, page.size() - 10)), Answer(200, "{}"),
         Answer(200, page)});
  ReflectProtobuf();
  ASSERT_TRUE(protobuf_handler_.WaitFor("list end 10"));
  EXPECT_EQ(protobuf_handler_.Count("disconnected list: the answer is not a "
                                    "list: no protobuf"),
            2U);
}

}  // namespace
}  // namespace vicinal
