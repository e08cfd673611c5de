#include "server/live_page/page_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/decisions/decision_json.h"
#include "server/decisions/decision_record.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;

// No name in a cluster is longer.
constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxTextBytes = 1000;
constexpr std::size_t kMaxDecisions = 50;
// Places of workloads, all together.
constexpr std::size_t kMaxPlaces = 20000;

// What is told of each kind; of all the first ones.
struct Limits {
  std::size_t zones = kMaxPictureZones + 1;
  std::size_t workloads = kMaxPictureWorkloads;
  std::size_t places = kMaxPlaces;
  std::size_t pending = kMaxPicturePending;
  std::size_t spreads = kMaxPictureSpreads;
  std::size_t domains = SpreadNow::kMostListedDomains;
  std::size_t broken = 100;
  std::size_t decisions = kMaxDecisions;
};

// Ends: in the last one everything is 0.
Limits Fewer(Limits limits) {
  if (limits.places > 0) {
    limits.places /= 8;
    limits.domains /= 4;
    limits.decisions = std::min<std::size_t>(limits.decisions, 10);
    return limits;
  }
  for (std::size_t* const limit :
       {&limits.zones, &limits.workloads, &limits.pending, &limits.spreads,
        &limits.domains, &limits.broken, &limits.decisions}) {
    *limit /= 2;
  }
  return limits;
}

bool TellsNothing(const Limits& limits) {
  return limits.zones + limits.workloads + limits.places + limits.pending +
             limits.spreads + limits.domains + limits.broken +
             limits.decisions ==
         0;
}

std::string Cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return absl::StrCat(std::string(text.substr(0, most)), "…");
}

std::string Name(std::string_view name) { return Cut(name, kMaxNameBytes); }
std::string Text(std::string_view text) { return Cut(text, kMaxTextBytes); }

// The first of a list, so many.
template <typename Items, typename Visit>
void ForFirst(const Items& items, std::size_t most, Visit&& visit) {
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) {
    visit(items[i]);
  }
}

class StateWriter {
 public:
  StateWriter(const PageHealth& health, const Picture& picture,
              const DecisionRing::Decisions& decisions, const Limits& limits)
      : health_(health),
        picture_(picture),
        decisions_(decisions),
        limits_(limits) {}

  std::string Write() const {
    Json json = {{"ready", health_.problem.empty()},
                 {"problem", Text(health_.problem)},
                 {"resources", Json::array()},
                 {"nodes", picture_.nodes},
                 {"pods", picture_.pods},
                 {"pendingPods", picture_.pending_pods},
                 {"zones", Json::array()},
                 {"workloads", Json::array()},
                 {"workloadCount", picture_.workload_count},
                 {"pending", Json::array()},
                 {"pendingCount", picture_.pending_count},
                 {"broken", Json::array()},
                 {"brokenCount", picture_.rules.broken.size()},
                 {"spreads", Json::array()},
                 {"spreadCount", picture_.rules.spread_count},
                 {"brokenSpreadCount", picture_.rules.broken_spread_count},
                 {"decisions", Json::array()}};
    for (const auto& [name, late] : health_.late) {
      json["resources"].push_back(
          {{"name", Name(name)}, {"lateSeconds", late.count()}});
    }
    ForFirst(picture_.zones, limits_.zones, [&](const PictureZone& zone) {
      json["zones"].push_back(JsonOf(zone));
    });
    AddWorkloads(json["workloads"]);
    AddPending(json["pending"]);
    ForFirst(picture_.rules.broken, limits_.broken,
             [&](const BrokenRule& rule) {
               json["broken"].push_back({{"workload", Name(rule.workload)},
                                         {"rule", RuleOf(rule.kind)},
                                         {"pods", rule.pods}});
             });
    ForFirst(picture_.rules.spreads, limits_.spreads,
             [&](const SpreadNow& spread) {
               json["spreads"].push_back(JsonOf(spread));
             });
    AddDecisions(json["decisions"]);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  static std::string_view RuleOf(StrategyKind kind) {
    switch (kind) {
      case StrategyKind::kNodeTaints:
        return "a NoSchedule taint that is not tolerated";
      case StrategyKind::kNodeAffinity:
        return "required node affinity or nodeSelector";
      case StrategyKind::kRequiredPodAffinity:
        return "required pod affinity";
      case StrategyKind::kInterPodAntiAffinity:
        return "required pod anti-affinity";
      default:
        return NameOf(kind);
    }
  }

  static Json JsonOf(const PictureZone& zone) {
    Json json = {{"region", Name(zone.region)},
                 {"zone", Name(zone.zone)},
                 {"nodes", zone.nodes},
                 {"pods", zone.pods},
                 {"cells", Json::array()}};
    if (zone.folded > 0) json["folded"] = zone.folded;
    for (const PictureCell& cell : zone.cells) {
      Json& one = json["cells"].emplace_back();
      one = {{"name", Name(cell.first)},
             {"nodes", cell.nodes},
             {"pods", cell.pods}};
      if (cell.nodes > 1) one["last"] = Name(cell.last);
      if (cell.cordoned > 0) one["cordoned"] = cell.cordoned;
    }
    return json;
  }

  void AddWorkloads(Json& json) const {
    std::size_t room = limits_.places;
    ForFirst(picture_.workloads, limits_.workloads,
             [&](const PictureWorkload& workload) {
               Json& one = json.emplace_back();
               one = {{"name", Name(workload.name)}, {"pods", workload.pods}};
               if (workload.pending > 0) one["pending"] = workload.pending;
               if (workload.broken > 0) one["broken"] = workload.broken;
               // Without a part of its places it would look as if it was
               // elsewhere.
               if (workload.cells.size() > room) return;
               room -= workload.cells.size();
               one["cells"] = workload.cells;
             });
  }

  void AddPending(Json& json) const {
    absl::flat_hash_map<std::string, const DecisionRecord*> newest;
    if (!picture_.pending.empty()) {
      for (const auto& decision : decisions_) {
        newest[absl::StrCat(decision->namespace_name, "/", decision->name)] =
            decision.get();
      }
    }
    ForFirst(picture_.pending, limits_.pending,
             [&](const PicturePending& pending) {
               json.push_back(JsonOf(pending, newest));
             });
  }

  static Json JsonOf(
      const PicturePending& pending,
      const absl::flat_hash_map<std::string, const DecisionRecord*>& newest) {
    Json json = {{"workload", Name(pending.workload)},
                 {"pods", pending.pods},
                 {"explained", pending.explained},
                 {"message", Text(pending.message)},
                 {"reasons", Json::array()},
                 {"moreReasons", pending.more_reasons},
                 {"hints", Json::array()},
                 {"names", Json::array()}};
    for (const PicturePending::Reason& reason : pending.reasons) {
      json["reasons"].push_back({{"title", Text(reason.title)},
                                 {"text", Text(reason.text)},
                                 {"nodes", reason.nodes}});
    }
    for (const std::string& hint : pending.hints) {
      json["hints"].push_back(Text(hint));
    }
    ForFirst(pending.names, 5, [&](const std::string& name) {
      json["names"].push_back(Name(name));
    });
    for (const std::string& name : pending.names) {
      const auto decision = newest.find(name);
      if (decision == newest.end()) continue;
      json["lastDecision"] = {{"pod", Name(name)},
                              {"number", decision->second->number},
                              {"reason", Text(decision->second->reason)}};
      break;
    }
    return json;
  }

  Json JsonOf(const SpreadNow& spread) const {
    Json json = {{"workload", Name(spread.workload)},
                 {"namespace", Name(spread.namespace_name)},
                 {"topologyKey", Name(spread.topology_key)},
                 {"selector", Name(spread.selector)},
                 {"hard", spread.hard},
                 {"maxSkew", spread.max_skew},
                 {"skew", spread.skew},
                 {"minimum", spread.minimum},
                 {"excess", spread.excess},
                 {"domainCount", spread.domain_count},
                 {"domains", Json::array()}};
    ForFirst(spread.domains, limits_.domains,
             [&](const SpreadNow::Domain& domain) {
               json["domains"].push_back(
                   {{"value", Name(domain.value)}, {"pods", domain.pods}});
             });
    return json;
  }

  // The newest first.
  void AddDecisions(Json& json) const {
    const std::size_t count = std::min(decisions_.size(), limits_.decisions);
    for (std::size_t i = 0; i < count; ++i) {
      DecisionRecord decision = *decisions_[decisions_.size() - 1 - i];
      decision.reason = Text(decision.reason);
      json.push_back(Json::parse(ToJsonLine(decision)));
    }
  }

  const PageHealth& health_;
  const Picture& picture_;
  const DecisionRing::Decisions& decisions_;
  const Limits& limits_;
};

}  // namespace

std::string PageStateJson(const PageHealth& health, const Picture& picture,
                          const DecisionRing::Decisions& decisions,
                          std::size_t max_bytes) {
  Limits limits;
  while (true) {
    std::string json = StateWriter(health, picture, decisions, limits).Write();
    if (json.size() <= max_bytes || TellsNothing(limits)) return json;
    limits = Fewer(limits);
  }
}

}  // namespace vicinal
