#include "server/commands/certificates/command.h"

#include <chrono>
#include <iostream>
#include <memory>

#include "absl/status/statusor.h"
#include "server/commands/certificates/certificates.h"
#include "server/commands/flags/flags.h"

namespace vicinal {

void AddCertificates(CLI::App& app, std::function<absl::Status()>& action) {
  const auto options = std::make_shared<CertificatesOptions>();
  CLI::App* certificates = app.add_subcommand(
      "certificates",
      "Make certificates for vicinal's listeners on loopback addresses and for "
      "the scheduler that asks there.");
  certificates
      ->add_option("--directory", options->directory,
                   "where ca.crt, server.crt, server.key, client.crt and "
                   "client.key go; best in memory. Files that are good for a "
                   "third of their validity still are kept")
      ->required();
  AddDuration<std::chrono::days>(certificates, "--valid-days",
                                 options->validity,
                                 "days that new certificates are valid")
      ->check(CLI::Range(1, 36500));
  certificates
      ->add_option("--client-name", options->client_name,
                   "common name of the client's certificate")
      ->capture_default_str();
  certificates->callback([options, &action] {
    action = [options] {
      const absl::StatusOr<bool> made = MakeCertificates(*options);
      if (!made.ok()) return made.status();
      std::cout << options->directory << ": "
                << (*made ? "new certificates" : "certificates are kept")
                << std::endl;
      return absl::OkStatus();
    };
  });
}

}  // namespace vicinal
