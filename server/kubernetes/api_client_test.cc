#include "server/kubernetes/api_client.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/protobuf.h"
#include "server/kubernetes/testing/test_certificates.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

const TestCertificate& Authority() {
  static const TestCertificate* const authority =
      new TestCertificate(MakeTestAuthority("cluster CA"));
  return *authority;
}

TestCertificate ServerCertificate() {
  return IssueTestCertificate(Authority(), {.common_name = "server",
                                            .dns_names = {},
                                            .ip_addresses = {"127.0.0.1"}});
}

TestHttpServerOptions WithCertificate(const TestCertificate& certificate) {
  TestHttpServerOptions options;
  options.certificate = certificate;
  return options;
}

ClientConfig ConfigFor(const TestHttpServer& server) {
  ClientConfig config;
  config.host = "127.0.0.1";
  config.port = server.port();
  config.certificate_authority_pem = Authority().certificate_pem;
  return config;
}

// Waits for ever, but for what a test sets.
ApiClientOptions Patient() {
  ApiClientOptions options;
  options.connect_timeout = std::chrono::hours(1);
  options.handshake_timeout = std::chrono::hours(1);
  options.response_timeout = std::chrono::hours(1);
  options.read_timeout = std::chrono::hours(1);
  return options;
}

// Whole documents that a stream gave, and how it ended: "OK" or a message.
struct Streamed {
  std::vector<std::string> lines;
  std::string end;
};

// An ApiClient with an io_context of its own, driven to the end of each call.
class Client {
 public:
  explicit Client(const ClientConfig& config,
                  const ApiClientOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<ApiClient>> client =
        ApiClient::Create(io_.get_executor(), config, options);
    EXPECT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }

  absl::StatusOr<ApiResponse> Get(const std::string& target) {
    return Await(client_->Get(target));
  }

  // The message of the error that a GET ends with.
  std::string ErrorOfGet() {
    const absl::StatusOr<ApiResponse> response = Get("/");
    return response.ok() ? "no error"
                         : std::string(response.status().message());
  }

  void AskAhead(const std::string& target) { Await(Asked(*client_, target)); }

  absl::StatusOr<ApiResponse> StartStream(const std::string& target) {
    return Await(client_->StartStream(target));
  }

  absl::StatusOr<std::string> NextDocuments() {
    return Await(Copied(*client_));
  }

  Streamed ReadStream() {
    Streamed streamed;
    for (;;) {
      const absl::StatusOr<std::string> lines = NextDocuments();
      if (!lines.ok() || lines->empty()) {
        streamed.end =
            lines.ok() ? "OK" : std::string(lines.status().message());
        return streamed;
      }
      size_t begin = 0;
      while (begin < lines->size()) {
        const size_t end = std::min(lines->find('\n', begin), lines->size());
        streamed.lines.push_back(lines->substr(begin, end - begin));
        begin = end + 1;
      }
    }
  }

 private:
  static ApiClient::Awaitable<bool> Asked(ApiClient& client,
                                          std::string target) {
    co_await client.AskAhead(std::move(target));
    co_return true;
  }

  static ApiClient::Awaitable<absl::StatusOr<std::string>> Copied(
      ApiClient& client) {
    const absl::StatusOr<simdjson::padded_string_view> lines =
        co_await client.NextDocuments();
    if (!lines.ok()) co_return lines.status();
    if (!lines->empty() && client.stream_encoding() == Encoding::kJson) {
      EXPECT_GE(lines->padding(), simdjson::SIMDJSON_PADDING);
    }
    co_return std::string(*lines);
  }

  template <typename T>
  T Await(ApiClient::Awaitable<T> call) {
    std::optional<T> result;
    boost::asio::co_spawn(io_, std::move(call),
                          [&](std::exception_ptr error, T value) {
                            EXPECT_EQ(error, nullptr);
                            result = std::move(value);
                          });
    io_.restart();
    io_.run();
    return *std::move(result);
  }

  boost::asio::io_context io_;
  std::unique_ptr<ApiClient> client_;
};

void Hello(const TestRequest&, TestReply& reply) { reply.Send(200, "hello"); }

TEST(ApiClientTest, GetsOverTlsWithTheHeadersOfAnApiClient) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  ClientConfig config = ConfigFor(server);
  config.path_prefix = "/prefix";
  config.token = "secret";
  Client client(config);
  const absl::StatusOr<ApiResponse> response =
      client.Get("/api/v1/pods?limit=1");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello");
  EXPECT_GE(response->body.capacity() - response->body.size(),
            simdjson::SIMDJSON_PADDING);
  ASSERT_EQ(server.requests().size(), 1u);
  const TestRequest request = server.requests()[0];
  EXPECT_EQ(request.target, "/prefix/api/v1/pods?limit=1");
  EXPECT_EQ(request.Header("accept"), "application/json");
  EXPECT_EQ(request.Header("user-agent"), "vicinal");
  EXPECT_EQ(request.Header("authorization"), "Bearer secret");
  EXPECT_EQ(request.Header("host"),
            "127.0.0.1:" + std::to_string(server.port()));
}

TEST(ApiClientTest, GetsWithoutTls) {
  TestHttpServer server({}, Hello);
  ClientConfig config = ConfigFor(server);
  config.tls = false;
  const absl::StatusOr<ApiResponse> response = Client(config).Get("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(server.requests()[0].headers.count("authorization"), 0u);
}

TEST(ApiClientTest, LooksUpTheHost) {
  const TestCertificate certificate = IssueTestCertificate(
      Authority(),
      {.common_name = "x", .dns_names = {"localhost"}, .ip_addresses = {}});
  TestHttpServer server(WithCertificate(certificate), Hello);
  ClientConfig config = ConfigFor(server);
  config.host = "localhost";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.host = "no-such-host.invalid";
  EXPECT_THAT(Client(config).ErrorOfGet(),
              StartsWith("look up no-such-host.invalid: "));
}

TEST(ApiClientTest, RefusesACertificateOfAnotherAuthority) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  ClientConfig config = ConfigFor(server);
  // Of the same name, to make sure that keys count.
  config.certificate_authority_pem =
      MakeTestAuthority("cluster CA").certificate_pem;
  EXPECT_THAT(Client(config).ErrorOfGet(),
              HasSubstr("certificate of \"127.0.0.1\" refused: "));
  config.certificate_authority_pem = "";  // the machine's authorities
  EXPECT_THAT(Client(config).ErrorOfGet(),
              HasSubstr("certificate of \"127.0.0.1\" refused: "));
  config.insecure_skip_tls_verify = true;
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(ApiClientTest, RefusesAnExpiredCertificateAndOneOfTheFuture) {
  using std::chrono::hours;
  TestHttpServer expired(WithCertificate(IssueTestCertificate(
                             Authority(), {.common_name = "server",
                                           .dns_names = {},
                                           .ip_addresses = {"127.0.0.1"},
                                           .valid_from = hours(-48),
                                           .valid_until = hours(-24)})),
                         Hello);
  EXPECT_THAT(Client(ConfigFor(expired)).ErrorOfGet(),
              HasSubstr("certificate has expired"));
  TestHttpServer future(WithCertificate(IssueTestCertificate(
                            Authority(), {.common_name = "server",
                                          .dns_names = {},
                                          .ip_addresses = {"127.0.0.1"},
                                          .valid_from = hours(24),
                                          .valid_until = hours(48)})),
                        Hello);
  EXPECT_THAT(Client(ConfigFor(future)).ErrorOfGet(),
              HasSubstr("not yet valid"));
}

TEST(ApiClientTest, AnAddressMustBeInTheCertificateAsAnAddress) {
  TestHttpServer other(WithCertificate(IssueTestCertificate(
                           Authority(), {.common_name = "127.0.0.1",
                                         .dns_names = {"127.0.0.1"},
                                         .ip_addresses = {"127.0.0.2"}})),
                       Hello);
  EXPECT_THAT(Client(ConfigFor(other)).ErrorOfGet(),
              HasSubstr("IP address mismatch"));
  TestHttpServer none(
      WithCertificate(IssueTestCertificate(
          Authority(),
          {.common_name = "127.0.0.1", .dns_names = {}, .ip_addresses = {}})),
      Hello);
  EXPECT_THAT(Client(ConfigFor(none)).ErrorOfGet(),
              HasSubstr("IP address mismatch"));
}

TEST(ApiClientTest, ANameMustBeInTheCertificateAsAName) {
  TestHttpServer server(
      WithCertificate(IssueTestCertificate(
          Authority(),
          {.common_name = "localhost",  // does not count
           .dns_names = {"kubernetes.default.svc", "*.wild.example"},
           .ip_addresses = {"127.0.0.1"}})),
      Hello);
  ClientConfig config = ConfigFor(server);
  config.host = "localhost";
  EXPECT_THAT(
      Client(config).ErrorOfGet(),
      HasSubstr("certificate of \"localhost\" refused: hostname mismatch"));
  config.tls_server_name = "kubernetes.default.svc";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.tls_server_name = "a.wild.example";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.tls_server_name = "a.b.wild.example";
  EXPECT_THAT(Client(config).ErrorOfGet(), HasSubstr("hostname mismatch"));
  config.tls_server_name = "127.0.0.1";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.tls_server_name = "127.0.0.9";
  EXPECT_THAT(Client(config).ErrorOfGet(), HasSubstr("IP address mismatch"));
}

TEST(ApiClientTest, ACommonNameIsNoName) {
  TestHttpServer server(
      WithCertificate(IssueTestCertificate(
          Authority(),
          {.common_name = "localhost", .dns_names = {}, .ip_addresses = {}})),
      Hello);
  ClientConfig config = ConfigFor(server);
  config.host = "localhost";
  EXPECT_THAT(Client(config).ErrorOfGet(), HasSubstr("hostname mismatch"));
}

TEST(ApiClientTest, AsksForTheNameThatItExpects) {
  TestHttpServer server(WithCertificate(IssueTestCertificate(
                            Authority(), {.common_name = "x",
                                          .dns_names = {"localhost", "inner"},
                                          .ip_addresses = {"127.0.0.1"}})),
                        Hello);
  ClientConfig config = ConfigFor(server);
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.host = "localhost";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  config.tls_server_name = "inner";
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  EXPECT_EQ(server.requests()[0].server_name, "");  // SNI carries no addresses
  EXPECT_EQ(server.requests()[1].server_name, "localhost");
  EXPECT_EQ(server.requests()[2].server_name, "inner");
}

TEST(ApiClientTest, TrustsACertificateThatIsNoRoot) {
  const TestCertificate certificate = ServerCertificate();
  TestHttpServer server(WithCertificate(certificate), Hello);
  ClientConfig config = ConfigFor(server);
  config.certificate_authority_pem = certificate.certificate_pem;
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
}

TEST(ApiClientTest, ShowsItsCertificate) {
  TestHttpServerOptions options = WithCertificate(ServerCertificate());
  options.client_authority_pem = Authority().certificate_pem;
  TestHttpServer server(options, Hello);
  ClientConfig config = ConfigFor(server);
  EXPECT_THAT(Client(config).ErrorOfGet(), HasSubstr("certificate required"));

  const TestCertificate stranger = IssueTestCertificate(
      MakeTestAuthority("other CA"),
      {.common_name = "stranger", .dns_names = {}, .ip_addresses = {}});
  config.client_certificate_pem = stranger.certificate_pem;
  config.client_key_pem = stranger.key_pem;
  EXPECT_NE(Client(config).ErrorOfGet(), "no error");

  const TestCertificate known = IssueTestCertificate(
      Authority(),
      {.common_name = "vicinal-client", .dns_names = {}, .ip_addresses = {}});
  config.client_certificate_pem = known.certificate_pem;
  config.client_key_pem = known.key_pem;
  EXPECT_EQ(Client(config).ErrorOfGet(), "no error");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].client_name, "vicinal-client");
}

TEST(ApiClientTest, TrustsTheAuthorityThatIsInTheFileNow) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  ClientConfig config = ConfigFor(server);
  config.certificate_authority_pem =
      MakeTestAuthority("old CA").certificate_pem;
  config.certificate_authority_file = testing::TempDir() + "api_client_ca";
  std::ofstream(config.certificate_authority_file)
      << config.certificate_authority_pem;
  Client client(config);
  EXPECT_THAT(client.ErrorOfGet(), HasSubstr("refused: "));
  std::ofstream(config.certificate_authority_file)
      << Authority().certificate_pem;
  EXPECT_EQ(client.ErrorOfGet(), "no error");
}

TEST(ApiClientTest, ShowsTheCertificateThatIsInTheFileNowAfterA401) {
  TestHttpServerOptions options = WithCertificate(ServerCertificate());
  options.client_authority_pem = Authority().certificate_pem;
  TestHttpServer server(
      options, [](const TestRequest& request, TestReply& reply) {
        reply.Send(request.client_name == "new" ? 200 : 401, "");
      });
  const auto issue = [](const char* name) {
    return IssueTestCertificate(
        Authority(),
        {.common_name = name, .dns_names = {}, .ip_addresses = {}});
  };
  ClientConfig config = ConfigFor(server);
  config.client_certificate_file = testing::TempDir() + "api_client_crt";
  config.client_key_file = testing::TempDir() + "api_client_key";
  const auto write = [&config](const TestCertificate& pair) {
    std::ofstream(config.client_certificate_file) << pair.certificate_pem;
    std::ofstream(config.client_key_file) << pair.key_pem;
  };
  const TestCertificate old = issue("old");
  config.client_certificate_pem = old.certificate_pem;
  config.client_key_pem = old.key_pem;
  write(old);
  Client client(config);
  EXPECT_EQ(client.Get("/")->status, 401);
  write(issue("new"));
  EXPECT_EQ(client.Get("/")->status, 200);
  EXPECT_EQ(client.Get("/")->status, 200);
  EXPECT_EQ(server.requests()[2].connection, 2);  // Kept: it was welcome.
}

TEST(ApiClientTest, NamesACertificateThatCannotBeUsed) {
  boost::asio::io_context io;
  ClientConfig config;
  config.certificate_authority_pem = "nonsense";
  EXPECT_EQ(ApiClient::Create(io.get_executor(), config, {}).status().message(),
            "certificate authority: contains no PEM certificate");
}

TEST(ApiClientTest, SendsTheTokenThatIsInTheFileNow) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  ClientConfig config = ConfigFor(server);
  config.token_file = testing::TempDir() + "api_client_token";
  std::ofstream(config.token_file) << "first";
  Client client(config);
  ASSERT_TRUE(client.Get("/").ok());
  std::ofstream(config.token_file) << "second";
  ASSERT_TRUE(client.Get("/").ok());
  EXPECT_EQ(server.requests()[0].Header("authorization"), "Bearer first");
  EXPECT_EQ(server.requests()[1].Header("authorization"), "Bearer second");
}

TEST(ApiClientTest, ReadsTheTokenAgainAfterA401) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest& request, TestReply& reply) {
                          const bool ok =
                              request.Header("authorization") == "Bearer new";
                          reply.Send(ok ? 200 : 401, "");
                        });
  ClientConfig config = ConfigFor(server);
  config.token_file = testing::TempDir() + "api_client_401_token";
  std::ofstream(config.token_file) << "old";
  Client client(config);
  EXPECT_EQ(client.Get("/")->status, 401);
  // A change that the file's metadata does not show.
  struct stat before = {};
  ASSERT_EQ(stat(config.token_file.c_str(), &before), 0);
  std::ofstream(config.token_file) << "new";
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, config.token_file.c_str(), times, 0), 0);
  EXPECT_EQ(client.Get("/")->status, 200);
}

TEST(ApiClientTest, SaysThatTheTokenFileIsMissing) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  ClientConfig config = ConfigFor(server);
  config.token_file = "/nowhere/token";
  EXPECT_EQ(Client(config).ErrorOfGet(),
            "token file /nowhere/token: No such file or directory");
}

TEST(ApiClientTest, KeepsItsConnection) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  Client client(ConfigFor(server));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.Get("/").ok());
  EXPECT_EQ(server.requests()[2].connection, 1);
}

TEST(ApiClientTest, ReplacesAConnectionThatTheServerHasClosed) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Hello);
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.Get("/").ok());
  server.CutAll();
  const absl::StatusOr<ApiResponse> response = client.Get("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(server.requests()[1].connection, 2);
}

// Answers with the target.
void Echo(const TestRequest& request, TestReply& reply) {
  reply.Send(200, request.target);
}

TEST(ApiClientTest, AsksAheadOfTheGetThatTakesTheAnswer) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Echo);
  Client client(ConfigFor(server));
  client.AskAhead("/1");  // There is no connection yet.
  ASSERT_EQ(client.Get("/1")->body, "/1");
  client.AskAhead("/2");
  ASSERT_TRUE(server.WaitForRequests(2));
  ASSERT_EQ(client.Get("/2")->body, "/2");
  ASSERT_EQ(client.Get("/3")->body, "/3");
  const std::vector<TestRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[2].connection, 1);
}

TEST(ApiClientTest, NeverTakesTheAnswerToAnotherRequestThanItsOwn) {
  TestHttpServer server(WithCertificate(ServerCertificate()), Echo);
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.Get("/1").ok());
  client.AskAhead("/2");
  EXPECT_EQ(client.Get("/3")->body, "/3");
  client.AskAhead("/4");
  client.AskAhead("/5");
  EXPECT_EQ(client.Get("/5")->body, "/5");
  client.AskAhead("/lines");
  ASSERT_TRUE(client.StartStream("/stream").ok());
  EXPECT_THAT(client.ReadStream().lines, testing::ElementsAre("/stream"));
}

TEST(ApiClientTest, AsksAgainIfTheConnectionIsCutBeforeTheAnswer) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest& request, TestReply& reply) {
                          if (request.connection > 1 || request.target == "/1")
                            Echo(request, reply);
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.Get("/1").ok());
  client.AskAhead("/2");
  ASSERT_TRUE(server.WaitForRequests(2));
  server.CutAll();
  const absl::StatusOr<ApiResponse> response = client.Get("/2");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "/2");
  EXPECT_EQ(server.requests().back().connection, 2);
}

TEST(ApiClientTest, DoesNotKeepAConnectionThatTheServerWillClose) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.Send(200, "hello", {{"Connection", "close"}});
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.Get("/").ok());
  ASSERT_TRUE(client.Get("/").ok());
  EXPECT_EQ(server.requests()[1].connection, 2);
}

TEST(ApiClientTest, GivesAnAnswerOfAnyStatus) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest& request, TestReply& reply) {
        if (request.path == "/busy") {
          reply.Send(429, "slow down", {{"Retry-After", "7"}});
        } else {
          reply.Send(503, "", {{"Retry-After", "tomorrow"}});
        }
      });
  Client client(ConfigFor(server));
  const absl::StatusOr<ApiResponse> busy = client.Get("/busy");
  ASSERT_TRUE(busy.ok()) << busy.status();
  EXPECT_EQ(busy->status, 429);
  EXPECT_EQ(busy->body, "slow down");
  EXPECT_EQ(busy->retry_after, std::chrono::seconds(7));
  const absl::StatusOr<ApiResponse> down = client.StartStream("/");
  ASSERT_TRUE(down.ok()) << down.status();
  EXPECT_EQ(down->status, 503);
  EXPECT_EQ(down->retry_after, std::nullopt);
}

TEST(ApiClientTest, RefusesABodyBeyondItsBound) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest& request, TestReply& reply) {
        if (request.path == "/length") {
          reply.Send(200, std::string(2000, 'x'));
        } else if (request.path == "/huge") {
          reply.SendRaw(
              "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n");
        } else {
          reply.StartChunks();
          for (int i = 0; i < 20; ++i) reply.Chunk(std::string(100, 'x'));
          reply.EndChunks();
        }
      });
  ApiClientOptions options;
  options.max_body_bytes = 1000;
  Client client(ConfigFor(server), options);
  EXPECT_THAT(std::string(client.Get("/length").status().message()),
              HasSubstr("body limit exceeded"));
  EXPECT_THAT(std::string(client.Get("/huge").status().message()),
              HasSubstr("body limit exceeded"));
  EXPECT_THAT(std::string(client.StartStream("/huge").status().message()),
              HasSubstr("body limit exceeded"));
  EXPECT_EQ(client.Get("/chunks").status().message(),
            "the answer is larger than 1000 bytes");
}

TEST(ApiClientTest, AnAnswerThatBreaksOffIsAnError) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest& request, TestReply& reply) {
        if (request.path == "/head") reply.SendRaw("HTTP/1.1 200 O");
        if (request.path == "/length") {
          reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
        }
        if (request.path == "/chunks") {
          reply.StartChunks();
          reply.Chunk("12345");
        }
        if (request.path == "/eof")
          reply.SendRaw("HTTP/1.1 200 OK\r\n\r\n12345");
        reply.Cut();
      });
  Client client(ConfigFor(server));
  for (const char* target :
       {"/nothing", "/head", "/length", "/chunks", "/eof"}) {
    const absl::StatusOr<ApiResponse> response = client.Get(target);
    EXPECT_FALSE(response.ok()) << target;
    EXPECT_THAT(std::string(response.status().message()),
                StartsWith("read from 127.0.0.1:"))
        << target;
  }
}

TEST(ApiClientTest, AnAnswerThatIsNotHttpIsAnError) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.SendRaw("SSH-2.0-OpenSSH_9.2\r\n\r\n");
                          reply.WaitUntilGone();
                        });
  EXPECT_THAT(Client(ConfigFor(server)).ErrorOfGet(),
              StartsWith("answer of 127.0.0.1:"));
}

TEST(ApiClientTest, SaysThatNobodyListens) {
  ClientConfig config;
  config.host = "127.0.0.1";
  {
    const TestHttpServer gone({}, Hello);
    config.port = gone.port();
  }
  EXPECT_EQ(Client(config).ErrorOfGet(),
            "connect to 127.0.0.1:" + std::to_string(config.port) +
                ": Connection refused");
}

TEST(ApiClientTest, WaitsForAServerThatIsSlowToAccept) {
  TestHttpServerOptions options = WithCertificate(ServerCertificate());
  options.accept_delay = milliseconds(300);
  TestHttpServer server(options, Hello);
  EXPECT_EQ(Client(ConfigFor(server)).ErrorOfGet(), "no error");
}

TEST(ApiClientTest, HandshakeTimesOut) {
  TestHttpServerOptions server_options = WithCertificate(ServerCertificate());
  server_options.accept_delay = std::chrono::hours(1);
  TestHttpServer server(server_options, Hello);
  ApiClientOptions options = Patient();
  options.handshake_timeout = milliseconds(100);
  EXPECT_EQ(Client(ConfigFor(server), options).ErrorOfGet(),
            "TLS handshake with 127.0.0.1:" + std::to_string(server.port()) +
                ": timed out");
}

TEST(ApiClientTest, TheHeadOfAnAnswerTimesOutHoweverSlowlyItTrickles) {
  std::atomic<bool> done{false};
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [&](const TestRequest& request, TestReply& reply) {
                          if (request.path == "/") return reply.WaitUntilGone();
                          reply.SendRaw("HTTP/1.1 200 OK\r\n");
                          while (!done) {
                            reply.SendRaw("X-Header: x\r\n");
                            std::this_thread::sleep_for(milliseconds(20));
                          }
                          reply.Cut();
                        });
  ApiClientOptions options = Patient();
  options.response_timeout = milliseconds(200);
  EXPECT_THAT(Client(ConfigFor(server), options).ErrorOfGet(),
              HasSubstr("timed out"));
  Client client(ConfigFor(server), options);
  EXPECT_THAT(std::string(client.Get("/trickle").status().message()),
              HasSubstr("timed out"));
  done = true;
}

TEST(ApiClientTest, ABodyThatStopsTimesOut) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest&, TestReply& reply) {
        reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
        reply.WaitUntilGone();
      });
  ApiClientOptions options = Patient();
  options.read_timeout = milliseconds(200);
  EXPECT_THAT(Client(ConfigFor(server), options).ErrorOfGet(),
              HasSubstr("timed out"));
}

TEST(ApiClientTest, StreamsLinesAsTheyArrive) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          reply.Chunk("{\"a\":1}\n{\"b\":2}\n{\"c\"");
                          reply.Chunk(":3}");
                          reply.Chunk("\n");
                          reply.EndChunks();
                        });
  Client client(ConfigFor(server));
  const absl::StatusOr<ApiResponse> response = client.StartStream("/watch");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "");
  const Streamed streamed = client.ReadStream();
  EXPECT_THAT(streamed.lines,
              testing::ElementsAre("{\"a\":1}", "{\"b\":2}", "{\"c\":3}"));
  EXPECT_EQ(streamed.end, "OK");
}

TEST(ApiClientTest, GivesALineWithoutWaitingForTheNext) {
  std::atomic<bool> release{false};
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [&](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          reply.Chunk("one\n");
                          while (!release)
                            std::this_thread::sleep_for(milliseconds(1));
                          reply.Chunk("two\nthr");
                          reply.EndChunks();
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/").ok());
  EXPECT_EQ(*client.NextDocuments(), "one\n");
  release = true;
  EXPECT_EQ(*client.NextDocuments(), "two\n");
  EXPECT_EQ(*client.NextDocuments(), "thr");  // at the orderly end
  EXPECT_EQ(*client.NextDocuments(), "");
  EXPECT_FALSE(client.NextDocuments().ok());
}

TEST(ApiClientTest, PutsALineOfMegabytesTogetherFromTinyChunks) {
  const std::string line(5 << 20, 'x');
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [&](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          std::string chunks;
                          for (size_t i = 0; i < line.size(); i += 16) {
                            chunks += "10\r\n" + line.substr(i, 16) + "\r\n";
                          }
                          reply.SendRaw(chunks);
                          reply.Chunk("\nnext\n");
                          reply.EndChunks();
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/").ok());
  const Streamed streamed = client.ReadStream();
  ASSERT_EQ(streamed.lines.size(), 2u) << streamed.end;
  EXPECT_TRUE(streamed.lines[0] == line);
  EXPECT_EQ(streamed.lines[1], "next");
}

TEST(ApiClientTest, RefusesALineBeyondItsBound) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          reply.Chunk("short\n");
                          for (int i = 0; i < 50; ++i)
                            reply.Chunk(std::string(1000, 'x'));
                          reply.WaitUntilGone();
                        });
  ApiClientOptions options;
  options.max_line_bytes = 20000;
  Client client(ConfigFor(server), options);
  ASSERT_TRUE(client.StartStream("/").ok());
  const Streamed streamed = client.ReadStream();
  EXPECT_THAT(streamed.lines, testing::ElementsAre("short"));
  EXPECT_EQ(streamed.end, "a line is longer than 20000 bytes");
}

TEST(ApiClientTest, AStreamThatIsCutIsAnErrorAndItsLastPartIsDropped) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          reply.Chunk("whole\npart");
                          reply.Cut();
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/").ok());
  const Streamed streamed = client.ReadStream();
  EXPECT_THAT(streamed.lines, testing::ElementsAre("whole"));
  EXPECT_THAT(streamed.end, StartsWith("read from 127.0.0.1:"));
}

TEST(ApiClientTest, AStreamMayBeSilentForLongerThanAnAnswer) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest&, TestReply& reply) {
                          reply.StartChunks();
                          reply.Chunk("one\n");
                          std::this_thread::sleep_for(milliseconds(100));
                          reply.Chunk("two\n");
                          reply.EndChunks();
                        });
  ApiClientOptions options = Patient();
  options.read_timeout = milliseconds(10);
  Client client(ConfigFor(server), options);
  ASSERT_TRUE(client.StartStream("/").ok());
  const Streamed streamed = client.ReadStream();
  EXPECT_THAT(streamed.lines, testing::ElementsAre("one", "two"));
}

TEST(ApiClientTest, GoesOnOverTheSameConnectionAfterAStream) {
  TestHttpServer server(WithCertificate(ServerCertificate()),
                        [](const TestRequest& request, TestReply& reply) {
                          if (request.path != "/watch")
                            return reply.Send(200, "hello");
                          reply.StartChunks();
                          reply.Chunk("one\n");
                          reply.EndChunks();
                        });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/watch").ok());
  EXPECT_EQ(client.ReadStream().end, "OK");
  ASSERT_TRUE(client.Get("/").ok());
  EXPECT_EQ(server.requests()[1].connection, 1);
}

TEST(ApiClientTest, AStreamMayBeLeft) {
  std::atomic<bool> release{false};
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [&](const TestRequest& request, TestReply& reply) {
        if (request.path != "/watch") return reply.Send(200, "hello");
        reply.StartChunks();
        reply.Chunk("one\n");
        while (!release) std::this_thread::sleep_for(milliseconds(1));
        reply.Chunk("two\n");  // must not be taken for an answer
        release = false;
        reply.WaitUntilGone();
      });
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/watch").ok());
  EXPECT_EQ(*client.NextDocuments(), "one\n");
  release = true;
  while (release) std::this_thread::sleep_for(milliseconds(1));
  const absl::StatusOr<ApiResponse> response = client.Get("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "hello");
}

// A server that streams these pieces as protobuf, and then ends or waits.
TestHttpServer::Handler Frames(const std::vector<std::string>& pieces,
                               bool ends) {
  return [pieces, ends](const TestRequest&, TestReply& reply) {
    reply.StartChunks(200, "application/vnd.kubernetes.protobuf;stream=watch");
    for (const std::string& piece : pieces) reply.Chunk(piece);
    if (ends) {
      reply.EndChunks();
    } else {
      reply.WaitUntilGone();
    }
  };
}

TEST(ApiClientTest, AsksForWhatIsWanted) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest&, TestReply& reply) { reply.Send(200, "{}"); });
  ApiClientOptions options;
  options.wanted = Encoding::kProtobuf;
  const absl::StatusOr<ApiResponse> response =
      Client(ConfigFor(server), options).Get("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->encoding, Encoding::kJson);
  EXPECT_TRUE(Client(ConfigFor(server)).Get("/").ok());
  EXPECT_EQ(server.requests()[0].Header("accept"),
            "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(server.requests()[1].Header("accept"), "application/json");
}

TEST(ApiClientTest, TellsTheEncodingOfAnAnswer) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      [](const TestRequest&, TestReply& reply) {
        reply.Send(200, "k8s",
                   {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
      });
  const absl::StatusOr<ApiResponse> response =
      Client(ConfigFor(server)).Get("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->encoding, Encoding::kProtobuf);
}

TEST(ApiClientTest, StreamsWholeFrames) {
  const std::string frames = Frame("one") + Frame("") + Frame("t\no");
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      Frames({frames.substr(0, 2), frames.substr(2, 7), frames.substr(9)},
             true));
  Client client(ConfigFor(server));
  const absl::StatusOr<ApiResponse> response = client.StartStream("/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->encoding, Encoding::kProtobuf);
  std::string read;
  for (;;) {
    const absl::StatusOr<std::string> some = client.NextDocuments();
    ASSERT_TRUE(some.ok()) << some.status();
    if (some->empty()) break;
    read += *some;
  }
  EXPECT_EQ(read, frames);
}

TEST(ApiClientTest, AStreamThatEndsInAFrameIsAnError) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      Frames({Frame("one") + Frame("two").substr(0, 5)}, true));
  Client client(ConfigFor(server));
  ASSERT_TRUE(client.StartStream("/").ok());
  EXPECT_EQ(*client.NextDocuments(), Frame("one"));
  const absl::Status end = client.NextDocuments().status();
  EXPECT_EQ(end.message(), "the stream ends in a frame");
}

TEST(ApiClientTest, RefusesAFrameBeyondItsBoundAtItsHeader) {
  TestHttpServer server(
      WithCertificate(ServerCertificate()),
      Frames({Frame("short") + std::string("\x00\x00\x4e\x21", 4)}, false));
  ApiClientOptions options;
  options.max_line_bytes = 20000;
  Client client(ConfigFor(server), options);
  ASSERT_TRUE(client.StartStream("/").ok());
  EXPECT_EQ(*client.NextDocuments(), Frame("short"));
  EXPECT_EQ(client.NextDocuments().status().message(),
            "a frame is longer than 20000 bytes");
}

}  // namespace
}  // namespace vicinal
