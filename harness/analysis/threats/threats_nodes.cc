// Threats from the nodes that trials had.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/threats/threats.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/block_effects.h"
#include "stats/slow_groups.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// The trials that count, as columns.
struct Times {
  std::vector<double> log_s;
  std::vector<std::int64_t> cell;
  std::vector<std::int64_t> block;  // a number for each session and block
  std::vector<std::int64_t> session;
  std::map<std::int64_t, std::set<std::string>> hosts;  // by session
};

// Trials of before hosts were stored are left out.
Times times_of(const StudyObservation& observation) {
  Times times;
  std::map<SessionBlock, std::int64_t> blocks;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found == trial.metrics.end() || !(found->second.mean > 0.0) || trial.row.hosts.empty() ||
          !trial.row.session_id) {
        continue;
      }
      const auto block = blocks.emplace(session_block(trial.row), std::ssize(blocks)).first;
      times.log_s.push_back(std::log(found->second.mean));
      times.cell.push_back(cell.row.id);
      times.block.push_back(block->second);
      times.session.push_back(*trial.row.session_id);
      const std::vector<std::string> hosts = split(trial.row.hosts, ",");
      times.hosts[*trial.row.session_id].insert(hosts.begin(), hosts.end());
    }
  }
  return times;
}

using Hosts = std::vector<std::string>;

// By each node those that the same sessions had, itself among them: they cannot be told apart.
std::map<std::string, Hosts> indistinct_hosts(const Times& times) {
  std::map<std::string, std::set<std::int64_t>> sessions;
  for (const auto& [session, hosts] : times.hosts) {
    for (const std::string& host : hosts) {
      sessions[host].insert(session);
    }
  }
  std::map<std::set<std::int64_t>, Hosts> alike;
  for (const auto& [host, had] : sessions) {
    alike[had].push_back(host);
  }
  std::map<std::string, Hosts> indistinct;
  for (const auto& [had, hosts] : alike) {
    for (const std::string& host : hosts) {
      indistinct[host] = hosts;
    }
  }
  return indistinct;
}

// Nodes that cannot be told apart have the label of their first.
std::vector<stats::LabelledValue> session_effects(const Times& times,
                                                  const std::map<std::string, Hosts>& indistinct,
                                                  const stats::BlockAdjusted& adjusted) {
  std::map<std::int64_t, std::vector<double>> effects;
  for (std::size_t i = 0; i < times.log_s.size(); ++i) {
    effects[times.session[i]].push_back(times.log_s[i] - adjusted.values[i]);
  }
  std::vector<stats::LabelledValue> values;
  for (const auto& [session, own] : effects) {
    std::set<std::string> labels;
    for (const std::string& host : times.hosts.at(session)) {
      labels.insert(indistinct.at(host).front());
    }
    values.push_back(
        {.value = stats::mean(own).value_or(0.0), .labels = {labels.begin(), labels.end()}});
  }
  return values;
}

}  // namespace

std::vector<ThreatRow> node_threats(const StudyObservation& observation) {
  const Times times = times_of(observation);
  const bool are_alike = std::ranges::all_of(
      times.hosts, [&](const auto& entry) { return entry.second == times.hosts.begin()->second; });
  if (are_alike) {
    return {};
  }
  const stats::BlockAdjusted adjusted =
      stats::take_out_blocks(times.log_s, times.cell, times.block);
  if (adjusted.status != stats::Status::kOk) {
    return {};
  }
  const std::map<std::string, Hosts> indistinct = indistinct_hosts(times);
  const stats::SlowGroups groups = stats::slow_groups(session_effects(times, indistinct, adjusted));
  std::vector<ThreatRow> threats;
  for (const stats::LabelExcess& node : groups.labels) {
    if (groups.status == stats::Status::kOk && node.p_adjusted < kThreatAlpha) {
      const Hosts& hosts = indistinct.at(node.label);
      threats.push_back(
          {ThreatKind::kSlowNode,
           Severity::kWarning,
           fmt::format("{} slow: sessions with {} took {} % longer than those without ({} against "
                       "{}; p = {}, Holm over {}), after allowing for cells and blocks. Step times "
                       "include this, and so do comparisons whose sides ran on different nodes.",
                       join(hosts, " and ") + (hosts.size() == 1 ? " is" : " are"),
                       hosts.size() == 1 ? "it" : "them",
                       format_plain(100.0 * std::expm1(node.difference)),
                       node.n_with,
                       node.n_without,
                       format_plain(node.p_adjusted),
                       format_count(std::ssize(groups.labels), "node"))});
    }
  }
  return threats;
}

}  // namespace scalestudy
