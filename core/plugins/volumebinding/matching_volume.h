// Finds a volume for a claim that has none.
#ifndef VICINAL_CORE_PLUGINS_VOLUMEBINDING_MATCHING_VOLUME_H_
#define VICINAL_CORE_PLUGINS_VOLUMEBINDING_MATCHING_VOLUME_H_

#include <set>
#include <string>

#include "core/model/labels.h"
#include "core/model/storage.h"

namespace vicinal {

// Whether a node with these labels can reach the volume. A term of its node
// affinity that does not parse makes it unreachable.
// Source: CheckNodeAffinity in k8s.io/component-helpers/storage/volume.
bool IsWithinReach(const PersistentVolume& volume, const Labels& node_labels);

// The smallest volume that does for the claim on such a node and is not among
// those `taken`; null if there is none. Cost: O(volumes).
// Source: FindMatchingVolume in k8s.io/component-helpers/storage/volume.
const PersistentVolume* FindMatchingVolume(const StorageObjects& storage,
                                           const PersistentVolumeClaim& claim,
                                           const Labels& node_labels,
                                           const std::set<std::string>& taken);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_VOLUMEBINDING_MATCHING_VOLUME_H_
