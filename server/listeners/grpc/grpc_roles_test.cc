#include "server/listeners/grpc/grpc_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

using ::testing::HasSubstr;

bool May(const GrpcRoles& roles, const std::string& name, GrpcRole role) {
  return roles.Check(name, role).ok();
}

TEST(GrpcRolesTest, EachClientHasTheRolesOfItsLine) {
  const absl::StatusOr<GrpcRoles> roles = GrpcRoles::Read(
      "system:kube-scheduler: [ask, bind]\n"
      "backup: [read]\n"
      "simulator: [feed]\n"
      "nobody: []\n");
  ASSERT_TRUE(roles.ok()) << roles.status();
  EXPECT_TRUE(May(*roles, "system:kube-scheduler", GrpcRole::kAsk));
  EXPECT_TRUE(May(*roles, "system:kube-scheduler", GrpcRole::kBind));
  EXPECT_FALSE(May(*roles, "system:kube-scheduler", GrpcRole::kFeed));
  EXPECT_FALSE(May(*roles, "system:kube-scheduler", GrpcRole::kRead));
  EXPECT_TRUE(May(*roles, "backup", GrpcRole::kRead));
  EXPECT_FALSE(May(*roles, "backup", GrpcRole::kAsk));
  EXPECT_TRUE(May(*roles, "simulator", GrpcRole::kFeed));
  EXPECT_FALSE(May(*roles, "nobody", GrpcRole::kAsk));
}

TEST(GrpcRolesTest, WhoIsNotNamedMayDoNothing) {
  const absl::StatusOr<GrpcRoles> roles = GrpcRoles::Read("a: [ask]\n");
  ASSERT_TRUE(roles.ok()) << roles.status();
  for (const char* name : {"", "b", "A", "a "}) {
    EXPECT_EQ(roles->Check(name, GrpcRole::kAsk).code(),
              absl::StatusCode::kPermissionDenied)
        << name;
  }
  EXPECT_EQ(roles->Check("b", GrpcRole::kBind).message(),
            "client \"b\" does not have the role bind");
}

TEST(GrpcRolesTest, WithoutAFileACertificateIsGoodForAsking) {
  const GrpcRoles roles = GrpcRoles::OnlyAsk();
  EXPECT_TRUE(May(roles, "anyone", GrpcRole::kAsk));
  for (const GrpcRole role :
       {GrpcRole::kBind, GrpcRole::kFeed, GrpcRole::kRead}) {
    EXPECT_FALSE(May(roles, "anyone", role));
  }
}

TEST(GrpcRolesTest, WhereThereAreNoCertificatesAllMayDoEverything) {
  const GrpcRoles roles = GrpcRoles::Everything();
  for (const GrpcRole role :
       {GrpcRole::kAsk, GrpcRole::kBind, GrpcRole::kFeed, GrpcRole::kRead}) {
    EXPECT_TRUE(May(roles, "", role));
  }
}

TEST(GrpcRolesTest, WhatIsNoRoleIsNamed) {
  const auto error = [](const char* yaml) {
    return std::string(GrpcRoles::Read(yaml).status().message());
  };
  EXPECT_EQ(error("a: [ask, write]"),
            "a: \"write\" is no role: there are ask, bind, feed and read");
  EXPECT_EQ(error("a: [1]"),
            "a: 1 is no role: there are ask, bind, feed and read");
  EXPECT_EQ(error("a: ask"), "a: must be a list of roles, got \"ask\"");
  EXPECT_EQ(error("[a]"),
            "must be a mapping of clients' common names to lists of roles");
  EXPECT_EQ(error("\"\": [ask]"), "\"\": empty, or named twice");
  EXPECT_EQ(error("a: [ask]\n---\na: [bind]"), "\"a\": empty, or named twice");
  EXPECT_THAT(error("a: [ask\n"), HasSubstr("line"));
}

}  // namespace
}  // namespace vicinal
