#include "server/listeners/http/testing/http2_client.h"

#include <glog/logging.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "server/listeners/http/http2_field.h"

namespace vicinal {
namespace {

std::string Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

struct Http2Client::Callbacks {
  static Http2Client& Of(void* user_data) {
    return *static_cast<Http2Client*>(user_data);
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user_data) {
    Http2Answer& answer = Of(user_data).answers_[frame->hd.stream_id];
    const std::string field = Text(name, name_size);
    const std::string text = Text(value, value_size);
    if (field == ":status") {
      answer.status = std::stoi(text);
    } else {
      answer.fields[field] = text;
    }
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id,
                    const std::uint8_t* data, std::size_t size,
                    void* user_data) {
    Of(user_data).answers_[id].body += Text(data, size);
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame,
                     void* user_data) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Of(user_data).told_to_go_away_ = true;
    if (frame->hd.type == NGHTTP2_PING &&
        (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
      ++Of(user_data).pings_answered_;
    }
    return 0;
  }

  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t error,
                     void* user_data) {
    Http2Answer& answer = Of(user_data).answers_[id];
    answer.closed = true;
    answer.error = error;
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t* out,
                          std::size_t size, std::uint32_t* flags,
                          nghttp2_data_source*, void* user_data) {
    Body& body = Of(user_data).bodies_[id];
    size = std::min(size, body.bytes.size() - body.sent);
    if (size == 0 && !body.whole) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(out, body.bytes.data() + body.sent, size);
    body.sent += size;
    if (body.whole && body.sent == body.bytes.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(size);
  }
};

void Http2Client::Deleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Client::Http2Client(std::int32_t window) {
  nghttp2_session_callbacks* callbacks = nullptr;
  CHECK_EQ(nghttp2_session_callbacks_new(&callbacks), 0);
  nghttp2_session_callbacks_set_on_header_callback(callbacks,
                                                   Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                            Callbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       Callbacks::OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         Callbacks::OnClose);
  nghttp2_session* session = nullptr;
  CHECK_EQ(nghttp2_session_client_new(&session, callbacks, this), 0);
  session_.reset(session);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
       static_cast<std::uint32_t>(window)}};
  CHECK_EQ(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                   std::size(settings)),
           0);
  CHECK_EQ(nghttp2_session_set_local_window_size(
               session, NGHTTP2_FLAG_NONE, 0,
               std::max(window, NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE)),
           0);
}

Http2Client::~Http2Client() = default;

std::int32_t Http2Client::Ask(std::string_view method, std::string_view path,
                              std::string_view body) {
  return Submit(method, path, {.bytes = std::string(body)}, {});
}

std::int32_t Http2Client::AskSlowly(std::string_view path) {
  return Submit("POST", path, {.bytes = "", .whole = false}, {});
}

void Http2Client::GoOn(std::int32_t stream, std::string_view body, bool end) {
  Body& to_send = bodies_.at(stream);
  to_send.bytes += body;
  to_send.whole = end;
  nghttp2_session_resume_data(session_.get(), stream);
}

std::int32_t Http2Client::AskWith(
    std::string_view path,
    const std::vector<std::pair<std::string, std::string>>& fields) {
  return Submit("GET", path, {}, fields);
}

std::int32_t Http2Client::Submit(
    std::string_view method, std::string_view path, Body body,
    const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<nghttp2_nv> fields = {
      Http2Field(":method", method), Http2Field(":scheme", "https"),
      Http2Field(":authority", "h"), Http2Field(":path", path)};
  for (const auto& [name, value] : more)
    fields.push_back(Http2Field(name, value));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::ReadBody;
  const bool has_body = !body.bytes.empty() || !body.whole;
  const std::int32_t stream = nghttp2_submit_request(
      session_.get(), nullptr, fields.data(), fields.size(),
      has_body ? &provider : nullptr, nullptr);
  CHECK_GT(stream, 0) << nghttp2_strerror(stream);
  bodies_[stream] = std::move(body);
  return stream;
}

void Http2Client::Cancel(std::int32_t stream) {
  CHECK_EQ(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream,
                                     NGHTTP2_CANCEL),
           0);
}

void Http2Client::Ping() {
  CHECK_EQ(nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr), 0);
}

std::string Http2Client::Output() {
  std::string output;
  while (true) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    CHECK_GE(size, 0) << nghttp2_strerror(static_cast<int>(size));
    if (size == 0) return output;
    output += Text(bytes, static_cast<std::size_t>(size));
  }
}

void Http2Client::Receive(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
      bytes.size());
  CHECK_EQ(taken, static_cast<ssize_t>(bytes.size()))
      << nghttp2_strerror(static_cast<int>(taken));
}

const Http2Answer& Http2Client::answer(std::int32_t stream) const {
  static const Http2Answer kNone;
  const auto found = answers_.find(stream);
  return found == answers_.end() ? kNone : found->second;
}

}  // namespace vicinal
