#include "server/kubernetes/list_page.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/testing/protobuf.h"

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
  absl::StatusOr<ListPage> page = ReadListPage(Encoding::kJson, body);
  std::vector<std::string> items;
  if (!page.ok()) return {std::move(page), std::move(items)};
  simdjson::ondemand::parser parser;
  for (const auto& [encoding, item] : page->items) {
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
  EXPECT_FALSE(ReadListPage(Encoding::kJson, body).ok());
}

absl::StatusOr<ListPage> ReadProtobufPage(const std::string& body) {
  return ReadListPage(Encoding::kProtobuf, body);
}

TEST(ListPageTest, SplitsProtobuf) {
  const std::string body = ProtobufList(
      "42", "abc", {ProtobufObject("a", "1"), ProtobufObject("b", "2"), ""});
  const absl::StatusOr<ListPage> page = ReadProtobufPage(body);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->resource_version, "42");
  EXPECT_EQ(page->continue_token, "abc");
  std::vector<std::string> items;
  for (const auto& [encoding, item] : page->items) {
    EXPECT_EQ(encoding, Encoding::kProtobuf);
    items.emplace_back(item);
  }
  EXPECT_THAT(items, testing::ElementsAre(ProtobufObject("a", "1"),
                                          ProtobufObject("b", "2"), ""));
}

TEST(ListPageTest, AnEmptyListInProtobufHasNoItems) {
  const std::string body = ProtobufList("42", "", {});
  const absl::StatusOr<ListPage> page = ReadProtobufPage(body);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_TRUE(page->items.empty());
}

TEST(ListPageTest, SaysWhyProtobufIsNoList) {
  const auto error = [](const std::string& body) {
    const absl::StatusOr<ListPage> page = ReadProtobufPage(body);
    return page.ok() ? "no error" : std::string(page.status().message());
  };
  const std::string start = "the answer is not a list: ";
  EXPECT_THAT(error(ProtobufList("", "", {})),
              testing::StartsWith(
                  start + "metadata.resourceVersion is missing (it begins: "));
  EXPECT_THAT(error(InEnvelope("Pod", ProtobufObject("a", "1"))),
              testing::StartsWith(start + "it is of kind \"Pod\""));
  EXPECT_THAT(error("{}"), testing::StartsWith(start + "no protobuf"));
  EXPECT_THAT(error(InEnvelope("PodList", WireNumber(1, 7))),
              testing::StartsWith(start + "a field has the wrong type"));
  EXPECT_THAT(error(InEnvelope("PodList", WireBytes(1, "\x0a"))),
              testing::StartsWith(start + "metadata is no protobuf"));
}

TEST(ListPageTest, ProtobufThatIsCutOffAnywhereIsNoList) {
  // Without what follows the object, which may be missing.
  const std::string whole = ProtobufList("42", "", {ProtobufObject("a", "1")});
  const std::string body = whole.substr(0, whole.size() - 4);
  EXPECT_TRUE(ReadProtobufPage(body).ok());
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(ReadProtobufPage(body.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace vicinal
