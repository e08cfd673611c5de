#ifndef VICINAL_SERVER_KUBERNETES_RESOURCE_HANDLER_H_
#define VICINAL_SERVER_KUBERNETES_RESOURCE_HANDLER_H_

#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

// What a reflector tells about one kind of object, in this order:
//
//   life  = { list { watch } }
//   list  = OnListStart { OnListed | OnDeleted | OnListStart } OnListEnd
//   watch = OnWatchStart { batch }
//   batch = { [OnChanged | OnDeleted] OnResourceVersion } OnBatchEnd
//
// with OnDisconnected after each watch and after each attempt to list or watch
// that failed. All calls come from the reflectors' one thread, never two at a
// time, and must neither block for long nor throw.
//
// Objects are valid during the call. They are well delimited but their inside
// has not been checked. Objects of a list, and all in protobuf, may carry
// neither kind nor apiVersion.
class ResourceHandler {
 public:
  virtual ~ResourceHandler() = default;

  // Whether objects may be protobuf; else they are JSON, always.
  virtual bool TakesProtobuf() const { return false; }

  // A list begins; if one had begun and not ended, what it listed is to be
  // forgotten. The last complete state stays good until OnListEnd.
  virtual void OnListStart() = 0;
  virtual void OnListed(const RawObject& object) = 0;
  // The list is complete: objects that it did not have are gone.
  virtual void OnListEnd(std::string_view resource_version) = 0;

  // A watch begins at the last resource version reported: the state is up to
  // date from now on. A server that has forgotten that version says so only
  // now: OnDisconnected (kOutOfRange) follows, then a list.
  virtual void OnWatchStart() = 0;
  // ADDED or MODIFIED.
  virtual void OnChanged(const RawObject& object) = 0;
  // With its last state. In a list: the object was there, and is not any more.
  virtual void OnDeleted(const RawObject& object) = 0;
  // After each event, and for each bookmark: everything up to here has been
  // told.
  virtual void OnResourceVersion(std::string_view resource_version) = 0;
  // After the events that arrived together (with TLS at most 16 KiB or one
  // event).
  virtual void OnBatchEnd() = 0;

  // The state may be out of date until the next OnWatchStart, which is tried
  // for without end: nothing has come since `since`. OK: the server has ended
  // the watch at its time, and the next follows at once.
  virtual void OnDisconnected(const absl::Status& why,
                              std::chrono::steady_clock::time_point since) = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_RESOURCE_HANDLER_H_
