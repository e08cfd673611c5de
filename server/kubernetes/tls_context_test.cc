#include "server/kubernetes/tls_context.h"

#include <openssl/ssl.h>

#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(TlsContextTest, SpeaksTls12OrNewer) {
  EXPECT_EQ(SSL_CTX_get_min_proto_version(NewTlsContext().get()),
            TLS1_2_VERSION);
}

TEST(TlsContextTest, TrustsEveryCertificateOfABundle) {
  const std::string bundle = "a comment\n" +
                             MakeTestAuthority("one").certificate_pem + "\n" +
                             MakeTestAuthority("two").certificate_pem;
  EXPECT_TRUE(TrustCertificates(*NewTlsContext(), bundle).ok());
}

TEST(TlsContextTest, RefusesABundleWithABrokenCertificate) {
  const std::string good = MakeTestAuthority("one").certificate_pem;
  const std::string broken =
      "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n";
  EXPECT_EQ(MessageOf(TrustCertificates(*NewTlsContext(), good + broken))
                .substr(0, 30),
            "a certificate does not parse: ");
  EXPECT_EQ(MessageOf(TrustCertificates(*NewTlsContext(), "")),
            "contains no PEM certificate");
}

TEST(TlsContextTest, MakesAContextOfAnyGoodConfiguration) {
  const TestCertificate authority = MakeTestAuthority("test CA");
  const TestCertificate client = IssueTestCertificate(
      authority,
      {.common_name = "client", .dns_names = {}, .ip_addresses = {}});
  ClientConfig config;
  EXPECT_TRUE(MakeTlsContext(config).ok());
  config.certificate_authority_pem = authority.certificate_pem;
  // With the authority as the rest of its chain.
  config.client_certificate_pem =
      client.certificate_pem + authority.certificate_pem;
  config.client_key_pem = client.key_pem;
  EXPECT_TRUE(MakeTlsContext(config).ok());
}

TEST(TlsContextTest, NamesThePartOfTheConfigurationThatIsWrong) {
  ClientConfig config;
  config.certificate_authority_pem = "x";
  EXPECT_EQ(MessageOf(MakeTlsContext(config).status()),
            "certificate authority: contains no PEM certificate");
  config.certificate_authority_pem.clear();
  config.client_key_pem = "x";
  EXPECT_EQ(MessageOf(MakeTlsContext(config).status()),
            "client certificate: the certificate contains no PEM certificate");
}

TEST(CertificateExpirationTest, IsTheEndOfTheFirstCertificate) {
  const TestCertificate authority = MakeTestAuthority("CA");
  const auto now = std::chrono::system_clock::now();
  const TestCertificate leaf =
      IssueTestCertificate(authority, {.common_name = "client",
                                       .dns_names = {},
                                       .ip_addresses = {},
                                       .valid_until = std::chrono::hours(100)});
  const absl::StatusOr<std::chrono::sys_seconds> end =
      CertificateExpiration(leaf.certificate_pem + authority.certificate_pem);
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_GT(*end, now + std::chrono::hours(99));
  EXPECT_LT(*end, now + std::chrono::hours(101));
  EXPECT_FALSE(CertificateExpiration("nonsense").ok());
  EXPECT_FALSE(CertificateExpiration("").ok());
}

}  // namespace
}  // namespace vicinal
