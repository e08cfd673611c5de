#ifndef VICINAL_SERVER_KUBERNETES_API_REQUEST_H_
#define VICINAL_SERVER_KUBERNETES_API_REQUEST_H_

#include <string>

namespace vicinal {

// A request to the API server.
struct ApiRequest {
  std::string method = "GET";
  std::string target;  // A path and query below the server's prefix.
  // An empty body: without one.
  std::string body = {};
  std::string content_type = "application/json";
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_REQUEST_H_
