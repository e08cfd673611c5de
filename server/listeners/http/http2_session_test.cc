#include "server/listeners/http/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "server/listeners/http/testing/http2_client.h"

namespace vicinal {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// The error codes of RFC 9113, section 7.
constexpr std::uint32_t kNoError = 0;
constexpr std::uint32_t kRefusedStream = 7;
constexpr std::uint32_t kCancel = 8;

// A client and a session, whose bytes go to and fro.
class Http2SessionTest : public ::testing::Test {
 protected:
  static constexpr Http2Session::Limits kLimits{.max_header_bytes = 4096,
                                                .max_body_bytes = 100'000,
                                                .timeout = seconds(30)};

  // Until neither has anything to say. Returns the whole requests.
  std::vector<Http2Session::Request> Exchange() {
    std::vector<Http2Session::Request> requests;
    while (true) {
      const std::string asked = client_.Output();
      EXPECT_TRUE(session_.Receive(asked, now_).ok());
      for (auto& request : session_.TakeRequests()) {
        requests.push_back(std::move(request));
      }
      std::string told;
      session_.AppendOutput(told);
      if (asked.empty() && told.empty()) return requests;
      client_.Receive(told);
    }
  }

  void Answer(std::int32_t stream, HttpResponse answer) {
    Budget::Share share = unsent_.Take(answer.body.size());
    ASSERT_TRUE(share.ok());
    session_.Answer(stream, std::move(answer), std::move(share), now_);
  }

  bool NothingIsUnsent() { return unsent_.Take(kUnsentBytes).ok(); }

  static constexpr std::size_t kUnsentBytes = 10 << 20;
  Http2Session::TimePoint now_{};
  Budget unsent_{kUnsentBytes};
  Http2Session session_{kLimits};
  Http2Client client_;
};

TEST_F(Http2SessionTest, GivesTheWholeRequestAndSendsTheAnswer) {
  const std::int32_t stream = client_.Ask("POST", "/filter?x=1", "body");
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, "/filter?x=1");
  EXPECT_EQ(requests[0].body, "body");
  EXPECT_FALSE(*requests[0].is_gone);
  EXPECT_TRUE(session_.busy());
  Answer(requests[0].stream, {200, "text/plain", "answer"});
  Exchange();
  const Http2Answer& answer = client_.answer(stream);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "answer");
  EXPECT_EQ(answer.fields.at("content-type"), "text/plain");
  EXPECT_EQ(answer.fields.at("content-length"), "6");
  EXPECT_TRUE(answer.closed);
  EXPECT_EQ(answer.error, kNoError);
  EXPECT_FALSE(session_.busy());
  EXPECT_TRUE(NothingIsUnsent());
}

TEST_F(Http2SessionTest, RequestsOfOneConnectionAreAnsweredInAnyOrder) {
  std::vector<std::int32_t> streams;
  for (std::size_t i = 0; i < Http2Session::kMaxStreams; ++i) {
    streams.push_back(client_.Ask("POST", "/x", std::to_string(i)));
  }
  auto requests = Exchange();
  ASSERT_EQ(requests.size(), streams.size());
  for (std::size_t i = requests.size(); i-- > 0;) {
    Answer(requests[i].stream, {200, "text/plain", requests[i].body});
    Exchange();
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    EXPECT_EQ(client_.answer(streams[i]).body, std::to_string(i));
  }
}

TEST_F(Http2SessionTest, MoreThanTheMostRequestsAtATimeWaitInTheClient) {
  Exchange();  // The client knows the limit.
  for (std::size_t i = 0; i < Http2Session::kMaxStreams; ++i) {
    client_.Ask("GET", "/x");
  }
  auto requests = Exchange();
  const std::int32_t late = client_.Ask("GET", "/late");
  EXPECT_TRUE(Exchange().empty());
  Answer(requests[0].stream, {});
  requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].stream, late);
}

TEST_F(Http2SessionTest, WhoResetsRequestsDoesNotGetMoreHandlersToRun) {
  std::vector<Http2Session::Request> running;
  for (std::size_t i = 0; i < Http2Session::kMaxStreams; ++i) {
    client_.Ask("GET", "/x");
  }
  running = Exchange();
  ASSERT_EQ(running.size(), Http2Session::kMaxStreams);
  for (const auto& request : running) client_.Cancel(request.stream);
  Exchange();
  for (const auto& request : running) EXPECT_TRUE(*request.is_gone);
  const std::int32_t refused = client_.Ask("GET", "/x");
  EXPECT_TRUE(Exchange().empty());
  EXPECT_TRUE(client_.answer(refused).closed);
  EXPECT_EQ(client_.answer(refused).error, kRefusedStream);
  // As soon as a handler is ready there is room again.
  Answer(running[7].stream, {});
  client_.Ask("GET", "/y");
  EXPECT_EQ(Exchange().size(), 1u);
  EXPECT_TRUE(NothingIsUnsent());
}

TEST_F(Http2SessionTest, AnAnswerToNobodyIsDropped) {
  const std::int32_t stream = client_.Ask("GET", "/x");
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  client_.Cancel(stream);
  Exchange();
  EXPECT_TRUE(*requests[0].is_gone);
  EXPECT_TRUE(session_.busy());  // Its handler runs.
  Answer(stream, {200, "text/plain", "x"});
  EXPECT_FALSE(session_.busy());
  EXPECT_TRUE(NothingIsUnsent());
  Exchange();
  EXPECT_EQ(client_.answer(stream).status, 0);
}

TEST_F(Http2SessionTest, TheEndOfTheSessionTellsThatNobodyWaits) {
  std::optional<Http2Session> session(kLimits);
  client_.Ask("GET", "/x");
  ASSERT_TRUE(session->Receive(client_.Output(), now_).ok());
  const auto requests = session->TakeRequests();
  ASSERT_EQ(requests.size(), 1u);
  session.reset();
  EXPECT_TRUE(*requests[0].is_gone);
}

TEST_F(Http2SessionTest, TheAnswerToHeadHasNoBody) {
  const std::int32_t stream = client_.Ask("HEAD", "/x");
  Answer(Exchange().at(0).stream, {200, "text/plain", "answer"});
  Exchange();
  EXPECT_EQ(client_.answer(stream).fields.at("content-length"), "6");
  EXPECT_EQ(client_.answer(stream).body, "");
  EXPECT_TRUE(client_.answer(stream).closed);
}

TEST_F(Http2SessionTest, Status405SaysWhatIsAllowed) {
  const std::int32_t stream = client_.Ask("GET", "/x");
  Answer(Exchange().at(0).stream, {405, "text/plain", "no", "POST"});
  Exchange();
  EXPECT_EQ(client_.answer(stream).fields.at("allow"), "POST");
}

TEST_F(Http2SessionTest, AnAnswerThatTheClientHasIsNotSentAgain) {
  const std::int32_t stream =
      client_.AskWith("/x", {{"if-none-match", "\"1\""}});
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].if_none_match, "\"1\"");
  HttpResponse response{304, "", ""};
  response.headers = {{"etag", "\"1\""}};
  Answer(requests[0].stream, response);
  Exchange();
  const Http2Answer& answer = client_.answer(stream);
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.fields.at("etag"), "\"1\"");
  EXPECT_EQ(answer.fields.count("content-length"), 0u);
  EXPECT_TRUE(answer.closed);
}

TEST_F(Http2SessionTest, LargeBodiesGoBothWays) {
  const std::string body(kLimits.max_body_bytes, 'b');
  const std::int32_t stream = client_.Ask("POST", "/x", body);
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].body, body);
  // More than the client's window.
  const std::string answer(8 << 20, 'a');
  Answer(stream, {200, "text/plain", answer});
  Exchange();
  EXPECT_EQ(client_.answer(stream).body, answer);
}

TEST_F(Http2SessionTest, ABodyOverTheLimitIsRefusedAndTheOthersGoOn) {
  const std::string much(kLimits.max_body_bytes - 10, 'b');
  const std::int32_t first = client_.Ask("POST", "/first", much);
  EXPECT_EQ(Exchange().size(), 1u);
  // Together they are more than the limit.
  const std::int32_t second = client_.AskSlowly("/second");
  client_.GoOn(second, "more than ten", false);
  EXPECT_TRUE(Exchange().empty());
  EXPECT_EQ(client_.answer(second).status, 413);
  EXPECT_THAT(client_.answer(second).body, HasSubstr("too large"));
  EXPECT_TRUE(client_.answer(second).closed);
  EXPECT_EQ(client_.answer(second).error, kNoError);
  Answer(first, {});
  Exchange();
  EXPECT_EQ(client_.answer(first).status, 200);
  // The room is there again.
  client_.Ask("POST", "/third", much);
  EXPECT_EQ(Exchange().size(), 1u);
}

TEST_F(Http2SessionTest, ABodyThatIsGivenUpGivesItsRoomBack) {
  for (int i = 0; i < 3; ++i) {
    const std::int32_t stream = client_.AskSlowly("/x");
    client_.GoOn(stream, std::string(kLimits.max_body_bytes - 10, 'b'), false);
    EXPECT_TRUE(Exchange().empty());
    EXPECT_EQ(client_.answer(stream).status, 0);
    client_.Cancel(stream);
    Exchange();
    EXPECT_FALSE(session_.busy());
  }
}

TEST_F(Http2SessionTest, AHeaderOverTheLimitIsRefused) {
  const std::int32_t large =
      client_.AskWith("/x", {{"a", std::string(4096, 'a')}});
  // Each field costs, however short it is.
  const std::int32_t many = client_.AskWith(
      "/x", {200, std::pair<std::string, std::string>("a", "")});
  const std::int32_t good =
      client_.AskWith("/x", {{"a", std::string(2000, 'a')}});
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].stream, good);
  EXPECT_EQ(client_.answer(large).status, 431);
  EXPECT_EQ(client_.answer(many).status, 431);
}

TEST_F(Http2SessionTest, ARequestThatStopsArrivingIsAnswered408) {
  const std::int32_t slow = client_.AskSlowly("/slow");
  client_.GoOn(slow, "be", false);
  Exchange();
  now_ += seconds(20);
  const std::int32_t other = client_.AskSlowly("/other");
  Exchange();
  now_ += seconds(11);
  session_.Expire(now_);
  Exchange();
  EXPECT_EQ(client_.answer(slow).status, 408);
  EXPECT_TRUE(client_.answer(slow).closed);
  client_.GoOn(other, "whole", true);
  const auto requests = Exchange();
  ASSERT_EQ(requests.size(), 1u);
  // A handler may take as long as it wants.
  now_ += seconds(100);
  session_.Expire(now_);
  Answer(other, {});
  Exchange();
  EXPECT_EQ(client_.answer(other).status, 200);
}

TEST_F(Http2SessionTest, AnAnswerThatIsNotTakenIsGivenUp) {
  Http2Client client(10);  // Takes ten bytes, and then does not read.
  const std::int32_t stream = client.Ask("GET", "/x");
  ASSERT_TRUE(session_.Receive(client.Output(), now_).ok());
  ASSERT_EQ(session_.TakeRequests().size(), 1u);
  Answer(stream, {200, "text/plain", std::string(1000, 'a')});
  std::string output;
  session_.AppendOutput(output);
  now_ += seconds(31);
  session_.Expire(now_);
  session_.AppendOutput(output);
  EXPECT_FALSE(session_.busy());
  EXPECT_TRUE(NothingIsUnsent());
  client.Receive(output);
  EXPECT_EQ(client.answer(stream).body, std::string(10, 'a'));
  EXPECT_EQ(client.answer(stream).error, kCancel);
}

TEST_F(Http2SessionTest, GoingAwayLetsTheRequestsThatHaveBegunEnd) {
  const std::int32_t begun = client_.Ask("GET", "/x");
  EXPECT_EQ(Exchange().size(), 1u);
  session_.GoAway();
  session_.GoAway();
  Exchange();
  EXPECT_TRUE(client_.was_told_to_go_away());
  EXPECT_FALSE(session_.at_end());
  Answer(begun, {});
  Exchange();
  EXPECT_EQ(client_.answer(begun).status, 200);
  EXPECT_TRUE(session_.at_end());
}

TEST_F(Http2SessionTest, PingsAreAnswered) {
  client_.Ping();
  Exchange();
  EXPECT_EQ(client_.pings_answered(), 1);
}

TEST_F(Http2SessionTest, AFloodOfWhatHasToBeAcknowledgedEndsTheConnection) {
  // The client does not read the answers.
  absl::Status status;
  for (int i = 0; i < 10'000 && status.ok(); ++i) {
    client_.Ping();
    status = session_.Receive(client_.Output(), now_);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("Flooding"));
}

TEST_F(Http2SessionTest, WhoSpeaksSomethingElseIsRefused) {
  const absl::Status status =
      session_.Receive("GET /x HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("HTTP/2: "));
}

// Whatever arrives, the session neither crashes nor keeps anything.
TEST_F(Http2SessionTest, AnyBytesDoNoHarm) {
  const char* const given = std::getenv("VICINAL_SEED");
  const unsigned seed = given == nullptr ? std::random_device()()
                                         : std::strtoul(given, nullptr, 10);
  SCOPED_TRACE("VICINAL_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int history = 0; history < 300; ++history) {
    Http2Client client;
    for (int i = 0; i < 5; ++i) client.Ask("POST", "/x", "body");
    client.AskWith("/y", {{"field", "value"}});
    client.AskSlowly("/z");
    client.Ping();
    std::string bytes = client.Output();
    for (unsigned changes = random() % 8; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Http2Session session(kLimits);
    std::string output;
    absl::Status status;
    for (std::size_t at = 0; at < bytes.size() && status.ok();) {
      const std::size_t size = 1 + random() % 200;
      status = session.Receive(std::string_view(bytes).substr(at, size), now_);
      at += size;
      for (const auto& request : session.TakeRequests()) {
        HttpResponse answer{200, "text/plain", std::string(random() % 99, 'a')};
        Budget::Share share = unsent_.Take(answer.body.size());
        session.Answer(request.stream, std::move(answer), std::move(share),
                       now_);
      }
      session.AppendOutput(output);
    }
    session.Expire(now_ + seconds(100));
    session.AppendOutput(output);
    session.Expire(now_ + seconds(200));
    session.AppendOutput(output);
    if (status.ok() && !session.at_end()) {
      EXPECT_FALSE(session.busy());
    }
  }
  EXPECT_TRUE(NothingIsUnsent());
}

}  // namespace
}  // namespace vicinal
