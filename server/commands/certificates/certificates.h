// Certificates for vicinal's listeners on this machine and for the scheduler
// that asks there.
#ifndef VICINAL_SERVER_COMMANDS_CERTIFICATES_CERTIFICATES_H_
#define VICINAL_SERVER_COMMANDS_CERTIFICATES_CERTIFICATES_H_

#include <chrono>
#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

struct CertificatesOptions {
  std::string directory;  // Made if it is missing, for its owner only.
  std::chrono::hours validity{24 * 365 * 10};
  // The common name of the client's certificate.
  std::string client_name = "system:kube-scheduler";
};

// Makes an authority, and two certificates that it signs:
//
//   ca.crt                   the authority
//   server.crt, server.key   for 127.0.0.1, ::1 and localhost
//   client.crt, client.key   for a client
//
// The authority's key is written nowhere, so nobody can sign a third one. All
// keys are ECDSA P-256; all files can be read by their owner only. A set that
// is complete, fits together and has at least a third of its validity left
// stays as it is; any other is replaced as a whole. Returns whether it has
// been. Errors, which name the file: what cannot be written.
absl::StatusOr<bool> MakeCertificates(const CertificatesOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_CERTIFICATES_CERTIFICATES_H_
