#include "server/kubernetes/pod_status_writer.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class PodStatusWriterTest : public testing::Test {
 protected:
  // What becomes of a write that the API server answers so.
  absl::Status Write(const std::string& node, int status = 200,
                     const std::string& body = "{}") {
    TestHttpServer server({}, [&](const TestRequest&, TestReply& reply) {
      reply.Send(status, body);
    });
    const ClientConfig config = PlainConfigOf(server);
    const auto client = BlockingApiClient::Create(config, {});
    EXPECT_TRUE(client.ok()) << client.status();
    const absl::Status result =
        PodStatusWriter(**client).SetNominatedNodeName(pod_, node);
    requests_ = server.requests();
    return result;
  }

  ObjectMeta pod_ = [] {
    ObjectMeta pod;
    pod.namespace_name = "ns";
    pod.name = "p";
    pod.uid = "u\"1";
    return pod;
  }();
  std::vector<TestRequest> requests_;
};

TEST_F(PodStatusWriterTest, PatchesTheStatusOfThePodWithThatUid) {
  EXPECT_TRUE(Write("n1").ok());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].method, "PATCH");
  EXPECT_EQ(requests_[0].target, "/api/v1/namespaces/ns/pods/p/status");
  EXPECT_EQ(requests_[0].Header("content-type"),
            "application/merge-patch+json");
  EXPECT_EQ(requests_[0].body, R"({"metadata":{"uid":"u\"1"},)"
                               R"("status":{"nominatedNodeName":"n1"}})");
}

TEST_F(PodStatusWriterTest, NoNodeClearsTheField) {
  EXPECT_TRUE(Write("").ok());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_THAT(requests_[0].body,
              HasSubstr(R"("status":{"nominatedNodeName":null}})"));
}

TEST_F(PodStatusWriterTest, ARefusalIsPassedOnInTheServersWords) {
  const absl::Status gone =
      Write("n1", 404, R"({"kind":"Status","message":"pods \"p\" not found"})");
  EXPECT_TRUE(absl::IsNotFound(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("pods \"p\" not found"));
  const absl::Status other = Write("n1", 409);
  EXPECT_TRUE(absl::IsAborted(other)) << other;
}

TEST_F(PodStatusWriterTest, ANameThatWouldBeAnotherPathIsNotSent) {
  for (const char* name : {"", "a/b", "a?b", "a%2fb", "..", "a b", "ä"}) {
    pod_.name = name;
    const absl::Status status = Write("n1");
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << name << ": " << status;
    EXPECT_THAT(requests_, IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace vicinal
