#include "server/commands/flags/flags.h"

#include <string>

namespace vicinal {

void AddListenerSecurity(CLI::App* app, ListenerSecurity& security) {
  constexpr char kTls[] = "TLS";
  CLI::Option* cert_file =
      app->add_option("--tls-cert-file", security.tls.cert_file,
                      "PEM certificate, with its chain, of all listeners; read "
                      "again when it changes")
          ->group(kTls);
  CLI::Option* private_key_file =
      app->add_option("--tls-private-key-file", security.tls.private_key_file,
                      "PEM private key of --tls-cert-file, not encrypted")
          ->group(kTls);
  cert_file->needs(private_key_file);
  private_key_file->needs(cert_file);
  CLI::Option* client_ca_file =
      app->add_option("--client-ca-file", security.tls.client_ca_file,
                      "PEM certificates; clients must have one signed by any "
                      "of them, but for /healthz and /readyz")
          ->needs(cert_file)
          ->group(kTls);
  app->add_option("--client-crl-file", security.tls.client_crl_file,
                  "PEM revocation lists, one of each authority that signs "
                  "clients' certificates; read again when it changes. Who is "
                  "revoked is refused, over open connections too")
      ->needs(client_ca_file)
      ->group(kTls);
  AddChoice<TlsVersion>(
      app, "--tls-min-version", security.tls.min_version,
      {{"VersionTLS12", TlsVersion::k12}, {"VersionTLS13", TlsVersion::k13}},
      "the oldest version of TLS that clients may use")
      ->group(kTls);
  app->add_flag("--allow-insecure-listen", security.allow_insecure_listen,
                "let others than this machine reach listeners without TLS")
      ->group(kTls);
}

}  // namespace vicinal
