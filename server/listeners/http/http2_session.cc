#include "server/listeners/http/http2_session.h"

#include <glog/logging.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "server/listeners/http/http2_field.h"

namespace vicinal {
namespace {

// How much of a request may be under way before its client waits for us.
constexpr std::int32_t kStreamWindow = 1 << 20;
constexpr std::int32_t kConnectionWindow = 16 << 20;
// Of one frame: the names of some thousand nodes.
constexpr std::uint32_t kMaxFrameBytes = 256 << 10;
constexpr std::size_t kOutputBytes = 64 << 10;
// What RFC 9113 adds to each field's name and value.
constexpr std::size_t kFieldOverhead = 32;
// Of pings and settings that are not acknowledged yet, since the client does
// not read.
constexpr std::size_t kMaxUnsentAcks = 100;

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// What nghttp2 cannot do here is only for lack of memory, or because the stream
// or the connection is at its end, which its callbacks tell.
void Check(int result) {
  CHECK(result != NGHTTP2_ERR_NOMEM) << nghttp2_strerror(result);
}

}  // namespace

struct Http2Session::Callbacks {
  static Http2Session& Of(void* user_data) {
    return *static_cast<Http2Session*>(user_data);
  }

  static int OnBeginHeaders(nghttp2_session* session,
                            const nghttp2_frame* frame, void* user_data) {
    Http2Session& self = Of(user_data);
    const std::int32_t id = frame->hd.stream_id;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // A trailer.
    // Who resets requests does not get more handlers to run than who waits.
    if (self.streams_.size() >= kMaxStreams) {
      Check(nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id,
                                      NGHTTP2_REFUSED_STREAM));
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    self.streams_[id].since = self.now_;
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user_data) {
    Http2Session& self = Of(user_data);
    const std::int32_t id = frame->hd.stream_id;
    Stream* const stream = self.Find(id);
    if (stream == nullptr || stream->answered) return 0;
    stream->header_bytes += name_size + value_size + kFieldOverhead;
    if (stream->header_bytes > self.limits_.max_header_bytes) {
      self.Refuse(id, *stream, 431, "request header is too large");
      return 0;
    }
    const std::string_view field = View(name, name_size);
    if (field == ":method") stream->method = View(value, value_size);
    if (field == ":path") stream->path = View(value, value_size);
    if (field == "if-none-match") {
      stream->if_none_match = View(value, value_size);
    }
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id,
                    const std::uint8_t* data, std::size_t size,
                    void* user_data) {
    Http2Session& self = Of(user_data);
    Stream* const stream = self.Find(id);
    if (stream == nullptr || stream->answered) return 0;
    if (size > self.limits_.max_body_bytes - self.held_bytes_) {
      self.Refuse(id, *stream, 413, "request body is too large");
      return 0;
    }
    stream->body.append(View(data, size));
    stream->held_bytes += size;
    self.held_bytes_ += size;
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame,
                     void* user_data) {
    Http2Session& self = Of(user_data);
    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
      return 0;
    }
    Stream* const stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->whole = true;
    if (stream->answered) return 0;
    stream->asked = true;
    self.whole_requests_.push_back({frame->hd.stream_id, stream->method,
                                    std::move(stream->path),
                                    std::move(stream->body), stream->is_gone,
                                    std::move(stream->if_none_match)});
    return 0;
  }

  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame,
                    void* user_data) {
    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
      return 0;
    }
    // Whose request was refused while it arrived need not send the rest.
    const Stream* const stream = Of(user_data).Find(frame->hd.stream_id);
    if (stream != nullptr && !stream->whole) {
      Check(nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE,
                                      frame->hd.stream_id, NGHTTP2_NO_ERROR));
    }
    return 0;
  }

  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t,
                     void* user_data) {
    Http2Session& self = Of(user_data);
    Stream* const stream = self.Find(id);
    if (stream == nullptr) return 0;
    *stream->is_gone = true;
    stream->closed = true;
    if (!stream->asked) self.Finish(id, *stream);
    return 0;
  }

  static ssize_t ReadAnswer(nghttp2_session*, std::int32_t id,
                            std::uint8_t* out, std::size_t size,
                            std::uint32_t* flags, nghttp2_data_source*,
                            void* user_data) {
    Stream* const stream = Of(user_data).Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::string& body = stream->answer.body;
    size = std::min(size, body.size() - stream->sent);
    std::memcpy(out, body.data() + stream->sent, size);
    stream->sent += size;
    if (stream->sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
};

void Http2Session::Deleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Session::Http2Session(const Limits& limits) : limits_(limits) {
  nghttp2_session_callbacks* callbacks = nullptr;
  Check(nghttp2_session_callbacks_new(&callbacks));
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, Callbacks::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks,
                                                   Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                            Callbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       Callbacks::OnFrame);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks,
                                                       Callbacks::OnSent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         Callbacks::OnClose);
  nghttp2_option* option = nullptr;
  Check(nghttp2_option_new(&option));
  nghttp2_option_set_max_outbound_ack(option, kMaxUnsentAcks);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session* session = nullptr;
  Check(nghttp2_session_server_new2(&session, callbacks, this, option));
  session_.reset(session);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxStreams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kMaxFrameBytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(limits_.max_header_bytes)},
  };
  Check(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                std::size(settings)));
  Check(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                              kConnectionWindow));
}

Http2Session::~Http2Session() {
  for (auto& [id, stream] : streams_) *stream.is_gone = true;
}

absl::Status Http2Session::Receive(std::string_view bytes, TimePoint now) {
  now_ = now;
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
      bytes.size());
  if (taken >= 0) return absl::OkStatus();
  Check(static_cast<int>(taken));
  return absl::InvalidArgumentError(std::string("HTTP/2: ") +
                                    nghttp2_strerror(static_cast<int>(taken)));
}

std::vector<Http2Session::Request> Http2Session::TakeRequests() {
  return std::exchange(whole_requests_, {});
}

void Http2Session::Answer(std::int32_t stream_id, HttpResponse answer,
                          Budget::Share share, TimePoint now) {
  Stream* const stream = Find(stream_id);
  CHECK(stream != nullptr && stream->asked) << "stream " << stream_id;
  stream->asked = false;
  if (stream->closed) {
    Finish(stream_id, *stream);
    return;
  }
  now_ = now;
  stream->answer = std::move(answer);
  stream->share = std::make_unique<Budget::Share>(std::move(share));
  Submit(stream_id, *stream);
}

void Http2Session::Expire(TimePoint now) {
  now_ = now;
  std::vector<std::int32_t> late;
  for (const auto& [id, stream] : streams_) {
    if (!stream.asked && now - stream.since > limits_.timeout) {
      late.push_back(id);
    }
  }
  for (const std::int32_t id : late) {
    Stream& stream = streams_.at(id);
    if (stream.answered) {
      Check(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id,
                                      NGHTTP2_CANCEL));
    } else {
      Refuse(id, stream, 408, "request took too long to arrive");
    }
  }
}

void Http2Session::GoAway() {
  if (std::exchange(going_away_, true)) return;
  Check(nghttp2_submit_goaway(
      session_.get(), NGHTTP2_FLAG_NONE,
      nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
      nullptr, 0));
}

void Http2Session::AppendOutput(std::string& output) {
  const std::size_t enough = output.size() + kOutputBytes;
  while (output.size() < enough) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    Check(static_cast<int>(std::min<ssize_t>(size, 0)));
    if (size <= 0) return;
    output.append(View(bytes, static_cast<std::size_t>(size)));
  }
}

bool Http2Session::at_end() const {
  return nghttp2_session_want_read(session_.get()) == 0 &&
         nghttp2_session_want_write(session_.get()) == 0;
}

Http2Session::Stream* Http2Session::Find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

// Forgets a stream that is closed and has no handler that runs.
void Http2Session::Finish(std::int32_t id, Stream& stream) {
  Release(stream);
  streams_.erase(id);
}

// Answers a request that has not arrived whole.
void Http2Session::Refuse(std::int32_t id, Stream& stream, unsigned status,
                          std::string_view message) {
  stream.answer = ErrorResponse(status, message);
  Submit(id, stream);
}

void Http2Session::Submit(std::int32_t id, Stream& stream) {
  Release(stream);
  stream.answered = true;
  stream.since = now_;
  const std::string status = std::to_string(stream.answer.status);
  const std::string length = std::to_string(stream.answer.body.size());
  std::vector<nghttp2_nv> fields = {
      Http2Field(":status", status),
      Http2Field("content-type", stream.answer.content_type)};
  // With 304 it would be that of the body which is not sent.
  if (stream.answer.status != 304) {
    fields.push_back(Http2Field("content-length", length));
  }
  if (!stream.answer.allow.empty()) {
    fields.push_back(Http2Field("allow", stream.answer.allow));
  }
  for (const auto& [name, value] : stream.answer.headers) {
    fields.push_back(Http2Field(name, value));
  }
  nghttp2_data_provider body{};
  body.read_callback = Callbacks::ReadAnswer;
  const bool has_body = stream.method != "HEAD" && !stream.answer.body.empty();
  Check(nghttp2_submit_response(session_.get(), id, fields.data(),
                                fields.size(), has_body ? &body : nullptr));
}

// Gives back the room of a body that is not needed any longer.
void Http2Session::Release(Stream& stream) {
  stream.body = {};
  held_bytes_ -= std::exchange(stream.held_bytes, 0);
}

}  // namespace vicinal
