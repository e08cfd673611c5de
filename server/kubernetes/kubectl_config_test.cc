#include "server/kubernetes/kubectl_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/status/status.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class KubectlConfigTest : public testing::Test {
 protected:
  KubectlConfigTest()
      : folder_(testing::TempDir() + "kubectl_config_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_ + "/.kube");
    unsetenv("KUBECONFIG");
    setenv("HOME", folder_.c_str(), 1);
  }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name) << content;
    return folder_ + "/" + name;
  }

  // A kubeconfig whose plugin runs `script`, and the fields `more` of exec.
  std::string WriteWithPlugin(const std::string& script,
                              const std::string& more = "",
                              const std::string& version = "v1") const {
    std::filesystem::permissions(Write("plugin", "#!/bin/sh\n" + script),
                                 std::filesystem::perms::owner_all);
    return Write(".kube/config", R"(
current-context: c
contexts:
- {name: c, context: {cluster: k, user: u, namespace: shop}}
clusters:
- name: k
  cluster:
    server: https://api:6443
    extensions:
    - {name: client.authentication.k8s.io/exec, extension: {audience: "06", level: 3}}
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/)" +
                                     version +
                                     R"(
      command: ../plugin
      interactiveMode: Never
)" + more);
  }

  static std::string Token(const std::string& rest,
                           const std::string& version = "v1") {
    return "echo '{\"kind\": \"ExecCredential\", \"apiVersion\": "
           "\"client.authentication.k8s.io/" +
           version + "\", \"status\": {" + rest + "}}'\n";
  }

  std::string Error(const std::string& script, const std::string& more = "") {
    WriteWithPlugin(script, more);
    const auto config = LoadKubectlConfig("", "");
    return config.ok() ? "no error" : std::string(config.status().message());
  }

  const std::string folder_;
};

TEST_F(KubectlConfigTest, ReadsTheFilesThatKubectlReads) {
  EXPECT_THAT(KubectlFiles(), IsEmpty());
  EXPECT_THAT(std::string(LoadKubectlConfig("", "").status().message()),
              HasSubstr("there is no kubeconfig"));
  const std::string home = Write(".kube/config", "");
  EXPECT_THAT(KubectlFiles(), ElementsAre(home));
  const std::string one = Write("one", "");
  const std::string two = Write("two", "");
  setenv("KUBECONFIG", (one + "::" + folder_ + "/missing:" + two).c_str(), 1);
  EXPECT_THAT(KubectlFiles(), ElementsAre(one, two));
  setenv("KUBECONFIG", (folder_ + "/missing").c_str(), 1);
  EXPECT_THAT(KubectlFiles(), IsEmpty());
}

TEST_F(KubectlConfigTest, ThePluginsTokenIsUsed) {
  for (const std::string version : {"v1", "v1beta1"}) {
    WriteWithPlugin(Token(R"("token": "'"$1.$COLOUR"'", )"
                          R"("expirationTimestamp": "2999-01-01T00:00:00Z")",
                          version),
                    R"yaml(
      args: ["a$(id)"]
      env: [{name: COLOUR, value: blue}])yaml",
                    version);
    const auto config = LoadKubectlConfig("", "");
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->client.token, "a$(id).blue");
    EXPECT_EQ(config->client.host, "api");
    EXPECT_EQ(config->namespace_name, "shop");
  }
}

TEST_F(KubectlConfigTest, ThePluginsCertificateIsUsed) {
  const TestCertificate client = IssueTestCertificate(
      MakeTestAuthority("test CA"),
      {.common_name = "client", .dns_names = {}, .ip_addresses = {}});
  const nlohmann::json credential = {
      {"kind", "ExecCredential"},
      {"apiVersion", "client.authentication.k8s.io/v1"},
      {"status",
       {{"clientCertificateData", client.certificate_pem},
        {"clientKeyData", client.key_pem}}}};
  const std::string file = Write("credential", credential.dump());
  WriteWithPlugin("cat '" + file + "'\n");
  const auto config = LoadKubectlConfig("", "");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->client.client_certificate_pem, client.certificate_pem);
  EXPECT_EQ(config->client.client_key_pem, client.key_pem);
}

TEST_F(KubectlConfigTest, ThePluginIsToldOfTheClusterIfItWants) {
  const std::string told = folder_ + "/told";
  const std::string script = "printf %s \"$KUBERNETES_EXEC_INFO\" > '" + told +
                             "'\n" + Token(R"("token": "t")");
  const auto info = [&] {
    EXPECT_TRUE(LoadKubectlConfig("", "").ok());
    std::ifstream file(told);
    return nlohmann::json::parse(file);
  };
  WriteWithPlugin(script);
  EXPECT_EQ(info(), nlohmann::json::parse(R"({
      "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
      "spec": {"interactive": false}})"));
  WriteWithPlugin(script, "      provideClusterInfo: true\n");
  EXPECT_EQ(info()["spec"]["cluster"], nlohmann::json::parse(R"({
      "server": "https://api:6443",
      "config": {"audience": "06", "level": 3}})"));
}

TEST_F(KubectlConfigTest, SaysWhatIsWrongWithThePlugin) {
  const std::string where =
      "users[u].user.exec: " + folder_ + "/.kube/../plugin: ";
  EXPECT_EQ(Error("exit 3"), where + "ended with exit status 3");
  EXPECT_EQ(Error("echo hush"), where + "prints no JSON object");
  EXPECT_EQ(Error("echo '{\"kind\": \"Pod\"}'"),
            where + "prints no object of kind ExecCredential");
  EXPECT_EQ(Error(Token(R"("token": "hush")", "v1beta1")),
            where +
                "prints an ExecCredential of "
                "client.authentication.k8s.io/v1beta1, and the kubeconfig says "
                "client.authentication.k8s.io/v1");
  EXPECT_EQ(Error(Token("")), where +
                                  "prints neither status.token nor "
                                  "status.clientCertificateData");
  EXPECT_EQ(Error(Token(R"("token": 7)")),
            where + "its status.token is not a string");
  EXPECT_EQ(Error(Token(R"("token": "hush hush")")),
            where +
                "its status.token contains a blank or a character that is not "
                "ASCII");
  EXPECT_EQ(Error(Token(R"("token": "hush", )"
                        R"("expirationTimestamp": "2001-01-01T00:00:00Z")")),
            where + "its credentials have expired at 2001-01-01T00:00:00Z");
  EXPECT_EQ(Error(Token(R"("clientKeyData": "hush")")),
            where +
                "prints only one of status.clientCertificateData and "
                "clientKeyData");
  EXPECT_THAT(Error(Token(R"("clientCertificateData": "hush", )"
                          R"("clientKeyData": "hush")")),
              Not(HasSubstr("hush")));
}

TEST_F(KubectlConfigTest, SaysHowToInstallAPluginThatIsMissing) {
  WriteWithPlugin("", "      installHint: get it from the vendor\n");
  std::filesystem::remove(folder_ + "/plugin");
  EXPECT_THAT(std::string(LoadKubectlConfig("", "").status().message()),
              testing::EndsWith("plugin: no such program that can be "
                                "executed\nget it from the vendor"));
}

TEST_F(KubectlConfigTest, ATokenInTheFileNeedsNoPlugin) {
  const std::string path = WriteWithPlugin("exit 1");
  std::ofstream(path, std::ios::app) << "    token: mine\n";
  const auto config = LoadKubectlConfig("", "");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->client.token, "mine");
}

}  // namespace
}  // namespace vicinal
