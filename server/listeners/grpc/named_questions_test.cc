#include "server/listeners/grpc/named_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NamedQuestionsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const NodeList> ListOf(int nodes) {
    v1::NameNodesRequest request;
    for (int i = 0; i < nodes; ++i) {
      request.add_names("n" + std::to_string(i));
    }
    return *NodeList::Read(request);
  }

  static std::string BytesOf(const std::vector<unsigned char>& bytes) {
    return {bytes.begin(), bytes.end()};
  }

  absl::Status Read(const std::vector<unsigned char>& candidates) {
    v1::NamedQuestion question;
    question.mutable_pod();
    question.set_candidates(BytesOf(candidates));
    const JsonPath root;
    const JsonPath questions = root.Field("questions");
    args_ = {};
    return Decode(question, *list_, questions.Index(2), &args_);
  }

  absl::Status Extent(int questions, const std::string& candidates,
                      const NodeList& list) const {
    v1::FilterNamedRequest request;
    for (int i = 0; i < questions; ++i) {
      request.add_questions()->set_candidates(candidates);
    }
    return CheckExtent(request, list);
  }

  std::string_view Name(std::size_t number) const {
    return list_->names()[number];
  }

  const std::shared_ptr<const NodeList> list_ = ListOf(10);
  ExtenderArgs args_;
};

TEST_F(NamedQuestionsTest, BitsAreNumbersOfNodes) {
  ASSERT_TRUE(Read({0x05, 0x02}).ok());
  EXPECT_THAT(args_.node_names, ElementsAre("n0", "n2", "n9"));
  ASSERT_TRUE(Read({0x80, 0x00, 0x00}).ok());
  EXPECT_THAT(args_.node_names, ElementsAre("n7"));
}

TEST_F(NamedQuestionsTest, NoBitsAreAllNodes) {
  ASSERT_TRUE(Read({}).ok());
  EXPECT_EQ(args_.node_names, list_->names());
}

TEST_F(NamedQuestionsTest, MistakesNameTheField) {
  EXPECT_EQ(Read({0xff, 0x04}).message(),
            "questions[2].candidates: 10: the list has 10 nodes, from 0");
  EXPECT_EQ(Read({0x00, 0x00}).message(),
            "questions[2].candidates: must have a bit that is 1, or be empty");
  const JsonPath root;
  EXPECT_EQ(Decode(v1::NamedQuestion(), *list_, root, &args_).message(),
            "pod: required");
}

TEST_F(NamedQuestionsTest, ADryRunHasNoUid) {
  v1::NamedQuestion question;
  question.mutable_pod()->mutable_metadata()->set_uid("u");
  question.set_dry_run(true);
  ASSERT_TRUE(Decode(question, *list_, JsonPath(), &args_).ok());
  EXPECT_THAT(args_.pod.meta.uid, IsEmpty());
}

TEST_F(NamedQuestionsTest, ACallAsksForSoMuchAtMost) {
  EXPECT_EQ(Extent(0, "", *list_).message(), "questions: required");
  EXPECT_TRUE(Extent(1000, "", *list_).ok());
  const absl::Status many = Extent(1001, "", *list_);
  EXPECT_EQ(many.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(many.message()), HasSubstr("got 1001"));
  const auto large = ListOf(200'000);
  EXPECT_TRUE(Extent(5, "", *large).ok());
  EXPECT_TRUE(Extent(1000, "\x7f", *large).ok());
  const absl::Status wide = Extent(6, "", *large);
  EXPECT_EQ(wide.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(wide.message()), HasSubstr("got 1200000"));
}

TEST_F(NamedQuestionsTest, AnswersHaveEachReasonOnce) {
  ExtenderFilterResult result;
  result.node_names = {Name(1), Name(8)};
  const std::string other_text = "no room";
  result.failed_nodes = {
      {Name(9), "no room"}, {Name(2), "taint"}, {Name(0), other_text}};
  result.failed_and_unresolvable_nodes = {{Name(3), "no room"}};
  v1::NamedAnswer answer;
  Encode(result, &answer);
  EXPECT_EQ(answer.fitting(), BytesOf({0x02, 0x01}));
  ASSERT_THAT(answer.refused(), SizeIs(3));
  EXPECT_EQ(answer.refused(0).reason(), "no room");
  EXPECT_FALSE(answer.refused(0).unresolvable());
  EXPECT_THAT(answer.refused(0).nodes(), ElementsAre(9, 0));
  EXPECT_EQ(answer.refused(1).reason(), "taint");
  EXPECT_THAT(answer.refused(1).nodes(), ElementsAre(2));
  EXPECT_TRUE(answer.refused(2).unresolvable());
  EXPECT_THAT(answer.refused(2).nodes(), ElementsAre(3));
}

TEST_F(NamedQuestionsTest, WhereNothingFitsThereAreNoBits) {
  v1::NamedAnswer answer;
  Encode(ExtenderFilterResult(), &answer);
  EXPECT_THAT(answer.fitting(), IsEmpty());
  EXPECT_THAT(answer.refused(), IsEmpty());
}

}  // namespace
}  // namespace vicinal
