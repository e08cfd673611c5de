// X.509 certificates and their keys, with OpenSSL.
//
//   KeyPair authority = DraftCertificate("ca", -hours(1), hours(24));
//   AddExtension(authority, authority, NID_basic_constraints, "CA:TRUE");
//   Sign(authority, authority);
//
// What OpenSSL cannot do ends the process: memory or randomness lack.
#ifndef VICINAL_SERVER_KUBERNETES_X509_H_
#define VICINAL_SERVER_KUBERNETES_X509_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>

namespace vicinal {

struct OpensslDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, OpensslDeleter>;
using Certificate = std::unique_ptr<X509, OpensslDeleter>;
using Key = std::unique_ptr<EVP_PKEY, OpensslDeleter>;

struct KeyPair {
  Certificate certificate;
  Key key;
};

// A new key, and a certificate of it that lacks the issuer, the extensions and
// the signature. Both times are relative to now.
KeyPair DraftCertificate(const std::string& common_name,
                         std::chrono::hours valid_from,
                         std::chrono::hours valid_until);

// `value` is as in a configuration of OpenSSL: "critical,CA:FALSE".
void AddExtension(KeyPair& pair, const KeyPair& issuer, int nid,
                  const std::string& value);

// Names the issuer and both keys, and signs. An authority signs itself.
void Sign(KeyPair& pair, const KeyPair& issuer);

// Reads from the text, which must outlive it.
Bio ReadFrom(const std::string& text);

// What has been written into a BIO in memory.
std::string Contents(BIO& bio);

std::string ToPem(X509& certificate);
std::string ToPem(EVP_PKEY& key);

// Null if the text is no such PEM.
Certificate CertificateFromPem(const std::string& pem);
Key KeyFromPem(const std::string& pem);

// Of its subject; "" without one, and with several: none of them is the one
// that was meant.
std::string CommonNameOf(const X509& certificate);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_X509_H_
