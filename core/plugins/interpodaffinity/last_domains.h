// Domains for many terms in a row, most of which have the same topology key.
#ifndef VICINAL_CORE_PLUGINS_INTERPODAFFINITY_LAST_DOMAINS_H_
#define VICINAL_CORE_PLUGINS_INTERPODAFFINITY_LAST_DOMAINS_H_

#include <string>

#include "core/index/topology_index.h"

namespace vicinal {

// Good until the index changes.
class LastDomains {
 public:
  explicit LastDomains(const TopologyIndex& index) : index_(index) {}

  // The index's domains of the key, which must stay where it is. Cost: that of
  // comparing two keys; if the key differs from the last one, of
  // TopologyIndex::Domains.
  const TopologyDomains& Of(const std::string& topology_key) {
    if (key_ == nullptr || *key_ != topology_key) {
      domains_ = &index_.Domains(topology_key);
    }
    key_ = &topology_key;
    return *domains_;
  }

 private:
  const TopologyIndex& index_;
  const std::string* key_ = nullptr;  // The last one.
  const TopologyDomains* domains_ = nullptr;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_INTERPODAFFINITY_LAST_DOMAINS_H_
