#include "server/kubernetes/encoding.h"

#include <gtest/gtest.h>

namespace vicinal {
namespace {

TEST(EncodingTest, TheContentTypeSaysTheEncoding) {
  EXPECT_EQ(EncodingOf("application/vnd.kubernetes.protobuf"),
            Encoding::kProtobuf);
  EXPECT_EQ(EncodingOf("application/vnd.kubernetes.protobuf;stream=watch"),
            Encoding::kProtobuf);
  EXPECT_EQ(EncodingOf("application/vnd.kubernetes.protobuf ; stream=watch"),
            Encoding::kProtobuf);
  EXPECT_EQ(EncodingOf("application/json"), Encoding::kJson);
  EXPECT_EQ(EncodingOf("application/vnd.kubernetes.protobuf2"),
            Encoding::kJson);
  EXPECT_EQ(EncodingOf("text/plain; charset=utf-8"), Encoding::kJson);
  EXPECT_EQ(EncodingOf(""), Encoding::kJson);
}

TEST(EncodingTest, JsonIsAlwaysAccepted) {
  EXPECT_STREQ(AcceptOf(Encoding::kJson), "application/json");
  EXPECT_STREQ(AcceptOf(Encoding::kProtobuf),
               "application/vnd.kubernetes.protobuf,application/json");
}

}  // namespace
}  // namespace vicinal
