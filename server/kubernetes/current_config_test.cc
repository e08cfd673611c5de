#include "server/kubernetes/current_config.h"

#include <openssl/ssl.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

class CurrentConfigTest : public testing::Test {
 protected:
  CurrentConfigTest()
      : folder_(testing::TempDir() + "current_config_" +
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
  // A kubeconfig with everything inside.
  std::string WriteKubeconfig(const std::string& server,
                              const TestCertificate& client,
                              const std::string& token) const {
    const auto base64 = [](const std::string& text) {
      return absl::Base64Escape(text);
    };
    return Write("kubeconfig",
                 absl::StrCat(R"({"current-context":"c",
        "contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
        "clusters":[{"name":"k","cluster":{"server":")",
                              server, R"(",
          "certificate-authority-data":")",
                              base64(authority_.certificate_pem),
                              R"("}}],
        "users":[{"name":"u","user":{"token":")",
                              token, R"(",
          "client-certificate-data":")",
                              base64(client.certificate_pem), R"(",
          "client-key-data":")",
                              base64(client.key_pem), R"("}}]})"));
  }

  ClientConfig config_;
  TlsContext context_;
};

TEST_F(CurrentConfigTest, AKubeconfigIsReadAgainWithAllThatIsInIt) {
  const std::string path =
      WriteKubeconfig("https://one.example", client_, "before");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  CurrentConfig current(*config);
  EXPECT_FALSE(current.Changed(&context_));
  const TestCertificate renewed = Issue(authority_);
  WriteKubeconfig("https://two.example:6443", renewed, "after");
  ASSERT_TRUE(current.Changed(&context_));
  EXPECT_EQ(SSL_CTX_check_private_key(context_.get()), 1);
  EXPECT_EQ(current.config().client_certificate_pem, renewed.certificate_pem);
  EXPECT_EQ(current.config().token, "after");
  EXPECT_EQ(current.config().host, "two.example");
  EXPECT_EQ(current.config().port, 6443);
  EXPECT_FALSE(current.Changed(&context_));
}

TEST_F(CurrentConfigTest, AKubeconfigThatIsHalfWrittenChangesNothing) {
  const std::string path =
      WriteKubeconfig("https://one.example", client_, "before");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  CurrentConfig current(*config);
  for (const char* const content : {"", "{\"current-context\":", "[]"}) {
    Write("kubeconfig", content);
    EXPECT_FALSE(current.Changed(&context_)) << content;
    EXPECT_EQ(current.config(), *config);
  }
  WriteKubeconfig("https://one.example", client_, "after");
  EXPECT_TRUE(current.Changed(&context_));
}

TEST_F(CurrentConfigTest, NothingChangesWhileTheFilesDoNot) {
  CurrentConfig current(config_);
  EXPECT_FALSE(current.Changed(&context_));
  Write("client.crt", client_.certificate_pem);
  EXPECT_FALSE(current.Changed(&context_));
}

TEST_F(CurrentConfigTest, WithoutFilesNothingChanges) {
  config_.certificate_authority_file.clear();
  config_.client_certificate_file.clear();
  config_.client_key_file.clear();
  Write("ca.crt", "nonsense");
  EXPECT_FALSE(CurrentConfig(config_).Changed(&context_));
}

TEST_F(CurrentConfigTest, AnotherAuthorityIsTrustedOnce) {
  CurrentConfig current(config_);
  Write("ca.crt", MakeTestAuthority("another CA").certificate_pem);
  EXPECT_TRUE(current.Changed(&context_));
  EXPECT_FALSE(current.Changed(&context_));
}

TEST_F(CurrentConfigTest, APairIsUsedOnceBothHalvesAreWritten) {
  CurrentConfig current(config_);
  const TestCertificate renewed = Issue(authority_);
  Write("client.crt", renewed.certificate_pem);
  EXPECT_FALSE(current.Changed(&context_));
  Write("client.key", renewed.key_pem);
  ASSERT_TRUE(current.Changed(&context_));
  ASSERT_NE(context_, nullptr);
  EXPECT_EQ(SSL_CTX_check_private_key(context_.get()), 1);
}

TEST_F(CurrentConfigTest, WhatCannotBeUsedChangesNothing) {
  CurrentConfig current(config_);
  for (const char* const content : {"", "nonsense"}) {
    Write("ca.crt", content);
    EXPECT_FALSE(current.Changed(&context_)) << content;
  }
  std::filesystem::remove(folder_ + "/ca.crt");
  EXPECT_FALSE(current.Changed(&context_));
  Write("ca.crt", authority_.certificate_pem);
  EXPECT_FALSE(current.Changed(&context_));  // As it was.
}

}  // namespace
}  // namespace vicinal
