#include "server/kubernetes/client_certificates.h"

#include <openssl/ssl.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

class ClientCertificatesTest : public testing::Test {
 protected:
  ClientCertificatesTest()
      : folder_(testing::TempDir() + "client_certificates_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
    config_.host = "cluster.example";
    config_.certificate_authority_pem = authority_.certificate_pem;
    config_.certificate_authority_file =
        Write("ca.crt", authority_.certificate_pem);
    config_.client_certificate_pem = client_.certificate_pem;
    config_.client_certificate_file =
        Write("client.crt", client_.certificate_pem);
    config_.client_key_pem = client_.key_pem;
    config_.client_key_file = Write("client.key", client_.key_pem);
  }

  std::string Write(const std::string& name, const std::string& content) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }

  static TestCertificate Issue(const TestCertificate& authority) {
    return IssueTestCertificate(
        authority,
        {.common_name = "client", .dns_names = {}, .ip_addresses = {}});
  }

  const std::string folder_;
  const TestCertificate authority_ = MakeTestAuthority("cluster CA");
  const TestCertificate client_ = Issue(authority_);
  ClientConfig config_;
};

TEST_F(ClientCertificatesTest, NothingChangesWhileTheFilesDoNot) {
  ClientCertificates certificates(config_);
  EXPECT_EQ(certificates.Changed(), nullptr);
  Write("client.crt", client_.certificate_pem);
  EXPECT_EQ(certificates.Changed(), nullptr);
}

TEST_F(ClientCertificatesTest, WithoutFilesNothingChanges) {
  config_.certificate_authority_file.clear();
  config_.client_certificate_file.clear();
  config_.client_key_file.clear();
  Write("ca.crt", "nonsense");
  EXPECT_EQ(ClientCertificates(config_).Changed(), nullptr);
}

TEST_F(ClientCertificatesTest, AnotherAuthorityIsTrustedOnce) {
  ClientCertificates certificates(config_);
  Write("ca.crt", MakeTestAuthority("another CA").certificate_pem);
  EXPECT_NE(certificates.Changed(), nullptr);
  EXPECT_EQ(certificates.Changed(), nullptr);
}

TEST_F(ClientCertificatesTest, APairIsUsedOnceBothHalvesAreWritten) {
  ClientCertificates certificates(config_);
  const TestCertificate renewed = Issue(authority_);
  Write("client.crt", renewed.certificate_pem);
  EXPECT_EQ(certificates.Changed(), nullptr);
  Write("client.key", renewed.key_pem);
  const TlsContext context = certificates.Changed();
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(SSL_CTX_check_private_key(context.get()), 1);
}

TEST_F(ClientCertificatesTest, WhatCannotBeUsedChangesNothing) {
  ClientCertificates certificates(config_);
  for (const char* const content : {"", "nonsense"}) {
    Write("ca.crt", content);
    EXPECT_EQ(certificates.Changed(), nullptr) << content;
  }
  std::filesystem::remove(folder_ + "/ca.crt");
  EXPECT_EQ(certificates.Changed(), nullptr);
  Write("ca.crt", authority_.certificate_pem);
  EXPECT_EQ(certificates.Changed(), nullptr);  // As it was.
}

}  // namespace
}  // namespace vicinal
