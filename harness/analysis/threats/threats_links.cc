// Threats from the links that pairs of devices were measured over.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/slow_links.h"

namespace scalestudy {
namespace {

// The links of "0-1+2-3" or of halves.
stats::LinkGroup links_of(const CellRow& cell, const std::string& pair) {
  stats::LinkGroup links;
  if (pair == "halves") {
    for (std::int64_t rank = 0; rank < cell.devices / 2; ++rank) {
      links.push_back(fmt::format("{}-{}", rank, rank + cell.devices / 2));
    }
    return links;
  }
  std::istringstream text(pair);
  for (std::string link; std::getline(text, link, '+');) {
    links.push_back(link);
  }
  return links;
}

// Groups of links, and what else varies: only cells that have it in common are held together.
struct Links {
  std::vector<stats::LinkGroupTimes> groups;
  std::vector<std::string> families;  // by LinkGroupTimes::family
};

Links find_links(const StudyObservation& observation) {
  Links links;
  std::map<SessionBlock, std::int64_t> blocks;
  for (const CellObservation& cell : observation.cells) {
    const CellRow::Parameter* pair = find_varied(cell.row, names::kPair);
    const std::string operation = parameter_text(cell.row, names::kOperation);
    if (pair == nullptr || cell.row.role != CellRole::kMeasured || cell.row.oversubscribed ||
        (!operation.empty() && operation != "ping_pong")) {
      continue;
    }
    const std::string family = name_parameters(cell.row, [](const CellRow::Parameter& parameter) {
      return parameter.name != names::kPair;
    });
    const auto known = std::ranges::find(links.families, family);
    stats::LinkGroupTimes group{.links = links_of(cell.row, pair->value),
                                .family = static_cast<std::size_t>(known - links.families.begin()),
                                .log_times = {}};
    if (known == links.families.end()) {
      links.families.push_back(family);
    }
    for (const TrialObservation& trial : cell.trials) {
      const auto step = trial.metrics.find(kStepTime);
      if (step != trial.metrics.end() && step->second.mean > 0.0) {
        const auto block = blocks.emplace(session_block(trial.row), std::ssize(blocks)).first;
        group.log_times[block->second] = std::log(step->second.mean);
      }
    }
    links.groups.push_back(std::move(group));
  }
  return links;
}

std::string name_group(const stats::LinkGroup& links) {
  return join(links, "+");
}

}  // namespace

std::vector<ThreatRow> link_threats(const StudyObservation& observation, const Study& study) {
  const Links links = find_links(observation);
  const std::vector<stats::LinkExcess> excesses =
      stats::link_excesses(links.groups, std::log1p(study.analysis.margin));
  std::vector<std::string> slow;
  std::vector<std::string> next;
  for (std::size_t family = 0; family < links.families.size(); ++family) {
    std::vector<stats::MeasuredGroup> measured;
    for (std::size_t i = 0; i < links.groups.size(); ++i) {
      const stats::LinkGroupTimes& group = links.groups[i];
      if (group.family != family) {
        continue;
      }
      measured.push_back({.links = group.links, .is_slow = excesses[i].is_slow(kThreatAlpha)});
      if (measured.back().is_slow) {
        slow.push_back(fmt::format(
            "{} takes {} % longer than the others{}{} (adjusted {} over {})",
            name_group(group.links),
            format_plain(100.0 * std::expm1(excesses[i].difference)),
            group.links.size() == 1
                ? ""
                : fmt::format(" of {} at once", format_count(std::ssize(group.links), "pair")),
            links.families[family].empty() ? "" : " at " + links.families[family],
            say_p_value(excesses[i].p_adjusted),
            format_count(static_cast<std::int64_t>(excesses[i].blocks), "block")));
      }
    }
    for (const stats::LinkGroup& group : stats::next_groups(measured)) {
      if (std::ranges::find(next, name_group(group)) == next.end()) {
        next.push_back(name_group(group));
      }
    }
  }
  if (slow.empty()) {
    return {};
  }
  return {{ThreatKind::kSlowLink,
           Severity::kWarning,
           "Slow links: " + list_some(slow) + "." +
               (next.empty() ? ""
                             : " Add " + join_words(next) +
                                   " to axes.pair to find out which link of a group it is.")}};
}

}  // namespace scalestudy
