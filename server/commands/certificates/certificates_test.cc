#include "server/commands/certificates/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;

class CertificatesTest : public ::testing::Test {
 protected:
  ~CertificatesTest() override { std::filesystem::remove_all(directory_); }

  bool Make() {
    const absl::StatusOr<bool> made = MakeCertificates(options_);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() && *made;
  }

  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(Directory())) {
      std::stringstream content;
      content << std::ifstream(entry.path()).rdbuf();
      files[entry.path().filename()] = content.str();
    }
    return files;
  }

  std::string Directory() const { return options_.directory; }

  const std::string directory_ =
      ::testing::TempDir() + "/certificates-" + std::to_string(getpid());
  CertificatesOptions options_{.directory = directory_ + "/tls"};
};

// Whether the certificate is one that the authority has signed, for its key.
absl::Status Check(const std::map<std::string, std::string>& files,
                   const std::string& name) {
  const TlsContext context = NewTlsContext();
  absl::Status status = TrustCertificates(*context, files.at("ca.crt"));
  if (!status.ok()) return status;
  return UseCertificate(*context, files.at(name + ".crt"),
                        files.at(name + ".key"));
}

TEST_F(CertificatesTest, FiveFilesAndNoKeyOfTheAuthority) {
  EXPECT_TRUE(Make());
  const auto files = Files();
  std::vector<std::string> names;
  for (const auto& [name, content] : files) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("ca.crt", "client.crt", "client.key",
                                 "server.crt", "server.key"));
  EXPECT_TRUE(Check(files, "server").ok()) << Check(files, "server");
  EXPECT_TRUE(Check(files, "client").ok()) << Check(files, "client");
}

TEST_F(CertificatesTest, OnlyTheOwnerMayRead) {
  Make();
  struct stat status = {};
  ASSERT_EQ(stat(Directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
  for (const auto& [name, content] : Files()) {
    ASSERT_EQ(stat((Directory() + "/" + name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u) << name;
  }
}

TEST_F(CertificatesTest, AGoodSetStays) {
  Make();
  const auto files = Files();
  EXPECT_FALSE(Make());
  EXPECT_EQ(Files(), files);
}

TEST_F(CertificatesTest, WhatDoesNotFitTogetherIsReplacedAsAWhole) {
  Make();
  for (const auto& [name, content] : Files()) {
    const auto before = Files();
    std::filesystem::remove(Directory() + "/" + name);
    EXPECT_TRUE(Make()) << name;
    for (const auto& [other, changed] : Files()) {
      EXPECT_NE(changed, before.at(other)) << other << " without " << name;
    }
  }
  const auto old = Files();
  std::filesystem::remove(Directory() + "/ca.crt");
  Make();
  // The server's pair of another authority.
  std::ofstream(Directory() + "/server.crt") << old.at("server.crt");
  std::ofstream(Directory() + "/server.key") << old.at("server.key");
  EXPECT_TRUE(Make());
  EXPECT_TRUE(Check(Files(), "server").ok());
}

TEST_F(CertificatesTest, WhatEndsSoonIsRenewed) {
  options_.validity = std::chrono::hours(0);
  EXPECT_TRUE(Make());
  EXPECT_TRUE(Make());
  options_.validity = std::chrono::hours(24);
  EXPECT_TRUE(Make());
  EXPECT_FALSE(Make());
}

TEST_F(CertificatesTest, ADirectoryThatCannotBeWrittenIsNamed) {
  options_.directory = "/proc/vicinal";
  const absl::StatusOr<bool> made = MakeCertificates(options_);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(std::string(made.status().message()),
              ::testing::HasSubstr("/proc/vicinal"));
}

}  // namespace
}  // namespace vicinal
