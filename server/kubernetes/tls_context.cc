#include "server/kubernetes/tls_context.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>

#include "server/kubernetes/x509.h"

namespace vicinal {
namespace {

struct RevocationListDeleter {
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
};
struct VerificationDeleter {
  void operator()(X509_STORE_CTX* context) const {
    X509_STORE_CTX_free(context);
  }
};
struct StackDeleter {
  void operator()(STACK_OF(X509) * stack) const {
    sk_X509_pop_free(stack, X509_free);
  }
};

// OpenSSL would otherwise ask for a pass phrase on the terminal.
int NoPassPhrase(char*, int, int, void*) { return 0; }

// The oldest queued error, as text; empties the queue.
std::string TakeError() {
  const unsigned long code = ERR_get_error();
  const char* const reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown OpenSSL error";
}

// The next certificate; null and OK at the end.
absl::StatusOr<Certificate> NextCertificate(BIO& bio) {
  Certificate certificate(
      PEM_read_bio_X509(&bio, nullptr, &NoPassPhrase, nullptr));
  if (certificate == nullptr) {
    const unsigned long error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) != ERR_LIB_PEM ||
        ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
      return absl::InvalidArgumentError("a certificate does not parse: " +
                                        TakeError());
    }
    ERR_clear_error();
  }
  return certificate;
}

bool IsIpAddress(const std::string& name) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address) == 1;
}

}  // namespace

void TlsContextDeleter::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

TlsContext NewTlsContext() {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

absl::Status TrustCertificates(ssl_ctx_st& context, const std::string& pem) {
  ERR_clear_error();
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  // An intermediate that is named as trusted is trusted, as in Go's client.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  const Bio bio = ReadFrom(pem);
  for (int count = 0;; ++count) {
    const absl::StatusOr<Certificate> certificate = NextCertificate(*bio);
    if (!certificate.ok()) return certificate.status();
    if (*certificate == nullptr) {
      return count > 0
                 ? absl::OkStatus()
                 : absl::InvalidArgumentError("contains no PEM certificate");
    }
    if (X509_STORE_add_cert(store, certificate->get()) != 1) {
      return absl::InvalidArgumentError("a certificate cannot be used: " +
                                        TakeError());
    }
  }
}

absl::Status UseRevocationLists(ssl_ctx_st& context, const std::string& pem) {
  ERR_clear_error();
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  const Bio bio = ReadFrom(pem);
  for (int count = 0;; ++count) {
    const std::unique_ptr<X509_CRL, RevocationListDeleter> list(
        PEM_read_bio_X509_CRL(bio.get(), nullptr, &NoPassPhrase, nullptr));
    if (list == nullptr) {
      const unsigned long error = ERR_peek_last_error();
      const bool at_end = ERR_GET_LIB(error) == ERR_LIB_PEM &&
                          ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
      const std::string why = TakeError();
      if (!at_end) {
        return absl::InvalidArgumentError("a revocation list does not parse: " +
                                          why);
      }
      if (count == 0) {
        return absl::InvalidArgumentError("contains no PEM revocation list");
      }
      break;
    }
    if (X509_STORE_add_crl(store, list.get()) != 1) {
      return absl::InvalidArgumentError("a revocation list cannot be used: " +
                                        TakeError());
    }
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  return absl::OkStatus();
}

absl::Status VerifyClient(ssl_ctx_st& context, x509_st& certificate,
                          stack_st_X509* chain) {
  const std::unique_ptr<X509_STORE_CTX, VerificationDeleter> verification(
      X509_STORE_CTX_new());
  if (verification == nullptr ||
      X509_STORE_CTX_init(verification.get(), SSL_CTX_get_cert_store(&context),
                          &certificate, chain) != 1 ||
      X509_STORE_CTX_set_default(verification.get(), "ssl_client") != 1) {
    return absl::InternalError("the certificate cannot be verified: " +
                               TakeError());
  }
  if (X509_verify_cert(verification.get()) == 1) return absl::OkStatus();
  ERR_clear_error();
  return absl::UnauthenticatedError(X509_verify_cert_error_string(
      X509_STORE_CTX_get_error(verification.get())));
}

absl::Status VerifyClient(ssl_ctx_st& context, const std::string& pem) {
  ERR_clear_error();
  const Bio bio = ReadFrom(pem);
  absl::StatusOr<Certificate> first = NextCertificate(*bio);
  if (!first.ok()) return first.status();
  if (*first == nullptr) {
    return absl::InvalidArgumentError("contains no PEM certificate");
  }
  const std::unique_ptr<STACK_OF(X509), StackDeleter> chain(sk_X509_new_null());
  while (true) {
    absl::StatusOr<Certificate> next = NextCertificate(*bio);
    if (!next.ok()) return next.status();
    if (*next == nullptr) break;
    sk_X509_push(chain.get(), next->release());
  }
  return VerifyClient(context, **first, chain.get());
}

absl::Status UseCertificate(ssl_ctx_st& context,
                            const std::string& certificate_pem,
                            const std::string& key_pem) {
  ERR_clear_error();
  const Bio certificates = ReadFrom(certificate_pem);
  for (int count = 0;; ++count) {
    absl::StatusOr<Certificate> certificate = NextCertificate(*certificates);
    if (!certificate.ok()) return certificate.status();
    if (*certificate == nullptr) {
      if (count > 0) break;
      return absl::InvalidArgumentError(
          "the certificate contains no PEM certificate");
    }
    const long added =
        count == 0 ? SSL_CTX_use_certificate(&context, certificate->get())
                   : SSL_CTX_add1_chain_cert(&context, certificate->get());
    if (added != 1) {
      return absl::InvalidArgumentError("the certificate cannot be used: " +
                                        TakeError());
    }
  }
  const Bio key_bio = ReadFrom(key_pem);
  const Key key(
      PEM_read_bio_PrivateKey(key_bio.get(), nullptr, &NoPassPhrase, nullptr));
  if (key == nullptr) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        "the key contains no unencrypted PEM private key");
  }
  if (SSL_CTX_use_PrivateKey(&context, key.get()) != 1 ||
      SSL_CTX_check_private_key(&context) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        "the key does not belong to the certificate");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::chrono::sys_seconds> CertificateExpiration(
    const std::string& pem) {
  ERR_clear_error();
  const absl::StatusOr<Certificate> certificate =
      NextCertificate(*ReadFrom(pem));
  if (!certificate.ok()) return certificate.status();
  std::tm end = {};
  if (*certificate == nullptr ||
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate->get()), &end) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError("contains no PEM certificate");
  }
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&end)));
}

absl::StatusOr<TlsContext> MakeTlsContext(const ClientConfig& config) {
  TlsContext context = NewTlsContext();
  if (config.insecure_skip_tls_verify) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  } else if (config.certificate_authority_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) {
      return absl::FailedPreconditionError(
          "the machine's trusted certificates: " + TakeError());
    }
  } else {
    const absl::Status trusted =
        TrustCertificates(*context, config.certificate_authority_pem);
    if (!trusted.ok()) {
      return absl::InvalidArgumentError("certificate authority: " +
                                        std::string(trusted.message()));
    }
  }
  if (!config.client_certificate_pem.empty() ||
      !config.client_key_pem.empty()) {
    const absl::Status used = UseCertificate(
        *context, config.client_certificate_pem, config.client_key_pem);
    if (!used.ok()) {
      return absl::InvalidArgumentError("client certificate: " +
                                        std::string(used.message()));
    }
  }
  return context;
}

absl::Status ExpectServerName(ssl_st& connection, const std::string& name) {
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(&connection);
  if (name.empty()) {  // OpenSSL would take it as "any name".
    return absl::InvalidArgumentError("the TLS server name is empty");
  }
  bool ok = false;
  if (IsIpAddress(name)) {
    ok = X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) ==
         1;  // SNI carries no addresses.
  } else {
    X509_VERIFY_PARAM_set_hostflags(parameters,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                        X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    ok = X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size()) ==
             1 &&
         SSL_set_tlsext_host_name(&connection, name.c_str()) == 1;
  }
  if (ok) return absl::OkStatus();
  ERR_clear_error();
  return absl::InvalidArgumentError("\"" + name +
                                    "\" cannot be a TLS server name");
}

std::string CertificateProblem(ssl_st& connection) {
  const long result = SSL_get_verify_result(&connection);
  return result == X509_V_OK ? "" : X509_verify_cert_error_string(result);
}

}  // namespace vicinal
