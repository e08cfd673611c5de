#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "server/commands/page/page.h"
#include "server/commands/page/page_template.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

bool IsMarked(const PagePod& pod) {
  return pod.blocking || pod.is_new || pod.is_leaving;
}

// The data of a page, and which workloads are named in it.
class PageData {
 public:
  explicit PageData(const Page& page) : page_(page) {}

  Json Build() {
    Json json = {{"title", page_.title},    {"message", page_.message},
                 {"hints", page_.hints},    {"notes", page_.notes},
                 {"steps", Json::array()},  {"views", Json::array()},
                 {"spreads", Json::array()}};
    for (const PageStep& step : page_.steps) {
      json["steps"].push_back(JsonOf(step));
    }
    for (const PageView& view : page_.views) {
      json["views"].push_back(JsonOf(view));
    }
    AddComparisons(json);
    json["workloads"] = std::move(workloads_);
    return json;
  }

 private:
  static Json JsonOf(const PageStep& step) {
    Json json = {{"name", step.name}};
    if (step.passed) json["passed"] = *step.passed;
    return json;
  }

  Json JsonOf(const PagePod& pod) {
    workloads_[std::to_string(pod.workload)] = page_.workloads.at(pod.workload);
    Json json = {{"workload", pod.workload}, {"name", pod.name}};
    if (pod.blocking) json["blocking"] = true;
    if (pod.is_new) json["new"] = true;
    if (pod.is_leaving) json["leaving"] = true;
    return json;
  }

  // `draws_all`: also pods without a mark. `room`: for so many more.
  Json JsonOf(const PageNode& node, bool draws_all, std::size_t& room) {
    Json json = {{"name", node.name},
                 {"region", node.region},
                 {"zone", node.zone},
                 {"podCount", node.pod_count}};
    if (!node.notes.empty()) json["notes"] = node.notes;
    if (node.fits) json["fits"] = *node.fits;
    if (node.score) json["score"] = *node.score;
    if (!node.causes.empty()) json["causes"] = node.causes;
    const auto count = [&](const char* name, bool PagePod::*mark) {
      const auto pods = std::ranges::count(node.pods, true, mark);
      if (pods > 0) json[name] = pods;
    };
    count("newPods", &PagePod::is_new);
    count("leavingPods", &PagePod::is_leaving);
    for (const PagePod& pod : node.pods) {
      if (room == 0) break;
      if (!draws_all && !IsMarked(pod)) continue;
      json["pods"].push_back(JsonOf(pod));
      --room;
    }
    return json;
  }

  static Json JsonOf(const SpreadState& spread) {
    Json json = {{"rule", spread.rule},
                 {"topologyKey", spread.topology_key},
                 {"hard", spread.hard},
                 {"maxSkew", spread.numbers.max_skew},
                 {"minimum", spread.numbers.minimum},
                 {"domains", Json::array()}};
    for (const SpreadDomain& domain : spread.domains) {
      json["domains"].push_back({{"value", domain.value},
                                 {"pods", domain.pods},
                                 {"counts", domain.eligible},
                                 {"open", domain.open}});
    }
    return json;
  }

  static Json JsonOf(const DomainReport& domain, When when) {
    return domain.Counts(when) || domain.Pods(when) > 0
               ? Json(domain.Pods(when))
               : Json();
  }

  static Json JsonOf(const SpreadReport& spread) {
    Json json = {{"workload", spread.workload},
                 {"namespace", spread.namespace_name},
                 {"topologyKey", spread.topology_key},
                 {"skewBefore", spread.skew_before},
                 {"skewAfter", spread.skew_after},
                 {"domains", Json::array()}};
    if (spread.rule) {
      json["rule"] = spread.rule->path;
      json["hard"] = spread.rule->hard;
      json["maxSkew"] = spread.rule->max_skew;
      json["minimumBefore"] = spread.minimum_before;
      json["minimumAfter"] = spread.minimum_after;
    }
    const auto domains = std::max(DomainCount(spread, When::kBefore),
                                  DomainCount(spread, When::kAfter));
    if (static_cast<std::size_t>(domains) > kMostListedDomains) {
      json["domainCount"] = domains;
      json["histogramBefore"] = Histogram(spread, When::kBefore);
      json["histogramAfter"] = Histogram(spread, When::kAfter);
      return json;
    }
    for (const auto& [value, domain] : spread.domains) {
      Json& one = json["domains"].emplace_back();
      one = {{"value", value},
             {"before", JsonOf(domain, When::kBefore)},
             {"after", JsonOf(domain, When::kAfter)}};
      // Of those that count nothing is said.
      if (!domain.was_there) one["countedBefore"] = false;
      if (!domain.is_there) one["countedAfter"] = false;
    }
    return json;
  }

  // Rules that are broken in the end come first, then what has changed most.
  void AddComparisons(Json& json) const {
    const auto weight = [](const SpreadReport& spread) {
      const bool is_broken =
          spread.rule && spread.rule->hard &&
          std::ranges::any_of(spread.domains, [&](const auto& domain) {
            return domain.second.is_there &&
                   domain.second.after >
                       spread.minimum_after + spread.rule->max_skew;
          });
      return std::pair(!is_broken,
                       -std::abs(spread.skew_after - spread.skew_before));
    };
    std::vector<const SpreadReport*> spreads;
    for (const SpreadReport& spread : page_.spreads) {
      spreads.push_back(&spread);
    }
    // A few stay in their order.
    if (spreads.size() > kMaxComparisons) {
      std::ranges::stable_sort(spreads, {}, [&](const SpreadReport* spread) {
        return weight(*spread);
      });
      json["spreadsLeftOut"] = spreads.size() - kMaxComparisons;
      spreads.resize(kMaxComparisons);
    }
    for (const SpreadReport* spread : spreads) {
      json["spreads"].push_back(JsonOf(*spread));
    }
  }

  // The pods without a node; a reason that many have is written once.
  void AddPending(const PageView& view, Json& json) {
    std::map<std::string, std::size_t> reasons;
    for (const PagePendingPod& pending : view.pending) {
      const auto [it, is_new] =
          reasons.try_emplace(pending.reason, reasons.size());
      if (is_new) json["pendingReasons"].push_back(pending.reason);
      Json pod = JsonOf(pending.pod);
      pod["reason"] = it->second;
      json["pending"].push_back(std::move(pod));
    }
  }

  Json JsonOf(const PageView& view) {
    Json json = {{"title", view.title},      {"caption", view.caption},
                 {"nodes", Json::array()},   {"spreads", Json::array()},
                 {"pending", Json::array()}, {"pendingReasons", Json::array()},
                 {"reasons", Json::array()}};
    json["causes"] = std::vector<std::string>(
        view.causes.begin(),
        view.causes.begin() + std::min(view.causes.size(), kMaxCauses));
    for (const PageReason& reason : view.reasons) {
      json["reasons"].push_back({{"title", reason.title},
                                 {"text", reason.text},
                                 {"causes", reason.causes},
                                 {"nodes", reason.nodes}});
    }
    std::size_t pods = 0;
    for (const PageNode& node : view.nodes) pods += node.pods.size();
    const bool draws_all = pods <= kMaxDrawnPods;
    std::size_t room = kMaxDrawnPods;
    for (const PageNode& node : view.nodes) {
      json["nodes"].push_back(JsonOf(node, draws_all, room));
    }
    for (const SpreadState& spread : view.spreads) {
      json["spreads"].push_back(JsonOf(spread));
    }
    AddPending(view, json);
    return json;
  }

  const Page& page_;
  Json workloads_ = Json::object();  // By the number of PagePod::workload.
};

}  // namespace

std::string RenderPage(const Page& page) {
  std::string data;
  // Nothing in the data may end the script element that it stands in.
  for (const char c : PageData(page).Build().dump(
           -1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  std::string html(PageTemplate());
  return html.replace(html.find(kPageData), kPageData.size(), data);
}

absl::Status WritePage(const Page& page, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << RenderPage(page);
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnknownError("--html " + path + ": " + std::strerror(errno));
}

}  // namespace vicinal
