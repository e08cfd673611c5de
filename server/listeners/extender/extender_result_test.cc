#include "server/listeners/extender/extender_result.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace vicinal {
namespace {

TEST(ExtenderResultTest, AFilterResultHasEveryField) {
  ExtenderFilterResult result;
  result.node_names = {"n2", "n1"};
  result.failed_nodes = {{"n3", "why"}, {"n4", "why not"}};
  result.failed_and_unresolvable_nodes = {{"n5", "never"}};
  EXPECT_EQ(ToJson(result),
            R"({"Nodes":null,"NodeNames":["n2","n1"],)"
            R"("FailedNodes":{"n3":"why","n4":"why not"},)"
            R"("FailedAndUnresolvableNodes":{"n5":"never"},"Error":""})");
}

TEST(ExtenderResultTest, EmptyListsAreNotNull) {
  EXPECT_EQ(ToJson(ExtenderFilterResult()),
            R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},)"
            R"("FailedAndUnresolvableNodes":{},"Error":""})");
  EXPECT_EQ(ToJson(std::vector<HostPriority>()), "[]");
}

TEST(ExtenderResultTest, AnErrorIsAField) {
  ExtenderFilterResult result;
  result.error = "bad selector";
  EXPECT_EQ(ToJson(result),
            R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},)"
            R"("FailedAndUnresolvableNodes":{},"Error":"bad selector"})");
}

TEST(ExtenderResultTest, NamesReasonsAndErrorsAreEscaped) {
  ExtenderFilterResult result;
  result.node_names = {"a\"b", "[", "{"};
  result.failed_nodes = {{"c\\d", "line\nbreak"}, {"{", "["}};
  result.failed_and_unresolvable_nodes = {{"é", "\x01"}};
  result.error = "\xff";
  EXPECT_EQ(ToJson(result), R"({"Nodes":null,"NodeNames":["a\"b","[","{"],)"
                            R"("FailedNodes":{"c\\d":"line\nbreak","{":"["},)"
                            R"("FailedAndUnresolvableNodes":{"é":"\u0001"},)"
                            "\"Error\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(ToJson(std::vector<HostPriority>{{"[", 1}, {"a\"b", 2}}),
            R"([{"Host":"[","Score":1},{"Host":"a\"b","Score":2}])");
}

TEST(ExtenderResultTest, PrioritiesAreABareArrayOfIntegers) {
  EXPECT_EQ(ToJson(std::vector<HostPriority>{{"n1", 400}, {"n2", 0}}),
            R"([{"Host":"n1","Score":400},{"Host":"n2","Score":0}])");
  EXPECT_EQ(ToJson(std::vector<HostPriority>{
                {"n", std::numeric_limits<std::int64_t>::max()}}),
            R"([{"Host":"n","Score":9223372036854775807}])");
}

}  // namespace
}  // namespace vicinal
