#include "server/listeners/grpc/node_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

using List = std::shared_ptr<const NodeList>;

v1::NameNodesRequest Naming(const std::vector<std::string>& names) {
  v1::NameNodesRequest request;
  request.mutable_names()->Assign(names.begin(), names.end());
  return request;
}

List ListOf(const std::vector<std::string>& names) {
  absl::StatusOr<List> list = NodeList::Read(Naming(names));
  EXPECT_TRUE(list.ok()) << list.status();
  return *std::move(list);
}

std::string ErrorOf(const std::vector<std::string>& names) {
  const absl::StatusOr<List> list = NodeList::Read(Naming(names));
  EXPECT_EQ(list.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(list.status().message());
}

// About as large as a list may be.
List LargeList(const std::string& name) {
  return ListOf({name, std::string(NodeList::kMaxBytes - 1000, 'x')});
}

TEST(NodeListTest, EachNodeHasItsPositionAsItsNumber) {
  const List list = ListOf({"n2", "a-longer-name", "n1"});
  EXPECT_THAT(list->names(), ElementsAre("n2", "a-longer-name", "n1"));
  for (std::uint32_t i = 0; i < list->names().size(); ++i) {
    EXPECT_EQ(NodeList::NumberOf(list->names()[i]), i);
  }
}

// printf 'n1\nn2\n' | sha256sum
TEST(NodeListTest, TheIdIsWhatAClientCanWorkOut) {
  EXPECT_EQ(ListOf({"n1", "n2"})->id(),
            "0ea89bc92e892c5252d236b212831d68c143103a063d7deaa3d12ef073b0c56d");
}

TEST(NodeListTest, OtherNamesAndAnotherOrderAreAnotherList) {
  const List list = ListOf({"n1", "n2"});
  EXPECT_NE(list->id(), ListOf({"n2", "n1"})->id());
  EXPECT_NE(list->id(), ListOf({"n1n2"})->id());
  EXPECT_NE(list->id(), ListOf({"n", "1n2"})->id());
}

TEST(NodeListTest, MistakesNameTheField) {
  EXPECT_EQ(ErrorOf({}), "names: required");
  EXPECT_EQ(ErrorOf({"n1", ""}), "names[1]: required");
  EXPECT_EQ(ErrorOf({"n1", "a\nb"}), "names[1]: must have no line break");
  EXPECT_EQ(ErrorOf({"n1", "n2", "n1"}), "names[2]: \"n1\": named twice");
  EXPECT_THAT(ErrorOf({"n1", std::string(NodeList::kMaxBytes, 'x')}),
              HasSubstr("names: 2 names take "));
}

TEST(NodeListsTest, WhatWasAddedIsFound) {
  NodeLists lists;
  const List list = ListOf({"n1"});
  EXPECT_THAT(lists.Find(list->id()), IsNull());
  lists.Add(list);
  lists.Add(ListOf({"n1"}));
  EXPECT_EQ(lists.Find(list->id()), list);
  EXPECT_THAT(lists.Find(""), IsNull());
}

TEST(NodeListsTest, OfManyThoseStayThatWereUsedLast) {
  NodeLists lists;
  std::vector<List> all;
  for (std::size_t i = 0; i < NodeLists::kMaxLists; ++i) {
    all.push_back(ListOf({"n" + std::to_string(i)}));
    lists.Add(all.back());
  }
  EXPECT_THAT(lists.Find(all[0]->id()), NotNull());
  lists.Add(ListOf({"one more"}));
  EXPECT_THAT(lists.Find(all[0]->id()), NotNull());
  EXPECT_THAT(lists.Find(all[1]->id()), IsNull());
  EXPECT_THAT(lists.Find(all[2]->id()), NotNull());
}

TEST(NodeListsTest, LargeListsTakeNoMoreThanTheirShare) {
  NodeLists lists;
  std::vector<List> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(LargeList("n" + std::to_string(i)));
    lists.Add(all.back());
  }
  const auto kept = std::ranges::count_if(all, [&lists](const List& list) {
    return lists.Find(list->id()) != nullptr;
  });
  EXPECT_EQ(kept, 4);
  EXPECT_THAT(lists.Find(all.back()->id()), NotNull());
}

}  // namespace
}  // namespace vicinal
