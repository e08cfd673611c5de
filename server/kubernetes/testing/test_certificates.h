#ifndef VICINAL_SERVER_KUBERNETES_TESTING_TEST_CERTIFICATES_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_TEST_CERTIFICATES_H_

#include <chrono>
#include <string>
#include <vector>

namespace vicinal {

// A certificate and its private key, both PEM.
struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

struct TestCertificateSpec {
  std::string common_name;
  std::vector<std::string> dns_names;  // subject alternative names
  std::vector<std::string> ip_addresses;
  std::chrono::hours valid_from{-1};  // relative to now
  std::chrono::hours valid_until{24};
};

TestCertificate MakeTestAuthority(const std::string& common_name);

// Signed by `authority`, good for servers and clients.
TestCertificate IssueTestCertificate(const TestCertificate& authority,
                                     const TestCertificateSpec& spec);

// The authority's list of certificates that it has revoked, PEM.
std::string MakeTestRevocationList(
    const TestCertificate& authority,
    const std::vector<TestCertificate>& revoked,
    std::chrono::hours valid_until = std::chrono::hours(24));

// The key, encrypted with a pass phrase.
std::string EncryptTestKey(const TestCertificate& certificate,
                           const std::string& pass_phrase);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_TEST_CERTIFICATES_H_
