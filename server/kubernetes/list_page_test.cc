#include "server/kubernetes/list_page.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

struct Split {
  absl::StatusOr<ListPage> page;
  std::vector<std::string> items;
};

Split SplitText(std::string_view text) {
  std::string body;
  body.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  body += text;
  absl::StatusOr<ListPage> page = ReadListPage(body);
  std::vector<std::string> items;
  if (!page.ok()) return {std::move(page), std::move(items)};
  simdjson::ondemand::parser parser;
  for (const simdjson::padded_string_view item : page->items) {
    // Each must be good for simdjson as it stands.
    simdjson::ondemand::document document;
    const simdjson::error_code error = parser.iterate(item).get(document);
    EXPECT_EQ(error, simdjson::SUCCESS);
    items.emplace_back(item);
  }
  return {std::move(page), std::move(items)};
}

TEST(ListPageTest, SplitsItemsWithoutChangingThem) {
  const Split split = SplitText(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"abc",)"
      R"("remainingItemCount":7},"items":[{"a":"]}\"","b":[1,{"c":null}]},{},{"metadata":{}}]})");
  ASSERT_TRUE(split.page.ok()) << split.page.status();
  EXPECT_EQ(split.page->resource_version, "42");
  EXPECT_EQ(split.page->continue_token, "abc");
  EXPECT_THAT(split.items,
              testing::ElementsAre(R"({"a":"]}\"","b":[1,{"c":null}]})", "{}",
                                   R"({"metadata":{}})"));
}

TEST(ListPageTest, TakesMetadataAfterItemsAndBlanks) {
  const Split split = SplitText(
      " {\n \"items\" : [ {\"a\": 1} ] ,\n \"metadata\": {\"resourceVersion\": "
      "\"9\"} }\n");
  ASSERT_TRUE(split.page.ok()) << split.page.status();
  EXPECT_EQ(split.page->resource_version, "9");
  EXPECT_EQ(split.page->continue_token, "");
  EXPECT_THAT(split.items,
              testing::ElementsAre(testing::StartsWith("{\"a\": 1}")));
}

TEST(ListPageTest, AnEmptyListHasNoItemsOrNull) {
  for (const char* items : {"[]", "null"}) {
    const Split split = SplitText(
        std::string(R"({"metadata":{"resourceVersion":"1"},"items":)") + items +
        "}");
    EXPECT_TRUE(split.page.ok()) << split.page.status();
    EXPECT_TRUE(split.items.empty());
  }
}

TEST(ListPageTest, SaysWhyAnAnswerIsNoList) {
  const auto error = [](std::string_view text) {
    const absl::StatusOr<ListPage> page = SplitText(text).page;
    return page.ok() ? "no error" : std::string(page.status().message());
  };
  const std::string start = "the answer is not a list: ";
  EXPECT_EQ(error(R"({"items":[]})"), start +
                                          "metadata.resourceVersion is missing "
                                          "(it begins: {\\\"items\\\":[]})");
  EXPECT_THAT(error(R"({"metadata":{"resourceVersion":"1"}})"),
              testing::StartsWith(start + "items is missing"));
  for (const char* text :
       {"", "<html>", "[]", "7", "{", R"({"metadata":7,"items":[]})",
        R"({"metadata":{"resourceVersion":7},"items":[]})",
        R"({"metadata":{"resourceVersion":"1"},"items":{}})",
        R"({"metadata":{"resourceVersion":"1"},"items":[7]})",
        R"({"metadata":{"resourceVersion":"1"},"items":[{"a":1})",
        R"({"metadata":{"resourceVersion":"1"},"items":[{}]}{)",
        "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"a\":\"\xff\"}]"
        "}"}) {
    EXPECT_THAT(error(text), testing::StartsWith(start)) << text;
  }
}

TEST(ListPageTest, BodyWithoutPaddingIsRefused) {
  std::string body = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
  body.shrink_to_fit();
  EXPECT_FALSE(ReadListPage(body).ok());
}

}  // namespace
}  // namespace vicinal
