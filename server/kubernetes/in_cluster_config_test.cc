#include "server/kubernetes/in_cluster_config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

class InClusterConfigTest : public testing::Test {
 protected:
  InClusterConfigTest()
      : folder_(testing::TempDir() + "in_cluster_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()),
        authority_(MakeTestAuthority("test CA").certificate_pem) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/token") << "token\n";
    std::ofstream(folder_ + "/ca.crt") << authority_;
  }

  std::string ErrorOf(const std::string& host, const std::string& port) const {
    return std::string(
        InClusterConfig({host, port, folder_}).status().message());
  }

  const std::string folder_;
  const std::string authority_;
};

TEST_F(InClusterConfigTest, UsesTheServiceAccount) {
  const absl::StatusOr<ClientConfig> config =
      InClusterConfig({"10.96.0.1", "443", folder_});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->tls);
  EXPECT_FALSE(config->insecure_skip_tls_verify);
  EXPECT_EQ(config->host, "10.96.0.1");
  EXPECT_EQ(config->port, 443);
  EXPECT_EQ(config->token_file, folder_ + "/token");
  EXPECT_EQ(config->certificate_authority_pem, authority_);
  EXPECT_TRUE(config->certificate_authority_file.ends_with("/ca.crt"));
}

TEST_F(InClusterConfigTest, TakesAnIpv6ServiceAddress) {
  const absl::StatusOr<ClientConfig> config =
      InClusterConfig({"fd00::1", "6443", folder_});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->host, "fd00::1");
}

TEST_F(InClusterConfigTest, ReadsTheVariablesOfTheProcess) {
  setenv("KUBERNETES_SERVICE_HOST", "10.0.0.9", 1);
  setenv("KUBERNETES_SERVICE_PORT", "8443", 1);
  const InClusterEnvironment environment =
      InClusterEnvironment::OfThisProcess();
  EXPECT_EQ(environment.service_host, "10.0.0.9");
  EXPECT_EQ(environment.service_port, "8443");
  EXPECT_EQ(environment.service_account_dir,
            "/var/run/secrets/kubernetes.io/serviceaccount");
}

TEST_F(InClusterConfigTest, NamesTheVariableThatIsWrong) {
  const std::string outside =
      "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
      "must be set";
  EXPECT_EQ(ErrorOf("", "443"), outside);
  EXPECT_EQ(ErrorOf("10.0.0.1", ""), outside);
  EXPECT_EQ(ErrorOf("10.0.0.1", "tcp"),
            "KUBERNETES_SERVICE_PORT: value \"tcp\": the port must be a number "
            "from 1 to 65535");
  EXPECT_EQ(ErrorOf("a b", "443"),
            "KUBERNETES_SERVICE_HOST: value \"a b\": is not a DNS name or IP "
            "address");
  EXPECT_EQ(ErrorOf("host/path", "443"),
            "KUBERNETES_SERVICE_HOST: value \"host/path\": is not a DNS name "
            "or IP address");
}

TEST_F(InClusterConfigTest, NamesTheFileThatIsWrong) {
  std::ofstream(folder_ + "/ca.crt") << "nothing";
  EXPECT_EQ(ErrorOf("10.0.0.1", "443"),
            folder_ + "/ca.crt: contains no PEM certificate");
  std::filesystem::remove(folder_ + "/ca.crt");
  EXPECT_EQ(ErrorOf("10.0.0.1", "443"),
            folder_ + "/ca.crt: No such file or directory");
  std::filesystem::remove(folder_ + "/token");
  EXPECT_EQ(ErrorOf("10.0.0.1", "443"),
            folder_ + "/token: No such file or directory");
}

}  // namespace
}  // namespace vicinal
