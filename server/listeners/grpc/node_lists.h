// Lists of nodes that clients have named once, to ask about by number.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_NODE_LISTS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_NODE_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/sync/mutex.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

// Names, each with its position as its number. Immutable.
class NodeList {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

  // InvalidArgument, naming the field and the value: no name, one that is
  // empty, has a line break or comes twice, or more than kMaxBytes. Cost:
  // O(names × log names).
  static absl::StatusOr<std::shared_ptr<const NodeList>> Read(
      const v1::NameNodesRequest& message);

  // By number.
  const std::vector<std::string_view>& names() const { return names_; }
  // Of one of these very views: what is equal to one, and lies elsewhere, has
  // no number. Cost: O(1).
  static std::uint32_t NumberOf(std::string_view name);
  // See NameNodesResponse.
  const std::string& id() const { return id_; }
  // What it takes, about.
  std::size_t bytes() const;

 private:
  NodeList() = default;

  std::string text_;  // Each name behind its number.
  std::vector<std::string_view> names_;
  std::string id_;
};

// The lists that were used last. Thread-safe.
class NodeLists {
 public:
  static constexpr std::size_t kMaxLists = 64;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  // Cost: O(lists that go for it). The same list again is used once more.
  void Add(std::shared_ptr<const NodeList> list);
  // Null if there is none. Cost: O(id).
  std::shared_ptr<const NodeList> Find(const std::string& id);

 private:
  using Used = std::list<std::shared_ptr<const NodeList>>;

  Mutex mutex_;
  Used used_ ABSL_GUARDED_BY(mutex_);  // The last one first.
  std::map<std::string, Used::iterator> by_id_ ABSL_GUARDED_BY(mutex_);
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_NODE_LISTS_H_
