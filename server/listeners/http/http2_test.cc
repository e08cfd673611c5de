// HTTP/2 over TLS, by the whole server.
#include "server/listeners/http/http2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/kubernetes/testing/test_certificates.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/http/testing/http2_connection.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {
namespace {

using std::chrono::seconds;

constexpr seconds kPatience{10};

// Says what it was asked, and by whom.
HttpResponse Echo(const HttpRequest& request) {
  std::string text(request.method);
  text.append(" ").append(request.path).append(" ").append(request.body);
  if (request.has_client_certificate) {
    text.append(" by ").append(request.client_name);
  }
  return {200, "text/plain", text};
}

template <typename Condition>
bool Await(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Requests that wait until the test answers them.
class Held {
 public:
  AsyncHttpHandler Handler() {
    return [this](const HttpRequest& request, const HttpCaller& caller,
                  const HttpAnswer& answer) {
      if (request.path != "/held") return false;
      const std::lock_guard lock(mutex_);
      callers_.push_back(caller);
      answers_.push_back(answer);
      return true;
    };
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }
  bool IsGone(std::size_t i) {
    const std::lock_guard lock(mutex_);
    return callers_[i].is_gone();
  }
  void Answer(std::size_t i) {
    const std::lock_guard lock(mutex_);
    answers_[i]({200, "text/plain", "held " + std::to_string(i)});
  }
  // Without an answer.
  void Forget() {
    const std::lock_guard lock(mutex_);
    answers_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<HttpCaller> callers_;
  std::vector<HttpAnswer> answers_;
};

class Http2Test : public ::testing::Test {
 protected:
  Http2Test() {
    TlsOptions tls;
    tls.cert_file = Path("tls.crt");
    tls.private_key_file = Path("tls.key");
    tls.client_ca_file = Path("ca.crt");
    tls.client_crl_file = Path("ca.crl");
    const TestCertificate server = Issue("server");
    Write(tls.cert_file, server.certificate_pem);
    Write(tls.private_key_file, server.key_pem);
    Write(tls.client_ca_file, authority_.certificate_pem);
    Revoke({});
    absl::StatusOr<std::unique_ptr<ServerTls>> loaded = ServerTls::Load(tls);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    tls_ = *std::move(loaded);
    options_.address = "127.0.0.1:0";
    options_.tls = tls_.get();
    options_.threads = 2;
  }

  static std::string Path(const std::string& name) {
    return ::testing::TempDir() + "/" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() +
           "-" + name;
  }

  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path + ".new") << content;
    ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
  }

  TestCertificate Issue(const std::string& name) const {
    return IssueTestCertificate(
        authority_,
        {.common_name = name, .dns_names = {}, .ip_addresses = {"127.0.0.1"}});
  }

  void Revoke(const std::vector<TestCertificate>& revoked) const {
    Write(Path("ca.crl"), MakeTestRevocationList(authority_, revoked));
  }

  std::unique_ptr<HttpServer> Started(HttpHandler handler = Echo) const {
    absl::StatusOr<std::unique_ptr<HttpServer>> server =
        HttpServer::Start(options_, std::move(handler));
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  const TestCertificate authority_ = MakeTestAuthority("ca");
  const TestCertificate scheduler_ = Issue("scheduler");
  std::unique_ptr<ServerTls> tls_;
  HttpServer::Options options_;
};

TEST_F(Http2Test, IsChosenIfTheClientOffersIt) {
  const auto server = Started();
  Http2Connection both(server->address(), scheduler_);
  EXPECT_EQ(both.protocol(), "h2");
  Http2Connection turned(server->address(), scheduler_, {"http/1.1", "h2"});
  EXPECT_EQ(turned.protocol(), "h2");
}

TEST_F(Http2Test, ClientsWithoutItAreAnsweredByHttp11) {
  const auto server = Started();
  using Protocols = std::vector<std::string>;
  for (const Protocols& offered :
       {Protocols{"http/1.1"}, Protocols{}, Protocols{"spdy/3"}}) {
    Http2Connection client(server->address(), scheduler_, offered);
    EXPECT_TRUE(client.protocol().empty() || client.protocol() == "http/1.1");
    EXPECT_TRUE(client.SendRaw(
        "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    EXPECT_EQ(client.ReceiveRaw().substr(0, 15), "HTTP/1.1 200 OK");
  }
}

TEST_F(Http2Test, GivesTheHandlerTheRequestAndItsClient) {
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  const std::int32_t stream = client.client().Ask("POST", "/x?query", "body");
  EXPECT_EQ(client.Await(stream).status, 200);
  EXPECT_EQ(client.Await(stream).body, "POST /x body by scheduler");
}

TEST_F(Http2Test, BodiesArePaddedForSimdjson) {
  const auto server = Started([](const HttpRequest& request) {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    const bool parsed =
        parser
            .iterate(request.body.data(), request.body.size(),
                     request.body.size() + simdjson::SIMDJSON_PADDING)
            .get(document) == simdjson::SUCCESS;
    return HttpResponse{parsed ? 200u : 400u, "text/plain", ""};
  });
  Http2Connection client(server->address(), scheduler_);
  for (std::size_t size = 1; size < 200; ++size) {
    const std::int32_t stream =
        client.client().Ask("POST", "/x", "\"" + std::string(size, 'x') + "\"");
    EXPECT_EQ(client.Await(stream).status, 200);
  }
}

TEST_F(Http2Test, RequestsOfOneConnectionRunOnAllThreads) {
  // Each waits for the other.
  std::atomic<int> running = 0;
  const auto server = Started([&](const HttpRequest& request) {
    ++running;
    const bool met = Await([&] { return running >= 2; });
    return HttpResponse{met ? 200u : 500u, "text/plain",
                        std::string(request.body)};
  });
  Http2Connection client(server->address(), scheduler_);
  const std::int32_t one = client.client().Ask("POST", "/x", "one");
  const std::int32_t other = client.client().Ask("POST", "/x", "other");
  EXPECT_EQ(client.Await(one).status, 200);
  EXPECT_EQ(client.Await(other).status, 200);
  EXPECT_EQ(client.Await(one).body, "one");
}

TEST_F(Http2Test, AnswersThatTakeLongKeepNoThreadAndNoOtherAnswer) {
  Held held;
  options_.threads = 1;
  options_.async_handler = held.Handler();
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  constexpr std::size_t kHeld = 100;
  std::vector<std::int32_t> streams;
  for (std::size_t i = 0; i < kHeld; ++i) {
    streams.push_back(client.client().Ask("POST", "/held"));
    ASSERT_TRUE(client.Await([&] { return held.size() == i + 1; }));
  }
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
  for (std::size_t i = kHeld; i-- > 0;) {
    held.Answer(i);
    EXPECT_EQ(client.Await(streams[i]).body, "held " + std::to_string(i));
  }
}

TEST_F(Http2Test, AHandlerThatForgetsToAnswerIsAnError) {
  Held held;
  options_.async_handler = held.Handler();
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  const std::int32_t stream = client.client().Ask("POST", "/held");
  ASSERT_TRUE(client.Await([&] { return held.size() == 1; }));
  held.Forget();
  EXPECT_EQ(client.Await(stream).status, 503);
}

TEST_F(Http2Test, ACallerThatHasGoneIsNoticed) {
  Held held;
  options_.async_handler = held.Handler();
  auto server = Started();
  auto client =
      std::make_unique<Http2Connection>(server->address(), scheduler_);
  const std::int32_t cancelled = client->client().Ask("POST", "/held");
  client->client().Ask("POST", "/held");
  ASSERT_TRUE(client->Await([&] { return held.size() == 2; }));
  EXPECT_FALSE(held.IsGone(0));
  client->client().Cancel(cancelled);
  EXPECT_TRUE(client->Await([&] { return held.IsGone(0) != held.IsGone(1); }));
  client.reset();  // Takes the other one with it.
  EXPECT_TRUE(Await([&] { return held.IsGone(0) && held.IsGone(1); }));
  held.Answer(0);  // These are dropped.
  server.reset();
  held.Answer(1);
}

TEST_F(Http2Test, DrainingLetsWhatHasBegunEnd) {
  Held held;
  options_.async_handler = held.Handler();
  const auto server = Started();
  Http2Connection idle(server->address(), scheduler_);
  EXPECT_EQ(idle.Await(idle.client().Ask("GET", "/x")).status, 200);
  Http2Connection busy(server->address(), scheduler_);
  const std::int32_t stream = busy.client().Ask("POST", "/held");
  ASSERT_TRUE(busy.Await([&] { return held.size() == 1; }));
  std::thread draining([&] { server->Drain(kPatience); });
  EXPECT_TRUE(idle.AwaitEnd());
  held.Answer(0);
  EXPECT_EQ(busy.Await(stream).body, "held 0");
  EXPECT_TRUE(busy.AwaitEnd());
  EXPECT_TRUE(busy.client().was_told_to_go_away());
  draining.join();
}

TEST_F(Http2Test, StopEndsTheConnectionWhateverItDoes) {
  Held held;
  options_.async_handler = held.Handler();
  const auto server = Started([](const HttpRequest&) {
    return HttpResponse{200, "text/plain", std::string(8 << 20, 'x')};
  });
  Http2Connection held_up(server->address(), scheduler_);
  held_up.client().Ask("POST", "/held");
  ASSERT_TRUE(held_up.Await([&] { return held.size() == 1; }));
  Http2Connection writing(server->address(), scheduler_);
  const std::int32_t stream = writing.client().Ask("GET", "/x");
  ASSERT_TRUE(writing.Await(
      [&] { return !writing.client().answer(stream).body.empty(); }));
  server->Stop();
  EXPECT_TRUE(held_up.AwaitEnd());
  EXPECT_TRUE(writing.AwaitEnd());
}

TEST_F(Http2Test, ARevokedClientGetsNoFurtherAnswer) {
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  Http2Connection other(server->address(), Issue("other"));
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
  Revoke({scheduler_});
  EXPECT_TRUE(Await([&] {
    return client.Await(client.client().Ask("GET", "/x")).status != 200;
  }));
  EXPECT_TRUE(client.AwaitEnd());
  EXPECT_EQ(other.Await(other.client().Ask("GET", "/x")).status, 200);
}

TEST_F(Http2Test, AnIdleConnectionIsClosedAtItsTime) {
  options_.idle_timeout = seconds(1);
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
  EXPECT_TRUE(client.AwaitEnd());
  EXPECT_TRUE(client.client().was_told_to_go_away());
}

TEST_F(Http2Test, ARequestThatStopsArrivingIsAnswered408AndTheOthersGoOn) {
  options_.request_timeout = seconds(1);
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  const std::int32_t slow = client.client().AskSlowly("/slow");
  client.client().GoOn(slow, "be", false);
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
  EXPECT_EQ(client.Await(slow).status, 408);
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
}

TEST_F(Http2Test, AClientThatDoesNotReadItsAnswersIsLeft) {
  options_.request_timeout = seconds(1);
  options_.max_connections = 1;
  std::atomic<int> asked = 0;
  const auto server = Started([&](const HttpRequest&) {
    ++asked;
    return HttpResponse{200, "text/plain", std::string(50 << 20, 'x')};
  });
  Http2Connection client(server->address(), scheduler_, {"h2"}, 64 << 20);
  // More than the buffers of a connection hold.
  client.client().Ask("GET", "/x");
  ASSERT_TRUE(client.Await([&] { return asked > 0; }));
  EXPECT_TRUE(Await([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Http2Connection(server->address(), scheduler_).protocol() == "h2";
  }));
}

TEST_F(Http2Test, WhoSpeaksSomethingElseIsLeft) {
  const auto server = Started();
  Http2Connection client(server->address(), scheduler_);
  EXPECT_TRUE(client.SendRaw("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(client.AwaitEnd());
  Http2Connection other(server->address(), scheduler_);
  EXPECT_EQ(other.Await(other.client().Ask("GET", "/x")).status, 200);
}

TEST_F(Http2Test, AnswersThatNobodyReadsDoNotFillTheMemory) {
  options_.max_unsent_bytes = 12 << 20;
  std::atomic<int> refused = 0;
  options_.on_refusal = [&refused](const char* limit) {
    EXPECT_STREQ(limit, "answers");
    ++refused;
  };
  const auto server = Started([](const HttpRequest&) {
    return HttpResponse{200, "text/plain", std::string(8 << 20, 'x')};
  });
  Http2Connection client(server->address(), scheduler_);
  const std::int32_t first = client.client().Ask("GET", "/x");
  ASSERT_TRUE(client.Await(
      [&] { return !client.client().answer(first).body.empty(); }));
  // Nothing is read until the next one is refused.
  const std::int32_t second = client.client().Ask("GET", "/x");
  ASSERT_TRUE(client.SendRaw(client.client().Output()));
  EXPECT_TRUE(Await([&] { return refused == 1; }));
  EXPECT_EQ(client.Await(second).status, 503);
  EXPECT_EQ(client.Await(first).body.size(), std::size_t{8} << 20);
  EXPECT_EQ(client.Await(client.client().Ask("GET", "/x")).status, 200);
}

}  // namespace
}  // namespace vicinal
