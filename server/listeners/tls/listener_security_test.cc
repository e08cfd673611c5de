#include "server/listeners/tls/listener_security.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

constexpr char kFlag[] = "--admin-listen-address";

ListenerSecurity WithTls() {
  ListenerSecurity security;
  security.tls.cert_file = "tls.crt";
  security.tls.private_key_file = "tls.key";
  return security;
}

std::string MessageFor(const std::string& address,
                       const ListenerSecurity& security) {
  return std::string(CheckListenAddress(kFlag, address, security).message());
}

TEST(ListenerSecurityTest, WithoutTlsOnlyThisMachineMayReachAListener) {
  const ListenerSecurity plain;
  EXPECT_EQ(MessageFor("127.0.0.1:0", plain), "");
  EXPECT_EQ(MessageFor("[::1]:0", plain), "");
  for (const char* address : {"0.0.0.0:0", "[::]:0", "10.0.0.1:80"}) {
    EXPECT_EQ(MessageFor(address, plain),
              "--admin-listen-address: " + std::string(address) +
                  " can be reached from other machines, without TLS: set "
                  "--tls-cert-file and --tls-private-key-file, or "
                  "--allow-insecure-listen");
  }
}

TEST(ListenerSecurityTest, WithTlsOrIfItIsWantedOthersMayReachAListener) {
  EXPECT_EQ(MessageFor("0.0.0.0:0", WithTls()), "");
  ListenerSecurity insecure;
  insecure.allow_insecure_listen = true;
  EXPECT_EQ(MessageFor("0.0.0.0:0", insecure), "");
}

TEST(ListenerSecurityTest, WhatIsNoAddressIsNamedWithItsFlag) {
  EXPECT_EQ(MessageFor("localhost:80", WithTls()),
            "--admin-listen-address: address \"localhost:80\": must be <IP "
            "address>:<port>");
}

TEST(ListenerSecurityTest, ACertificateItsKeyAndAClientCaBelongTogether) {
  EXPECT_TRUE(CheckTlsFlags(ListenerSecurity()).ok());
  EXPECT_TRUE(CheckTlsFlags(WithTls()).ok());
  ListenerSecurity no_key = WithTls();
  no_key.tls.private_key_file.clear();
  EXPECT_EQ(CheckTlsFlags(no_key).message(),
            "--tls-cert-file and --tls-private-key-file go together");
  ListenerSecurity only_clients;
  only_clients.tls.client_ca_file = "ca.crt";
  EXPECT_EQ(CheckTlsFlags(only_clients).message(),
            "--client-ca-file needs --tls-cert-file");
  ListenerSecurity only_lists = WithTls();
  only_lists.tls.client_crl_file = "ca.crl";
  EXPECT_EQ(CheckTlsFlags(only_lists).message(),
            "--client-crl-file needs --client-ca-file");
}

TEST(ListenerSecurityTest, WithoutACertificateThereIsNoTls) {
  const auto tls = LoadTls(ListenerSecurity());
  ASSERT_TRUE(tls.ok());
  EXPECT_EQ(*tls, nullptr);
}

}  // namespace
}  // namespace vicinal
