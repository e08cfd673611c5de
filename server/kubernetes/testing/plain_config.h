#ifndef VICINAL_SERVER_KUBERNETES_TESTING_PLAIN_CONFIG_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_PLAIN_CONFIG_H_

#include "server/kubernetes/client_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {

// How a client reaches `server`, which has no TLS.
inline ClientConfig PlainConfigOf(const TestHttpServer& server) {
  ClientConfig config;
  config.tls = false;
  config.host = "127.0.0.1";
  config.port = server.port();
  return config;
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_PLAIN_CONFIG_H_
