// Dense numbers for nodes, so that what is known of a node can be in arrays.
#ifndef VICINAL_CORE_INDEX_NODE_ID_H_
#define VICINAL_CORE_INDEX_NODE_ID_H_

#include <cstdint>

namespace vicinal {

// Given to a node when it appears; reused after it has gone.
using NodeId = std::uint32_t;

inline constexpr NodeId kNoNode = static_cast<NodeId>(-1);

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_ID_H_
