#include "server/listeners/grpc/to_proto.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "core/model/json_path.h"
#include "core/model/object.h"
#include "core/model/pod.h"
#include "core/testing/each_field.h"
#include "server/listeners/grpc/from_proto.h"

namespace vicinal {
namespace {

template <typename T>
class ToProtoTest : public ::testing::Test {};
using Kinds =
    ::testing::Types<Pod, Node, Namespace, Service, ReplicationController,
                     ReplicaSet, StatefulSet, PodDisruptionBudget>;
TYPED_TEST_SUITE(ToProtoTest, Kinds);

TYPED_TEST(ToProtoTest, NoFieldIsForgottenThereAndBack) {
  const auto objects = EachField<TypeParam>();
  ASSERT_FALSE(objects.empty());
  for (const OneField<TypeParam>& one : objects) {
    Object read;
    const absl::Status status = Decode(Encode(one.object), JsonPath(), &read);
    ASSERT_TRUE(status.ok()) << one.path << ": " << status;
    EXPECT_TRUE(std::get<TypeParam>(read) == one.object) << one.path;
  }
}

TEST(PodToProtoTest, WhatIsDerivedFromOtherFieldsIsNotForgotten) {
  Pod pod;
  pod.meta.name = "p";
  pod.meta.namespace_name = "default";
  pod.spec.image_volumes = {"image"};
  pod.status.resize_infeasible = true;
  Object read;
  const absl::Status status = Decode(Encode(pod), JsonPath(), &read);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(std::get<Pod>(read) == pod);
}

}  // namespace
}  // namespace vicinal
