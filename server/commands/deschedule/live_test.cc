#include "server/commands/deschedule/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace vicinal {
namespace {

using ::testing::HasSubstr;

// What RunLive says before it has read a file or asked an API server.
std::string ErrorOf(const LiveOptions& live) {
  std::ostringstream out;
  bool all_evicted = true;
  return std::string(
      RunLive(DescheduleOptions(), live, out, &all_evicted).message());
}

TEST(LiveDescheduleTest, OtherMachinesDoNotReachTheAdminListenerWithoutTls) {
  LiveOptions live;
  live.admin_listen_address = "0.0.0.0:0";
  EXPECT_THAT(ErrorOf(live), HasSubstr("--admin-listen-address: 0.0.0.0:0 can "
                                       "be reached from other machines"));
  live.security.allow_insecure_listen = true;
  EXPECT_TRUE(Validate(live).ok()) << Validate(live);
}

TEST(LiveDescheduleTest, AClientCaNeedsACertificate) {
  LiveOptions live;
  live.security.tls.client_ca_file = "ca.crt";
  EXPECT_EQ(ErrorOf(live), "--client-ca-file needs --tls-cert-file");
}

}  // namespace
}  // namespace vicinal
