#include "server/listeners/http/http_handler.h"

#include "core/model/json_writer.h"

namespace vicinal {

HttpResponse ErrorResponse(unsigned status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body = "{\"error\":";
  AppendJsonString(message, response.body);
  response.body += '}';
  return response;
}

}  // namespace vicinal
