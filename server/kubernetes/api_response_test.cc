#include "server/kubernetes/api_response.h"

#include <simdjson.h>

#include <string>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/protobuf.h"

namespace vicinal {
namespace {

ApiResponse Response(int status, const std::string& body) {
  ApiResponse response;
  response.status = status;
  response.body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  response.body += body;
  return response;
}

TEST(ApiResponseTest, SuccessIsOk) {
  EXPECT_TRUE(ToStatus(Response(200, "{}")).ok());
  EXPECT_TRUE(ToStatus(Response(201, "")).ok());
}

TEST(ApiResponseTest, GivesTheMessageOfAStatusObject) {
  const absl::Status status = ToStatus(Response(
      403,
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"pods is forbidden: User \"u\" cannot list","reason":"Forbidden"})"));
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_EQ(status.message(), "403: pods is forbidden: User \"u\" cannot list");
}

TEST(ApiResponseTest, GivesTheStartOfAnyOtherBody) {
  EXPECT_EQ(ToStatus(Response(502, "<html>\r\n")).message(),
            "502: <html>\\r\\n");
  EXPECT_EQ(ToStatus(Response(500, std::string(1000, 'x'))).message(),
            "500: " + std::string(300, 'x'));
  EXPECT_EQ(ToStatus(Response(500, R"({"message":7})")).message(),
            "500: {\\\"message\\\":7}");
  EXPECT_EQ(ToStatus(Response(503, "")).message(), "503: ");
}

TEST(ApiResponseTest, ShortensALongMessage) {
  const absl::Status status = ToStatus(
      Response(400, "{\"message\":\"" + std::string(1000, 'm') + "\"}"));
  EXPECT_EQ(status.message(), "400: " + std::string(300, 'm') + "…");
}

TEST(ApiResponseTest, MapsTheStatusToACanonicalCode) {
  const auto code = [](int status) {
    return ToStatus(Response(status, "")).code();
  };
  EXPECT_EQ(code(400), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(401), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(code(404), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(409), absl::StatusCode::kAborted);
  EXPECT_EQ(code(410), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code(429), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(500), absl::StatusCode::kUnavailable);
  EXPECT_EQ(code(504), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(code(302), absl::StatusCode::kUnknown);
}

TEST(ApiResponseTest, GivesTheMessageOfAStatusInProtobuf) {
  ApiResponse response =
      Response(410, InEnvelope("Status", ProtobufStatusOf(410)));
  response.encoding = Encoding::kProtobuf;
  const absl::Status status = ToStatus(response);
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(status.message(), "410: told so");
  response.body.resize(9);
  EXPECT_EQ(ToStatus(response).message(), "410: k8s\\000\\n\\014\\n\\002v");
}

}  // namespace
}  // namespace vicinal
