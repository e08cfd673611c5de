#include "server/state/storage_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/model/api_resources.h"
#include "core/model/decode_extras.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string List(const std::string& items) {
  return R"({"kind":"List","metadata":{"resourceVersion":"1"},"items":[)" +
         items + "]}";
}

class StorageSnapshotTest : public ::testing::Test {
 protected:
  StorageSnapshotTest() {
    for (const ApiResource& resource : StorageResources()) {
      lists_[resource.Path()] = List("");
    }
    lists_["/api/v1/persistentvolumeclaims"] =
        List(R"({"metadata":{"name":"data","namespace":"shop"}})");
    lists_["/apis/storage.k8s.io/v1/csinodes"] =
        List(R"({"metadata":{"name":"n1"},"spec":{"drivers":[]}})");
  }

  // What is not there is forbidden.
  absl::Status Read() {
    TestHttpServer server(
        {}, [this](const TestRequest& request, TestReply& reply) {
          const auto it =
              lists_.find(request.target.substr(0, request.target.find('?')));
          if (it == lists_.end()) {
            reply.Send(403, R"({"kind":"Status","message":"not yours"})");
          } else {
            reply.Send(200, it->second);
          }
        });
    return ReadStorageFromApi(PlainConfigOf(server), storage_, notes_);
  }

  std::map<std::string, std::string> lists_;
  StorageObjects storage_;
  std::vector<std::string> notes_;
};

TEST_F(StorageSnapshotTest, WhatIsListedIsKnownAlsoIfThereIsNone) {
  const absl::Status status = Read();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(storage_.claims.contains({"shop", "data"}));
  EXPECT_TRUE(storage_.csi_nodes.contains("n1"));
  for (const ApiResource& resource : StorageResources()) {
    EXPECT_TRUE(storage_.Knows(resource.kind)) << resource.kind;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(StorageSnapshotTest, WhatMayNotBeListedIsNotKnown) {
  lists_.erase("/apis/storage.k8s.io/v1/csidrivers");
  const absl::Status status = Read();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(storage_.Knows(kCsiDriverKind));
  EXPECT_TRUE(storage_.Knows(kAttachmentKind));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("csidrivers: 403: not yours")));
}

}  // namespace
}  // namespace vicinal
