#include "core/plugins/volumebinding/matching_volume.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "core/model/label_selector.h"
#include "core/model/node_selector.h"
#include "core/model/quantity.h"

namespace vicinal {
namespace {

Quantity AmountOf(const std::optional<Quantity>& amount) {
  return amount.value_or(Quantity());
}

bool IsBoundTo(const PersistentVolume& volume,
               const PersistentVolumeClaim& claim) {
  const auto& ref = volume.claim_ref;
  return ref && ref->name == claim.name &&
         ref->namespace_name == claim.namespace_name &&
         (ref->uid.empty() || ref->uid == claim.uid);
}

// What holds on each node, and whether the volume is bound to the claim or not.
bool Suits(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.class_name == claim.class_name.value_or("") &&
         (!volume.claim_ref || IsBoundTo(volume, claim)) &&
         AmountOf(volume.capacity) >= AmountOf(claim.request) &&
         volume.volume_mode == claim.volume_mode &&
         volume.attributes_class == claim.attributes_class &&
         !volume.is_deleted;
}

bool HasAllModes(const PersistentVolume& volume,
                 const PersistentVolumeClaim& claim) {
  return std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) !=
           volume.access_modes.end();
  });
}

}  // namespace

bool IsWithinReach(const PersistentVolume& volume, const Labels& node_labels) {
  if (!volume.node_affinity) return true;
  for (const NodeSelectorTerm& term : *volume.node_affinity) {
    if (IsEmpty(term)) continue;
    const absl::StatusOr<ParsedNodeSelectorTerm> parsed =
        ParsedNodeSelectorTerm::Parse(term, "");
    // The volume's node has no name there: fields match nothing.
    if (parsed.ok() && parsed->Matches(node_labels, "")) return true;
  }
  return false;
}

const PersistentVolume* FindMatchingVolume(const StorageObjects& storage,
                                           const PersistentVolumeClaim& claim,
                                           const Labels& node_labels,
                                           const std::set<std::string>& taken) {
  std::optional<Selector> selector;
  if (claim.selector) {
    absl::StatusOr<Selector> parsed = AsSelector(claim.selector);
    if (!parsed.ok()) return nullptr;
    selector = *std::move(parsed);
  }
  const PersistentVolume* smallest = nullptr;
  for (const auto& [name, volume] : storage.volumes) {
    if (taken.contains(name) || !Suits(volume, claim)) continue;
    const bool reaches = IsWithinReach(volume, node_labels);
    if (IsBoundTo(volume, claim)) return reaches ? &volume : nullptr;
    if (volume.phase != "Available" || !reaches ||
        (selector && !selector->Matches(volume.labels)) ||
        !HasAllModes(volume, claim)) {
      continue;
    }
    if (smallest == nullptr ||
        AmountOf(volume.capacity) < AmountOf(smallest->capacity)) {
      smallest = &volume;
    }
  }
  return smallest;
}

}  // namespace vicinal
