#include "server/listeners/tls/server_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// More than a reload takes.
constexpr std::chrono::seconds kPatience{10};

class ServerTlsTest : public ::testing::Test {
 protected:
  ServerTlsTest() {
    options_.cert_file = Path("tls.crt");
    options_.private_key_file = Path("tls.key");
    WritePair(Issue("first"));
  }

  std::string Path(const std::string& name) const {
    return ::testing::TempDir() + "/" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() +
           "-" + name;
  }

  TestCertificate Issue(const std::string& name) const {
    return IssueTestCertificate(
        authority_,
        {.common_name = name, .dns_names = {}, .ip_addresses = {"127.0.0.1"}});
  }

  // As a mounted secret does it: the new file takes the place of the old.
  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path + ".new") << content;
    ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
  }

  void WritePair(const TestCertificate& pair) const {
    Write(options_.cert_file, pair.certificate_pem);
    Write(options_.private_key_file, pair.key_pem);
  }

  std::string ErrorOf() const {
    const auto tls = ServerTls::Load(options_);
    EXPECT_FALSE(tls.ok());
    return std::string(tls.status().message());
  }

  // The common name of the certificate that new connections get.
  static std::string NameIn(const ServerTls& tls) {
    const std::shared_ptr<ssl_ctx_st> context = tls.context();
    X509* const certificate = SSL_CTX_get0_certificate(context.get());
    char name[100] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate),
                              NID_commonName, name, sizeof name);
    return name;
  }

  static bool AwaitName(const ServerTls& tls, const std::string& name) {
    return Await([&] { return NameIn(tls) == name; });
  }

  template <typename Condition>
  static bool Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  const TestCertificate authority_ = MakeTestAuthority("ca");
  TlsOptions options_;
};

TEST_F(ServerTlsTest, PresentsTheCertificateOfTheFile) {
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_EQ(NameIn(**tls), "first");
  EXPECT_EQ(SSL_CTX_get_verify_mode((*tls)->context().get()), SSL_VERIFY_NONE);
  EXPECT_EQ(SSL_CTX_get_min_proto_version((*tls)->context().get()),
            TLS1_2_VERSION);
}

TEST_F(ServerTlsTest, VerifiesClientsWithAClientAuthority) {
  options_.client_ca_file = Path("ca.crt");
  options_.min_version = TlsVersion::k13;
  Write(options_.client_ca_file, authority_.certificate_pem);
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_EQ(SSL_CTX_get_verify_mode((*tls)->context().get()), SSL_VERIFY_PEER);
  EXPECT_EQ(SSL_CTX_get_min_proto_version((*tls)->context().get()),
            TLS1_3_VERSION);
}

TEST_F(ServerTlsTest, AnErrorNamesTheFlagAndTheFile) {
  Write(options_.private_key_file, Issue("other").key_pem);
  EXPECT_EQ(ErrorOf(), "--tls-cert-file " + options_.cert_file +
                           " with --tls-private-key-file " +
                           options_.private_key_file +
                           ": the key does not belong to the certificate");
  Write(options_.private_key_file, "no key");
  EXPECT_THAT(ErrorOf(), AllOf(HasSubstr(options_.private_key_file),
                               HasSubstr("no unencrypted PEM private key")));
  Write(options_.cert_file, "no certificate");
  EXPECT_THAT(ErrorOf(), HasSubstr("contains no PEM certificate"));
  ASSERT_EQ(std::remove(options_.cert_file.c_str()), 0);
  EXPECT_THAT(ErrorOf(),
              StartsWith("--tls-cert-file " + options_.cert_file + ": "));

  WritePair(Issue("first"));
  options_.client_ca_file = Path("ca.crt");
  Write(options_.client_ca_file, "no certificate");
  EXPECT_EQ(ErrorOf(), "--client-ca-file " + options_.client_ca_file +
                           ": contains no PEM certificate");
}

TEST_F(ServerTlsTest, NewConnectionsGetAChangedCertificate) {
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  const std::shared_ptr<ssl_ctx_st> old = (*tls)->context();
  WritePair(Issue("second"));
  EXPECT_TRUE(AwaitName(**tls, "second"));
  EXPECT_NE((*tls)->context(), old);
}

TEST_F(ServerTlsTest, ARevokedCertificateIsBelievedNoLonger) {
  const TestCertificate client = Issue("client");
  const TestCertificate other = Issue("other");
  options_.client_ca_file = Path("ca.crt");
  options_.client_crl_file = Path("ca.crl");
  Write(options_.client_ca_file, authority_.certificate_pem);
  Write(options_.client_crl_file, MakeTestRevocationList(authority_, {other}));
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_EQ((*tls)->CheckClient(client.certificate_pem), absl::OkStatus());
  EXPECT_EQ((*tls)->CheckClient(other.certificate_pem),
            absl::UnauthenticatedError("certificate revoked"));
  Write(options_.client_crl_file,
        MakeTestRevocationList(authority_, {other, client}));
  EXPECT_TRUE(Await([&] {
    return (*tls)->CheckClient(client.certificate_pem) ==
           absl::UnauthenticatedError("certificate revoked");
  }));
}

TEST_F(ServerTlsTest, WithoutAListThatIsValidNobodyIsBelieved) {
  const TestCertificate client = Issue("client");
  options_.client_ca_file = Path("ca.crt");
  options_.client_crl_file = Path("ca.crl");
  Write(options_.client_ca_file, authority_.certificate_pem);
  Write(options_.client_crl_file,
        MakeTestRevocationList(authority_, {}, std::chrono::hours(-1)));
  const auto expired = ServerTls::Load(options_);
  ASSERT_TRUE(expired.ok()) << expired.status();
  EXPECT_EQ((*expired)->CheckClient(client.certificate_pem),
            absl::UnauthenticatedError("CRL has expired"));
  Write(options_.client_crl_file,
        MakeTestRevocationList(MakeTestAuthority("another"), {}));
  const auto foreign = ServerTls::Load(options_);
  ASSERT_TRUE(foreign.ok()) << foreign.status();
  EXPECT_EQ((*foreign)->CheckClient(client.certificate_pem),
            absl::UnauthenticatedError("unable to get certificate CRL"));
  Write(options_.client_crl_file, "no list");
  EXPECT_EQ(ErrorOf(), "--client-crl-file " + options_.client_crl_file +
                           ": contains no PEM revocation list");
}

TEST_F(ServerTlsTest, AStrangersCertificateIsNotBelieved) {
  options_.client_ca_file = Path("ca.crt");
  Write(options_.client_ca_file, authority_.certificate_pem);
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  const TestCertificate foreign = IssueTestCertificate(
      MakeTestAuthority("ca"),
      {.common_name = "client", .dns_names = {}, .ip_addresses = {}});
  EXPECT_EQ((*tls)->CheckClient(foreign.certificate_pem).code(),
            absl::StatusCode::kUnauthenticated);
  EXPECT_EQ((*tls)->CheckClient("").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServerTlsTest, WhatCannotBeUsedChangesNothingUntilItIsMended) {
  const auto tls = ServerTls::Load(options_);
  ASSERT_TRUE(tls.ok()) << tls.status();
  const TestCertificate second = Issue("second");
  Write(options_.cert_file, second.certificate_pem);
  std::this_thread::sleep_for(2 * ServerTls::kReloadPeriod);
  EXPECT_EQ(NameIn(**tls), "first");
  ASSERT_EQ(std::remove(options_.private_key_file.c_str()), 0);
  std::this_thread::sleep_for(2 * ServerTls::kReloadPeriod);
  EXPECT_EQ(NameIn(**tls), "first");
  Write(options_.private_key_file, second.key_pem);
  EXPECT_TRUE(AwaitName(**tls, "second"));
}

}  // namespace
}  // namespace vicinal
