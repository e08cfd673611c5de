#include "server/listeners/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "server/listeners/http/testing/raw_client.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What a test waits for at most before it fails.
constexpr seconds kPatience{10};

constexpr char kGet[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

// Says what it was asked.
HttpResponse Echo(const HttpRequest& request) {
  std::string text(request.method);
  text.append(" ").append(request.path).append(" ").append(request.body);
  return {200, "text/plain", text};
}

HttpServer::Options Loopback() {
  HttpServer::Options options;
  options.address = "127.0.0.1:0";
  return options;
}

std::unique_ptr<HttpServer> Started(const HttpServer::Options& options,
                                    HttpHandler handler = Echo) {
  absl::StatusOr<std::unique_ptr<HttpServer>> server =
      HttpServer::Start(options, std::move(handler));
  if (!server.ok()) {
    ADD_FAILURE() << server.status();
    std::abort();
  }
  return *std::move(server);
}

// The next answer; status 0 if there is none.
RawResponse Next(RawClient& client) {
  return client.Receive().value_or(RawResponse());
}

RawResponse Ask(RawClient& client, std::string_view request) {
  EXPECT_TRUE(client.Send(request));
  return Next(client);
}

// Asks on a connection of its own.
RawResponse AskOnce(const HttpServer& server, std::string_view request) {
  RawClient client(server.address());
  return Ask(client, request);
}

// A place where handlers wait until the test lets them go on.
class Gate {
 public:
  void Open() { opened_.set_value(); }
  bool WaitUntilOpen() const {
    return open_.wait_for(kPatience) == std::future_status::ready;
  }

 private:
  std::promise<void> opened_;
  const std::shared_future<void> open_ = opened_.get_future().share();
};

TEST(HttpServerTest, GivesTheHandlerMethodPathAndBody) {
  const auto server = Started(Loopback());
  EXPECT_EQ(AskOnce(*server, Post("/filter", "{\"a\":1}")).body,
            "POST /filter {\"a\":1}");
  EXPECT_EQ(AskOnce(*server, kGet).body, "GET /x ");
  EXPECT_EQ(AskOnce(*server, "BREW /x HTTP/1.1\r\nHost: h\r\n\r\n").body,
            "BREW /x ");
}

TEST(HttpServerTest, ThePathIsWithoutTheQuery) {
  const auto server = Started(Loopback());
  EXPECT_EQ(AskOnce(*server, Post("/filter?timeout=5s&x=?", "b")).body,
            "POST /filter b");
  EXPECT_EQ(AskOnce(*server, Post("/?", "b")).body, "POST / b");
}

TEST(HttpServerTest, TheAnswerHasStatusTypeAndLengthAndIsNotChunked) {
  const auto server = Started(Loopback(), [](const HttpRequest&) {
    return HttpResponse{503, "application/json", "{\"a\":1}"};
  });
  const RawResponse response = AskOnce(*server, kGet);
  EXPECT_THAT(response.head, StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(response.Field("Content-Type"), "application/json");
  EXPECT_EQ(response.Field("Content-Length"), "7");
  EXPECT_EQ(response.body, "{\"a\":1}");
  EXPECT_THAT(response.head, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(response.head, Not(HasSubstr("Allow")));
}

TEST(HttpServerTest, NothingFollowsTheBody) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  ASSERT_TRUE(
      client.Send("POST /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                  "Content-Length: 4\r\n\r\nbody"));
  const std::optional<std::string> all = client.ReceiveAll();
  ASSERT_TRUE(all.has_value());
  EXPECT_THAT(*all, HasSubstr("Content-Length: 12\r\n"));
  EXPECT_THAT(*all, EndsWith("\r\n\r\nPOST /x body"));
}

TEST(HttpServerTest, AnEmptyAnswerHasALengthToo) {
  const auto server =
      Started(Loopback(), [](const HttpRequest&) { return HttpResponse{}; });
  RawClient client(server->address());
  for (int i = 0; i < 2; ++i) {
    const RawResponse response = Ask(client, kGet);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.Field("Content-Length"), "0");
  }
}

TEST(HttpServerTest, Status405SaysWhatIsAllowed) {
  const auto server = Started(Loopback(), [](const HttpRequest&) {
    HttpResponse response = ErrorResponse(405, "no");
    response.allow = "POST";
    return response;
  });
  const RawResponse response = AskOnce(*server, kGet);
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.Field("Allow"), "POST");
}

TEST(HttpServerTest, AnAnswerThatTheClientHasIsNotSentAgain) {
  const auto server = Started(Loopback(), [](const HttpRequest& request) {
    if (request.if_none_match == "\"1\"") return HttpResponse{304, "", ""};
    HttpResponse response{200, "text/plain", "body"};
    response.headers = {{"etag", "\"1\""}};
    return response;
  });
  RawClient client(server->address());
  EXPECT_EQ(Ask(client, kGet).Field("etag"), "\"1\"");
  const RawResponse second =
      Ask(client, "GET /x HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n");
  EXPECT_EQ(second.status, 304);
  // It would be that of the body.
  EXPECT_EQ(second.Field("Content-Length"), "");
  EXPECT_EQ(Ask(client, kGet).body, "body");
}

TEST(HttpServerTest, AnErrorIsOneLineOfJson) {
  const HttpResponse response = ErrorResponse(400, "a \"b\"\n\x01\xff");
  EXPECT_EQ(response.status, 400u);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, "{\"error\":\"a \\\"b\\\"\\n\\u0001\xEF\xBF\xBD\"}");
}

TEST(HttpServerTest, AConnectionServesManyRequests) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  for (int i = 0; i < 100; ++i) {
    const std::string body = "body " + std::to_string(i);
    const RawResponse response = Ask(client, Post("/x", body));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /x " + body);
  }
}

TEST(HttpServerTest, AConnectionGoesOnAfterTheHandlersErrors) {
  const auto server = Started(Loopback(), [](const HttpRequest& request) {
    return request.path == "/good" ? Echo(request) : ErrorResponse(400, "bad");
  });
  RawClient client(server->address());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Ask(client, Post("/bad", "x")).status, 400);
    EXPECT_EQ(Ask(client, Post("/good", "x")).status, 200);
  }
}

TEST(HttpServerTest, ClosesWhenTheClientAsksForIt) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  const RawResponse response =
      Ask(client, "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Field("Connection"), "close");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServerTest, KeepsHttp10ConnectionsOnlyOnRequest) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  for (int i = 0; i < 2; ++i) {
    const RawResponse response =
        Ask(client, "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(response.body, "GET /x ");
    EXPECT_EQ(response.Field("Connection"), "keep-alive");
  }
  EXPECT_EQ(Ask(client, "GET /x HTTP/1.0\r\n\r\n").body, "GET /x ");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServerTest, AClientMayEndItsSideBeforeTheAnswer) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  ASSERT_TRUE(client.Send(Post("/x", "last")));
  client.ShutdownSend();
  EXPECT_EQ(Next(client).body, "POST /x last");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServerTest, TheAnswerToHeadHasNoBody) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  ASSERT_TRUE(client.Send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n"));
  const std::optional<RawResponse> head = client.ReceiveHead();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->Field("Content-Length"), "8");
  // Else this one would begin with the body of the other.
  EXPECT_EQ(Ask(client, kGet).body, "GET /x ");
}

TEST(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += Post("/" + std::to_string(i), std::string(i * 100, 'a'));
    requests += kGet;
  }
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Next(client).body,
              "POST /" + std::to_string(i) + " " + std::string(i * 100, 'a'));
    EXPECT_EQ(Next(client).body, "GET /x ");
  }
}

TEST(HttpServerTest, ARequestMayArriveByteByByte) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  for (const char byte : Post("/x", "body")) {
    ASSERT_TRUE(client.Send({&byte, 1}));
    // Lets the server read it alone, now and then.
    std::this_thread::yield();
  }
  EXPECT_EQ(Next(client).body, "POST /x body");
  EXPECT_EQ(Ask(client, kGet).body, "GET /x ");
}

TEST(HttpServerTest, TakesChunkedBodies) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  EXPECT_EQ(Ask(client,
                "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked"
                "\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\n5\r\nworld\r\n0\r\n\r\n")
                .body,
            "POST /x hello world");
  EXPECT_EQ(Ask(client, kGet).body, "GET /x ");
}

TEST(HttpServerTest, BodiesArePaddedForSimdjson) {
  const auto server = Started(Loopback(), [](const HttpRequest& request) {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    std::string_view text;
    const simdjson::padded_string_view json(
        request.body.data(), request.body.size(),
        request.body.size() + simdjson::SIMDJSON_PADDING);
    // What is behind the body is looked at too: the sanitizers watch.
    std::size_t sum = 0;
    for (std::size_t i = 0; i < simdjson::SIMDJSON_PADDING; ++i) {
      sum += request.body.data()[request.body.size() + i] == 'x';
    }
    if (parser.iterate(json).get(document) ||
        document["a"].get_string().get(text) ||
        sum > simdjson::SIMDJSON_PADDING) {
      return ErrorResponse(400, "no JSON");
    }
    return HttpResponse{200, "text/plain", std::string(text)};
  });
  RawClient client(server->address());
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string text(size, 'x');
    EXPECT_EQ(Ask(client, Post("/x", "{\"a\":\"" + text + "\"}")).body, text);
  }
}

TEST(HttpServerTest, LargeBodiesGoBothWays) {
  const auto server = Started(Loopback());
  const std::string body(20 << 20, 'b');
  RawClient client(server->address());
  for (int i = 0; i < 2; ++i) {
    const RawResponse response = Ask(client, Post("/x", body));
    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(response.body == "POST /x " + body);
  }
}

TEST(HttpServerTest, MalformedHttpIsRefusedAndTheConnectionClosed) {
  const auto server = Started(Loopback());
  for (const std::string request :
       {"\r\n\r\n", "nonsense\r\n\r\n", "GET\r\n\r\n", "GET /x\r\n\r\n",
        "GET /x HTTP/3.7\r\n\r\n", "GET /x HTTP/1.1\n\n",
        "GET  HTTP/1.1\r\n\r\n", "G\xff\xff /x HTTP/1.1\r\n\r\n",
        "GET /x HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /x HTTP/1.1\r\n: no name\r\n\r\n",
        "GET /x HTTP/1.1\r\na b: c\r\n\r\n",
        "GET /x HTTP/1.1\r\na: \x01\r\n\r\n",
        "POST /x HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        "POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /x HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /x HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
        "\r\n\r\n0\r\n\r\n",
        "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawClient client(server->address());
    ASSERT_TRUE(client.Send(request));
    const RawResponse response = Next(client);
    EXPECT_EQ(response.status, 400) << request;
    EXPECT_THAT(response.body, StartsWith("{\"error\":\"malformed HTTP: "))
        << request;
    EXPECT_THAT(response.body, Not(HasSubstr("\n"))) << request;
    EXPECT_EQ(response.Field("Connection"), "close") << request;
    EXPECT_TRUE(client.IsAtEnd()) << request;
  }
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
}

TEST(HttpServerTest, ATrailerThatIsTooLongEndsTheConnectionAndNothingElse) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  client.Send(
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\n{}\r\n0\r\nX: " +
      std::string(100'000, 'x') + "\r\n\r\n");
  client.ReceiveAll();
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
}

TEST(HttpServerTest, ARequestThatIsCutOffGetsNoAnswer) {
  const auto server = Started(Loopback());
  const std::string request = Post("/x", "body");
  for (std::size_t size = 0; size < request.size(); ++size) {
    RawClient client(server->address());
    ASSERT_TRUE(client.Send(request.substr(0, size)));
    client.ShutdownSend();
    EXPECT_TRUE(client.IsAtEnd()) << request.substr(0, size);
  }
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
}

TEST(HttpServerTest, ABodyOfTheLimitIsTakenAndOneMoreByteIsNot) {
  HttpServer::Options options = Loopback();
  options.max_body_bytes = 1000;
  const auto server = Started(options);
  EXPECT_EQ(AskOnce(*server, Post("/x", std::string(1000, 'b'))).status, 200);
  RawClient client(server->address());
  const RawResponse response = Ask(client, Post("/x", std::string(1001, 'b')));
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body, "{\"error\":\"request body is too large\"}");
  EXPECT_EQ(response.Field("Connection"), "close");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServerTest, AClientThatIsStillSendingCanReadThatItsBodyIsTooLarge) {
  HttpServer::Options options = Loopback();
  options.max_body_bytes = 1 << 20;
  const auto server = Started(options);
  // Twenty times the limit and more than the sockets' buffers take: all is
  // sent before the answer is looked at.
  const std::string body(20 << 20, 'b');
  {
    RawClient client(server->address());
    EXPECT_TRUE(client.Send(Post("/x", body)));
    EXPECT_EQ(Next(client).status, 413);
    EXPECT_TRUE(client.IsAtEnd());
  }
  {
    RawClient client(server->address());
    EXPECT_TRUE(client.Send(
        "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "1400000\r\n"));
    EXPECT_TRUE(client.Send(body + "\r\n0\r\n\r\n"));
    EXPECT_EQ(Next(client).status, 413);
    EXPECT_TRUE(client.IsAtEnd());
  }
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
}

TEST(HttpServerTest, AHeaderOverTheLimitIsRefused) {
  HttpServer::Options options = Loopback();
  options.max_header_bytes = 4096;
  const auto server = Started(options);
  const auto request = [](std::size_t size) {
    return "GET /x HTTP/1.1\r\na: " + std::string(size, 'b') + "\r\n\r\n";
  };
  EXPECT_EQ(AskOnce(*server, request(3000)).status, 200);
  for (const std::size_t size : {5000, 500000}) {
    RawClient client(server->address());
    EXPECT_TRUE(client.Send(request(size)));
    const RawResponse response = Next(client);
    EXPECT_EQ(response.status, 431);
    EXPECT_EQ(response.body, "{\"error\":\"request header is too large\"}");
    EXPECT_TRUE(client.IsAtEnd());
  }
  // One endless line, and one without an end.
  RawClient client(server->address());
  EXPECT_TRUE(client.Send("GET /" + std::string(100000, 'x')));
  EXPECT_EQ(Next(client).status, 431);
}

// A server that gives requests one second to arrive.
std::unique_ptr<HttpServer> StartedImpatient() {
  HttpServer::Options options = Loopback();
  options.request_timeout = seconds(1);
  return Started(options);
}

TEST(HttpServerTest, ARequestThatStopsArrivingIsAnswered408AndClosed) {
  const auto server = StartedImpatient();
  const std::string request = Post("/x", "body");
  std::vector<std::unique_ptr<RawClient>> clients;
  // In the request line, in a header field, before the body, in the body.
  for (const std::size_t size : {std::size_t{1}, std::size_t{20},
                                 request.size() - 4, request.size() - 1}) {
    clients.push_back(std::make_unique<RawClient>(server->address()));
    ASSERT_TRUE(clients.back()->Send(request.substr(0, size)));
  }
  for (const auto& client : clients) {
    const RawResponse response = Next(*client);
    EXPECT_EQ(response.status, 408);
    EXPECT_EQ(response.body, "{\"error\":\"request took too long to arrive\"}");
    EXPECT_EQ(response.Field("Connection"), "close");
    EXPECT_TRUE(client->IsAtEnd());
  }
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
}

// Sends a byte now and then until the server answers or five seconds are over.
RawResponse AskSlowly(const HttpServer& server, std::string_view start,
                      std::string_view drop) {
  RawClient client(server.address());
  EXPECT_TRUE(client.Send(start));
  std::atomic<bool> answered = false;
  std::thread sender([&] {
    for (int i = 0; i < 100 && !answered; ++i) {
      if (!client.Send(drop)) break;
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  RawResponse response = Next(client);
  answered = true;
  sender.join();
  return response;
}

TEST(HttpServerTest, DrippingBytesDoesNotExtendTheTime) {
  const auto server = StartedImpatient();
  EXPECT_EQ(AskSlowly(*server, "GET /x HTTP/1.1\r\na: ", "b").status, 408);
  EXPECT_EQ(AskSlowly(*server,
                      "POST /x HTTP/1.1\r\nContent-Length: 1000\r\n\r\n", "b")
                .status,
            408);
}

TEST(HttpServerTest, TheTimeOfARequestBeginsWithItsFirstByte) {
  const auto server = StartedImpatient();
  RawClient client(server->address());
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(milliseconds(1200));
    EXPECT_EQ(Ask(client, kGet).status, 200);
  }
}

TEST(HttpServerTest, AHandlerMayTakeLongerThanTheRequest) {
  HttpServer::Options options = Loopback();
  options.request_timeout = seconds(1);
  options.idle_timeout = seconds(1);
  const auto server = Started(options, [](const HttpRequest& request) {
    std::this_thread::sleep_for(milliseconds(1500));
    return Echo(request);
  });
  RawClient client(server->address());
  EXPECT_EQ(Ask(client, Post("/x", "b")).body, "POST /x b");
  EXPECT_EQ(Ask(client, Post("/x", "c")).body, "POST /x c");
}

TEST(HttpServerTest, AnIdleConnectionIsClosedAtItsTime) {
  HttpServer::Options options = Loopback();
  options.idle_timeout = seconds(1);
  const auto server = Started(options);
  RawClient fresh(server->address());
  RawClient used(server->address());
  EXPECT_EQ(Ask(used, kGet).status, 200);
  EXPECT_TRUE(used.IsAtEnd());
  EXPECT_TRUE(fresh.IsAtEnd());
}

TEST(HttpServerTest, AClientThatDoesNotReadItsAnswerIsLeft) {
  HttpServer::Options options = Loopback();
  options.request_timeout = seconds(1);
  const std::string large(64 << 20, 'a');
  const auto server = Started(options, [&large](const HttpRequest& request) {
    return request.path == "/large" ? HttpResponse{200, "text/plain", large}
                                    : Echo(request);
  });
  RawClient client(server->address());
  ASSERT_TRUE(client.Send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
  std::this_thread::sleep_for(milliseconds(1500));
  const std::optional<std::string> received = client.ReceiveAll();
  ASSERT_TRUE(received.has_value()) << "still open";
  EXPECT_LT(received->size(), large.size());
}

TEST(HttpServerTest, AClientThatGoesAwayHarmsNobody) {
  const std::string large(8 << 20, 'a');
  const auto server = Started(Loopback(), [&large](const HttpRequest&) {
    return HttpResponse{200, "text/plain", large};
  });
  for (int i = 0; i < 20; ++i) {
    RawClient client(server->address());
    ASSERT_TRUE(client.Send(kGet));
    if (i % 2 == 0) {
      EXPECT_TRUE(client.ReceiveHead().has_value());
    }
  }
  EXPECT_TRUE(AskOnce(*server, kGet).body == large);
}

TEST(HttpServerTest, ExpectContinueIsAnsweredBeforeTheBodyComes) {
  const auto server = Started(Loopback());
  RawClient client(server->address());
  const std::string head =
      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
      "Expect: 100-continue\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    const RawResponse go_on = Ask(client, head);
    EXPECT_THAT(go_on.head, StartsWith("HTTP/1.1 100 Continue\r\n"));
    EXPECT_EQ(go_on.body, "");
    EXPECT_EQ(Ask(client, "body").body, "POST /x body");
  }
}

TEST(HttpServerTest, ExpectContinueOverTheLimitIsRefusedBeforeTheBodyComes) {
  HttpServer::Options options = Loopback();
  options.max_body_bytes = 1000;
  const auto server = Started(options);
  EXPECT_EQ(AskOnce(*server,
                    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n"
                    "Expect: 100-continue\r\n\r\n")
                .status,
            413);
}

TEST(HttpServerTest, IdleConnectionsDoNotKeepAThreadBusy) {
  const auto server = Started(Loopback());  // With one thread.
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(server->address()));
    ASSERT_TRUE(idle.back()->connected()) << i;
    // Some have been used, some are in the middle of a request.
    if (i % 3 == 1) {
      EXPECT_EQ(Ask(*idle.back(), kGet).status, 200);
    }
    if (i % 3 == 2) {
      ASSERT_TRUE(idle.back()->Send("GET /x HT"));
    }
  }
  EXPECT_EQ(AskOnce(*server, kGet).status, 200);
  for (int i = 0; i < 300; ++i) {
    const char* const request = i % 3 == 2 ? "TP/1.1\r\n\r\n" : kGet;
    EXPECT_EQ(Ask(*idle[i], request).status, 200) << i;
  }
}

TEST(HttpServerTest, HandlersRunOnAllThreads) {
  HttpServer::Options options = Loopback();
  options.threads = 3;
  Gate all_there;
  std::atomic<int> running = 0;
  const auto server = Started(options, [&](const HttpRequest&) {
    if (++running == 3) all_there.Open();
    return all_there.WaitUntilOpen() ? HttpResponse{200, "text/plain", "ok"}
                                     : ErrorResponse(500, "alone");
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->address()));
    ASSERT_TRUE(clients.back()->Send(kGet));
  }
  for (const auto& client : clients) EXPECT_EQ(Next(*client).status, 200);
}

// A question of the scheduler may wait for its own binding, which comes over
// another connection.
TEST(HttpServerTest, WhileAHandlerBlocksEveryOtherConnectionIsAnswered) {
  HttpServer::Options options = Loopback();
  options.threads = 2;
  Gate gate;
  const auto server = Started(options, [&](const HttpRequest& request) {
    const bool open = request.path != "/blocks" || gate.WaitUntilOpen();
    return open ? Echo(request) : ErrorResponse(500, "nobody opens");
  });
  RawClient blocked(server->address());
  ASSERT_TRUE(blocked.Send("GET /blocks HTTP/1.1\r\nHost: h\r\n\r\n"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(AskOnce(*server, kGet).status, 200);
  gate.Open();
  EXPECT_EQ(Next(blocked).status, 200);
}

TEST(HttpServerTest, ARequestWakesNoThreadThatHasNothingToDoWithIt) {
  HttpServer::Options options = Loopback();
  options.threads = 8;
  const auto server = Started(options);
  RawClient client(server->address());
  const auto waits = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  const std::int64_t before = waits();
  constexpr int kRequests = 500;
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_EQ(Ask(client, kGet).status, 200);
  }
  // The client's, the connection's thread twice, and the handler's.
  EXPECT_LT(static_cast<double>(waits() - before) / kRequests, 5.5);
}

TEST(HttpServerTest, ManyClientsAtATimeGetTheirOwnAnswers) {
  HttpServer::Options options = Loopback();
  options.threads = 4;
  const auto server = Started(options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawClient client(server->address());
      for (int i = 0; i < 50; ++i) {
        const std::string body =
            std::to_string(t) + "/" + std::to_string(i) +
            std::string(static_cast<std::size_t>(i) * 997, 'b');
        if (!client.Send(Post("/x", body)) ||
            Next(client).body != "POST /x " + body) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(HttpServerTest, StopWaitsForTheHandlerThatRuns) {
  Gate started;
  Gate release;
  std::atomic<bool> finished = false;
  const auto server = Started(Loopback(), [&](const HttpRequest& request) {
    started.Open();
    EXPECT_TRUE(release.WaitUntilOpen());
    finished = true;
    return Echo(request);
  });
  RawClient client(server->address());
  ASSERT_TRUE(client.Send(kGet));
  ASSERT_TRUE(started.WaitUntilOpen());
  std::future<bool> stopped = std::async(std::launch::async, [&] {
    server->Stop();
    return finished.load();
  });
  EXPECT_EQ(stopped.wait_for(milliseconds(100)), std::future_status::timeout);
  release.Open();
  ASSERT_EQ(stopped.wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(stopped.get());
}

TEST(HttpServerTest, StopClosesTheConnectionsAndThePort) {
  const auto server = Started(Loopback());
  const std::string address = server->address();
  RawClient idle(address);
  RawClient used(address);
  RawClient halfway(address);
  EXPECT_EQ(Ask(idle, kGet).status, 200);
  EXPECT_EQ(Ask(used, kGet).status, 200);
  EXPECT_TRUE(halfway.Send("GET /x HT"));
  server->Stop();
  for (RawClient* client : {&idle, &used, &halfway}) {
    EXPECT_EQ(client->ReceiveAll(), "");
  }
  EXPECT_FALSE(CanConnect(address));
  EXPECT_EQ(server->address(), address);
  server->Stop();  // Again: nothing happens.
}

TEST(HttpServerTest, ThePortIsFreeOnceTheServerIsGone) {
  HttpServer::Options options = Loopback();
  auto server = Started(options);
  options.address = server->address();
  RawClient client(options.address);
  EXPECT_EQ(Ask(client, kGet).status, 200);
  server.reset();
  EXPECT_EQ(AskOnce(*Started(options), kGet).status, 200);
}

TEST(HttpServerTest, ServesIpv6) {
  HttpServer::Options options;
  options.address = "[::1]:0";
  const absl::StatusOr<std::unique_ptr<HttpServer>> server =
      HttpServer::Start(options, Echo);
  if (!server.ok()) GTEST_SKIP() << "no IPv6 here: " << server.status();
  EXPECT_THAT((*server)->address(), StartsWith("[::1]:"));
  EXPECT_EQ(AskOnce(**server, kGet).body, "GET /x ");
}

// Keeps the answers to /slow, to be given by the test.
class SlowAnswers {
 public:
  AsyncHttpHandler Handler() {
    return [this](const HttpRequest& request, const HttpCaller& caller,
                  const HttpAnswer& answer) {
      if (request.path != "/slow") return false;
      const std::lock_guard lock(mutex_);
      callers_.push_back(caller);
      answers_.push_back(answer);
      changed_.notify_all();
      return true;
    };
  }

  void WaitFor(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_.size() >= count; });
  }
  void Answer(std::size_t i) {
    HttpResponse response;
    response.body = "slow " + std::to_string(i);
    answers_[i](std::move(response));
  }
  bool IsGone(std::size_t i) { return callers_[i].is_gone(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HttpCaller> callers_;
  std::vector<HttpAnswer> answers_;
};

TEST(HttpServerTest, AnswersThatTakeLongKeepNoThread) {
  SlowAnswers slow;
  HttpServer::Options options = Loopback();
  options.threads = 1;
  options.async_handler = slow.Handler();
  const auto server = Started(options, Echo);
  constexpr std::size_t kClients = 300;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->address()));
    EXPECT_TRUE(clients.back()->Send(Post("/slow", "s")));
    slow.WaitFor(i + 1);
  }
  EXPECT_EQ(AskOnce(*server, kGet).body, "GET /x ");
  for (std::size_t i = kClients; i-- > 0;) {
    slow.Answer(i);
    EXPECT_EQ(Next(*clients[i]).body, "slow " + std::to_string(i));
  }
  // The connections stay usable.
  EXPECT_EQ(Ask(*clients[0], kGet).body, "GET /x ");
}

TEST(HttpServerTest, ACallerThatHasGoneIsNoticed) {
  SlowAnswers slow;
  HttpServer::Options options = Loopback();
  options.async_handler = slow.Handler();
  const auto server = Started(options, Echo);
  auto client = std::make_unique<RawClient>(server->address());
  EXPECT_TRUE(client->Send(Post("/slow", "s")));
  slow.WaitFor(1);
  EXPECT_FALSE(slow.IsGone(0));
  client.reset();
  while (!slow.IsGone(0)) std::this_thread::yield();
  slow.Answer(0);  // Is dropped.
  EXPECT_EQ(AskOnce(*server, kGet).body, "GET /x ");
}

TEST(HttpServerTest, AnAnswerAfterTheEndOfTheServerIsDropped) {
  SlowAnswers slow;
  HttpServer::Options options = Loopback();
  options.async_handler = slow.Handler();
  auto server = Started(options, Echo);
  RawClient client(server->address());
  EXPECT_TRUE(client.Send(Post("/slow", "s")));
  slow.WaitFor(1);
  server.reset();
  EXPECT_TRUE(slow.IsGone(0));
  slow.Answer(0);
}

TEST(HttpServerTest, MoreConnectionsThanTheLimitAreClosedAtOnce) {
  HttpServer::Options options = Loopback();
  options.max_connections = 2;
  std::atomic<int> refused = 0;
  options.on_refusal = [&refused](const char* limit) {
    EXPECT_STREQ(limit, "connections");
    ++refused;
  };
  const auto server = Started(options);
  RawClient first(server->address());
  EXPECT_EQ(Ask(first, kGet).status, 200);
  {
    RawClient second(server->address());
    EXPECT_EQ(Ask(second, kGet).status, 200);
    RawClient third(server->address());
    EXPECT_FALSE(third.Receive());
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(Ask(first, kGet).status, 200);
  }
  // There is room again once the server has seen the end of the second.
  const auto begin = std::chrono::steady_clock::now();
  while (AskOnce(*server, kGet).status != 200) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, kPatience);
  }
}

TEST(HttpServerTest, AnswersThatNobodyReadsDoNotFillTheMemory) {
  HttpServer::Options options = Loopback();
  options.max_unsent_bytes = 100 << 20;
  std::atomic<int> refused = 0;
  options.on_refusal = [&refused](const char* limit) {
    EXPECT_STREQ(limit, "answers");
    ++refused;
  };
  std::atomic<int> asked = 0;
  const auto server = Started(options, [&asked](const HttpRequest& request) {
    ++asked;
    // More than the buffers of a connection hold.
    return HttpResponse{
        200, "text/plain",
        request.path == "/x" ? std::string(60 << 20, 'x') : std::string("y")};
  });
  RawClient first(server->address());
  EXPECT_TRUE(first.Send(kGet));
  const auto begin = std::chrono::steady_clock::now();
  while (asked == 0) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, kPatience);
    std::this_thread::yield();
  }
  // One thread: the first answer is there and waits to be read.
  RawClient second(server->address());
  EXPECT_EQ(Ask(second, kGet).status, 503);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(Ask(second, "GET /y HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  // The first one is read at last, and there is room again.
  EXPECT_EQ(Next(first).body.size(), std::size_t{60} << 20);
  EXPECT_EQ(Ask(second, kGet).status, 200);
}

TEST(HttpServerTest, TheAddressHasThePortThatWasBound) {
  const auto one = Started(Loopback());
  const auto other = Started(Loopback());
  EXPECT_THAT(one->address(), StartsWith("127.0.0.1:"));
  EXPECT_THAT(one->address(), Not(EndsWith(":0")));
  EXPECT_NE(one->address(), other->address());
}

TEST(HttpServerTest, AddressesThatAreNoneAreInvalid) {
  for (const char* address :
       {"", ":", "127.0.0.1", "127.0.0.1:", ":80", "localhost:80",
        "127.0.0.1:http", "127.0.0.1:80 ", "127.0.0.1:-1", "127.0.0.1:65536",
        "127.0.0.256:80", "[::1]", "[::1:80", "[]:80"}) {
    HttpServer::Options options;
    options.address = address;
    const absl::Status status = HttpServer::Start(options, Echo).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_EQ(status.message(), "address \"" + std::string(address) +
                                    "\": must be <IP address>:<port>");
  }
}

TEST(HttpServerTest, AnAddressThatIsTakenOrNotOursIsUnavailable) {
  const auto server = Started(Loopback());
  HttpServer::Options options;
  options.address = server->address();
  absl::Status status = HttpServer::Start(options, Echo).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "cannot listen on " + server->address() +
                                  ": Address already in use");
  options.address = "192.0.2.1:0";  // For documentation (RFC 5737).
  status = HttpServer::Start(options, Echo).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace vicinal
