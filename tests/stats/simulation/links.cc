#include "tests/stats/simulation/links.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "stats/slow_links.h"
#include "tests/stats/simulation/noise.h"

namespace scalestudy::test {
namespace {

using stats::LinkGroup;
using stats::LinkGroupTimes;

// Round robin: device d meets d XOR round.
std::vector<LinkGroup> rounds_of(std::size_t devices) {
  std::vector<LinkGroup> rounds;
  for (std::size_t round = 1; round < devices; ++round) {
    LinkGroup& links = rounds.emplace_back();
    for (std::size_t device = 0; device < devices; ++device) {
      if (device < (device ^ round)) {
        links.push_back(std::to_string(device) + "-" + std::to_string(device ^ round));
      }
    }
  }
  return rounds;
}

std::vector<LinkGroup> single_links(const std::vector<LinkGroup>& rounds) {
  std::vector<LinkGroup> links;
  for (const LinkGroup& round : rounds) {
    for (const std::string& link : round) {
      links.push_back({link});
    }
  }
  return links;
}

class Machine {
 public:
  Machine(const LinkSetting& setting, const std::vector<LinkGroup>& links, Noise& noise)
      : setting_(setting), noise_(noise) {
    while (slow_.size() < setting.slow_links) {
      slow_.insert(
          links.at(static_cast<std::size_t>(noise.uniform() * static_cast<double>(links.size())))
              .front());
    }
  }

  // Groups that are measured together have blocks of their own.
  void measure(const std::vector<LinkGroup>& groups) {
    std::vector<LinkGroupTimes> times;
    for (const LinkGroup& group : groups) {
      times.push_back({.links = group, .log_times = {}});
    }
    for (std::size_t i = 0; i < setting_.blocks; ++i, ++block_) {
      const double shared = setting_.block_sd * noise_.normal();
      for (LinkGroupTimes& group : times) {
        double slowest = 0.0;
        for (const std::string& link : group.links) {
          slowest = std::max(slowest, slow_.contains(link) ? std::log(setting_.factor) : 0.0);
        }
        group.log_times[block_] = slowest + shared + setting_.trial_sd * noise_.normal();
      }
    }
    measured_.insert(measured_.end(), times.begin(), times.end());
  }

  std::vector<stats::MeasuredGroup> judge() const {
    constexpr double alpha = 0.05;
    const auto excesses = stats::link_excesses(measured_, std::log1p(setting_.margin));
    std::vector<stats::MeasuredGroup> groups;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      groups.push_back({.links = measured_[i].links, .is_slow = excesses[i].is_slow(alpha)});
    }
    return groups;
  }

  const std::set<std::string>& slow() const { return slow_; }

 private:
  const LinkSetting& setting_;
  Noise& noise_;
  std::set<std::string> slow_;
  std::vector<LinkGroupTimes> measured_;
  std::int64_t block_ = 0;
};

}  // namespace

LinkTally run_links(const LinkSetting& setting, std::size_t replicates, std::uint64_t seed) {
  const std::vector<LinkGroup> rounds = rounds_of(setting.devices);
  const std::vector<LinkGroup> links = single_links(rounds);
  Noise noise(seed);
  LinkTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    Machine machine(setting, links, noise);
    std::vector<LinkGroup> next = setting.is_each_pair ? links : rounds;
    while (!next.empty()) {
      machine.measure(next);
      next = stats::next_groups(machine.judge());
    }
    std::set<std::string> named;
    const std::vector<stats::MeasuredGroup> groups = machine.judge();
    for (const stats::MeasuredGroup& group : groups) {
      if (group.is_slow && group.links.size() == 1) {
        named.insert(group.links.front());
      }
    }
    tally.measured += groups.size();
    tally.found.add(std::ranges::includes(named, machine.slow()));
    tally.named_wrongly.add(!std::ranges::includes(machine.slow(), named));
  }
  return tally;
}

}  // namespace scalestudy::test
