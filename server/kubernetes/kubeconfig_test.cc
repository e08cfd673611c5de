#include "server/kubernetes/kubeconfig.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {
namespace {

class KubeconfigTest : public testing::Test {
 protected:
  KubeconfigTest()
      : folder_(testing::TempDir() + "kubeconfig_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()),
        authority_(MakeTestAuthority("test CA")),
        client_(IssueTestCertificate(
            authority_,
            {.common_name = "client", .dns_names = {}, .ip_addresses = {}})) {
    std::filesystem::create_directories(folder_);
  }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name) << content;
    return folder_ + "/" + name;
  }

  // A kubeconfig with one cluster and one user of the given fields (YAML flow
  // mappings).
  std::string WriteConfig(const std::string& cluster,
                          const std::string& user) const {
    return Write("config",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "contexts:\n- {name: c, context: {cluster: k, user: u}}\n"
                 "clusters:\n- {name: k, cluster: {" +
                     cluster +
                     "}}\n"
                     "users:\n- {name: u, user: {" +
                     user + "}}\n");
  }

  // The message of loading `content`, without the file's name, which every
  // message begins with.
  std::string ErrorOf(const std::string& path,
                      const std::string& context = "") const {
    const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path, context);
    if (config.ok()) return "no error";
    const std::string message(config.status().message());
    EXPECT_THAT(message, testing::StartsWith(path + ": "));
    return message.substr(path.size() + 2);
  }

  static std::string Base64(const std::string& text) {
    return absl::Base64Escape(text);
  }

  const std::string folder_;
  const TestCertificate authority_;
  const TestCertificate client_;
};

constexpr char kServer[] = "server: https://10.0.0.1:6443";

TEST_F(KubeconfigTest, ReadsInlineData) {
  const std::string path = WriteConfig(
      "server: https://api.example.org:6443/k8s/, tls-server-name: "
      "inner.example.org, "
      "certificate-authority-data: " +
          Base64(authority_.certificate_pem),
      "client-certificate-data: " + Base64(client_.certificate_pem) +
          ", client-key-data: " + Base64(client_.key_pem) + ", token: abc.def");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->tls);
  EXPECT_EQ(config->host, "api.example.org");
  EXPECT_EQ(config->port, 6443);
  EXPECT_EQ(config->path_prefix, "/k8s");
  EXPECT_EQ(config->certificate_authority_pem, authority_.certificate_pem);
  EXPECT_EQ(config->tls_server_name, "inner.example.org");
  EXPECT_FALSE(config->insecure_skip_tls_verify);
  EXPECT_EQ(config->client_certificate_pem, client_.certificate_pem);
  EXPECT_EQ(config->client_key_pem, client_.key_pem);
  EXPECT_EQ(config->certificate_authority_file, "");
  EXPECT_EQ(config->client_certificate_file, "");
  EXPECT_EQ(config->token, "abc.def");
  EXPECT_EQ(config->token_file, "");
}

TEST_F(KubeconfigTest, ReadsFilesRelativeToItself) {
  Write("ca.crt", authority_.certificate_pem);
  Write("client.crt", client_.certificate_pem);
  Write("client.key", client_.key_pem);
  const std::string token_path = Write("token", "from-file\n");
  const std::string path = WriteConfig(
      std::string(kServer) + ", certificate-authority: ca.crt",
      "client-certificate: client.crt, client-key: ./client.key, tokenFile: " +
          token_path);
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->certificate_authority_pem, authority_.certificate_pem);
  EXPECT_EQ(config->client_certificate_pem, client_.certificate_pem);
  EXPECT_EQ(config->client_key_pem, client_.key_pem);
  EXPECT_THAT(config->certificate_authority_file, testing::EndsWith("/ca.crt"));
  EXPECT_THAT(config->client_certificate_file,
              testing::EndsWith("/client.crt"));
  EXPECT_THAT(config->client_key_file, testing::EndsWith("/client.key"));
  EXPECT_EQ(config->token_file, token_path);
}

TEST_F(KubeconfigTest, InlineDataWinsOverAFile) {
  const std::string path = WriteConfig(
      std::string(kServer) +
          ", certificate-authority: missing.crt, certificate-authority-data: " +
          Base64(authority_.certificate_pem),
      "");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->certificate_authority_pem, authority_.certificate_pem);
}

TEST_F(KubeconfigTest, ReadsJson) {
  const std::string path = Write("config", R"({"current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "k"}}],
    "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:8001"}}]})");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->tls);
  EXPECT_EQ(config->port, 8001);
}

TEST_F(KubeconfigTest, ResolvesTheContextAskedFor) {
  const std::string path = Write("config", R"(
current-context: blue
contexts:
- {name: blue, context: {cluster: blue, user: reader}}
- {name: green, context: {cluster: green, user: writer}}
clusters:
- {name: blue, cluster: {server: "https://blue:1"}}
- {name: green, cluster: {server: "https://green:2", insecure-skip-tls-verify: true}}
users:
- {name: reader, user: {token: r}}
- {name: writer, user: {token: w}}
)");
  const absl::StatusOr<ClientConfig> blue = LoadKubeconfig(path);
  ASSERT_TRUE(blue.ok()) << blue.status();
  EXPECT_EQ(blue->host, "blue");
  EXPECT_EQ(blue->token, "r");
  EXPECT_FALSE(blue->insecure_skip_tls_verify);
  const absl::StatusOr<ClientConfig> green = LoadKubeconfig(path, "green");
  ASSERT_TRUE(green.ok()) << green.status();
  EXPECT_EQ(green->host, "green");
  EXPECT_EQ(green->token, "w");
  EXPECT_TRUE(green->insecure_skip_tls_verify);
}

TEST_F(KubeconfigTest, OfSeveralFilesTheFirstThatHasAnEntryCounts) {
  std::filesystem::create_directories(folder_ + "/other");
  Write("other/ca.crt", authority_.certificate_pem);
  const std::string one = Write("one", R"(
contexts:
- {name: blue, context: {cluster: blue, user: reader, namespace: shop}}
users:
- {name: reader, user: {token: first}}
)");
  const std::string two = Write("other/two", R"(
current-context: blue
contexts:
- {name: blue, context: {cluster: elsewhere}}
clusters:
- {name: blue, cluster: {server: "https://blue:1", certificate-authority: ca.crt}}
users:
- {name: reader, user: {token: second}}
)");
  const absl::StatusOr<Kubeconfig> merged = LoadKubeconfigs({one, two}, "");
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->client.host, "blue");
  EXPECT_EQ(merged->client.token, "first");
  EXPECT_EQ(merged->client.certificate_authority_pem,
            authority_.certificate_pem);
  EXPECT_EQ(merged->namespace_name, "shop");
  EXPECT_EQ(std::string(LoadKubeconfigs({one, two}, "red").status().message()),
            one + ":" + two +
                ": contexts: value \"red\": no entry has this name; there are: "
                "blue, blue");
}

TEST_F(KubeconfigTest, NullFieldsAreUnset) {
  const std::string path = WriteConfig(
      std::string(kServer) + ", proxy-url: null, certificate-authority: ~",
      "exec: null, token: \"\", username: ");
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(path);
  EXPECT_TRUE(config.ok()) << config.status();
}

TEST_F(KubeconfigTest, NamesWhatIsWrongWithTheFileAsAWhole) {
  EXPECT_EQ(ErrorOf(folder_ + "/missing"), "No such file or directory");
  EXPECT_EQ(ErrorOf(folder_), "not a regular file");
  EXPECT_EQ(ErrorOf(Write("empty", "")), "is not a kubeconfig: not a mapping");
  EXPECT_EQ(ErrorOf(Write("list", "- a\n- b\n")),
            "is not a kubeconfig: not a mapping");
  EXPECT_THAT(ErrorOf(Write("broken", "a: [1\nb: }")),
              testing::StartsWith("is not YAML: line 2"));
  EXPECT_THAT(ErrorOf(Write("binary", std::string("\0\x01\xff", 3))),
              testing::StartsWith("is not "));
  EXPECT_THAT(ErrorOf(Write("deep", std::string(100000, '['))),
              testing::StartsWith("is not YAML"));
}

TEST_F(KubeconfigTest, NamesWhatDoesNotResolve) {
  EXPECT_EQ(ErrorOf(Write("config", "kind: Config")),
            "current-context: is not set, and no context was asked for");
  EXPECT_EQ(ErrorOf(Write("config", "current-context: a")),
            "contexts: value \"a\": no entry has this name");
  EXPECT_EQ(ErrorOf(WriteConfig(kServer, ""), "other"),
            "contexts: value \"other\": no entry has this name; there are: c");
  EXPECT_EQ(ErrorOf(Write("config", "current-context: a\ncontexts: {name: a}")),
            "contexts: must be a list");
  EXPECT_EQ(ErrorOf(Write("config", "current-context: a\ncontexts: [a]")),
            "contexts[0]: must be a mapping");
  EXPECT_EQ(
      ErrorOf(Write("config", "current-context: a\ncontexts: [{name: a}]")),
      "contexts[a].context: is missing");
  EXPECT_EQ(
      ErrorOf(Write("config",
                    "current-context: a\ncontexts: [{name: a, context: x}]")),
      "contexts[a].context: must be a mapping");
  EXPECT_EQ(
      ErrorOf(Write("config",
                    "current-context: a\ncontexts: [{name: a, context: {}}]")),
      "contexts[a].context.cluster: is missing");
  const std::string context =
      "current-context: a\ncontexts: [{name: a, context: {cluster: k, user: "
      "u}}]\n";
  EXPECT_EQ(ErrorOf(Write("config", context)),
            "clusters: value \"k\": no entry has this name");
  EXPECT_EQ(
      ErrorOf(Write(
          "config",
          context + "clusters: [{name: k, cluster: {server: 'https://h'}}]\n"
                    "users: [{name: v, user: {}}]")),
      "users: value \"u\": no entry has this name; there are: v");
  EXPECT_EQ(ErrorOf(Write("config", context + "current-context: b")),
            "current-context: stands there twice");
}

TEST_F(KubeconfigTest, NamesWhatIsWrongWithTheCluster) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "server: is missing"},
      {"server: [a]", "server: must be a string"},
      {"server: '10.0.0.1:6443'",
       "server: value \"10.0.0.1:6443\": must begin with https:// or http://"},
      {"server: 'https://h:99999'",
       "server: value \"https://h:99999\": the port must be a number from 1 to "
       "65535"},
      {"server: \"https://h\\r\\nX\"",
       "server: value \"https://h\\r\\nX\": the host is not a DNS name or IP "
       "address"},
      {"proxy-url: 'http://p'",
       "proxy-url: is not supported: connect without a proxy"},
      {"insecure-skip-tls-verify: maybe",
       "insecure-skip-tls-verify: value \"maybe\": must be true or false"},
      {"tls-server-name: 'a b'",
       "tls-server-name: value \"a b\": is not a DNS name or IP address"},
      {"certificate-authority: missing.crt",
       "certificate-authority: value \"" + folder_ +
           "/missing.crt\": No such file or directory"},
      {"certificate-authority-data: '!!!'",
       "certificate-authority-data: is not base64"},
      {"certificate-authority-data: " + Base64("no PEM"),
       "certificate-authority-data: contains no PEM certificate"},
      {"certificate-authority-data: " +
           Base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END "
                  "CERTIFICATE-----\n"),
       "certificate-authority-data: a certificate does not parse: "},
      {"insecure-skip-tls-verify: true, certificate-authority-data: " +
           Base64(authority_.certificate_pem),
       "certificate-authority-data: must not be set together with "
       "insecure-skip-tls-verify"},
  };
  for (const auto& [fields, message] : cases) {
    const bool has_server = fields.empty() || fields.starts_with("server");
    EXPECT_THAT(
        ErrorOf(WriteConfig(
            has_server ? fields : std::string(kServer) + ", " + fields, "")),
        testing::StartsWith("clusters[k].cluster." + message))
        << fields;
  }
}

TEST_F(KubeconfigTest, NamesWhatIsWrongWithTheUser) {
  const TestCertificate other = IssueTestCertificate(
      authority_,
      {.common_name = "other", .dns_names = {}, .ip_addresses = {}});
  const std::string plugin =
      "what runs for long does not call credential plugins: use a token, a "
      "tokenFile or a client certificate";
  const std::string basic =
      "is not supported: use a token, a tokenFile or a client certificate";
  const std::string impersonation = "impersonation is not supported";
  const std::string certificate =
      "client-certificate-data: " + Base64(client_.certificate_pem);
  const std::string pair =
      "client-certificate-data and users[u].user.client-key-data: ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"exec: {command: aws, apiVersion: client.authentication.k8s.io/v1beta1}",
       "exec: " + plugin},
      {"exec: aws", "exec: must be a mapping"},
      {"exec: {command: aws}",
       "exec.apiVersion: value \"\": must be client.authentication.k8s.io/v1 "
       "or client.authentication.k8s.io/v1beta1"},
      {"exec: {apiVersion: client.authentication.k8s.io/v1}",
       "exec.command: is missing"},
      {"exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}",
       "exec.interactiveMode: is missing: Never, IfAvailable or Always"},
      {"exec: {command: aws, apiVersion: client.authentication.k8s.io/v1, "
       "interactiveMode: Sometimes}",
       "exec.interactiveMode: value \"Sometimes\": must be Never, IfAvailable "
       "or Always"},
      {"exec: {command: aws, apiVersion: client.authentication.k8s.io/v1, "
       "interactiveMode: Never, env: [{value: a}]}",
       "exec.env[0].name: must be the name of a variable"},
      {"auth-provider: {name: gcp}",
       "auth-provider: is not supported: kubectl has given it up for exec"},
      {"username: a", "username: " + basic},
      {"password: b", "password: " + basic},
      {"as: root", "as: " + impersonation},
      {"as-groups: [a]", "as-groups: " + impersonation},
      {"token: [a]", "token: must be a string"},
      {"token: \"a\\r\\nX-Header: b\"",
       "token: contains a blank or a character that is not ASCII"},
      {"tokenFile: missing", "tokenFile: value \"" + folder_ +
                                 "/missing\": No such file or directory"},
      {certificate,
       "client-certificate-data: needs client-key or client-key-data"},
      {"client-key-data: " + Base64(client_.key_pem),
       "client-key-data: needs client-certificate or client-certificate-data"},
      {certificate + ", client-key-data: " + Base64(other.key_pem),
       pair + "the key does not belong to the certificate"},
      {certificate + ", client-key-data: " + Base64("nothing"),
       pair + "the key contains no unencrypted PEM private key"},
      {certificate +
           ", client-key-data: " + Base64(EncryptTestKey(client_, "secret")),
       pair + "the key contains no unencrypted PEM private key"},
      {"client-certificate-data: " + Base64("nothing") +
           ", client-key-data: " + Base64(client_.key_pem),
       pair + "the certificate contains no PEM certificate"},
      {"client-key: " + folder_ + ", client-certificate-data: " + Base64("x"),
       "client-key: value \"" + folder_ + "\": not a regular file"},
  };
  for (const auto& [fields, message] : cases) {
    EXPECT_EQ(ErrorOf(WriteConfig(kServer, fields)), "users[u].user." + message)
        << fields;
  }
}

TEST_F(KubeconfigTest, DoesNotRepeatSecrets) {
  const std::string error = ErrorOf(WriteConfig(
      kServer, "client-key-data: '!hush!', client-certificate-data: eA=="));
  EXPECT_THAT(error, testing::HasSubstr("client-key-data: is not base64"));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("hush")));
  EXPECT_THAT(ErrorOf(WriteConfig(kServer, "token: \"hush hush\"")),
              testing::Not(testing::HasSubstr("hush")));
}

}  // namespace
}  // namespace vicinal
