#include "stats/slow_links.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// By block its value less the mean of the other groups of its family with as many links.
std::vector<double> differences_of(const LinkGroupTimes& group,
                                   std::span<const LinkGroupTimes> groups) {
  std::vector<double> differences;
  for (const auto& [block, value] : group.log_times) {
    std::vector<double> others;
    for (const LinkGroupTimes& other : groups) {
      const auto found = other.log_times.find(block);
      if (&other != &group && other.family == group.family &&
          other.links.size() == group.links.size() && found != other.log_times.end()) {
        others.push_back(found->second);
      }
    }
    if (const std::optional<double> rest = mean(others)) {
      differences.push_back(value - *rest);
    }
  }
  return differences;
}

LinkExcess excess_of(const std::vector<double>& differences, double least) {
  LinkExcess excess{.blocks = differences.size(), .difference = mean(differences).value_or(0.0)};
  const std::optional<double> sd = standard_deviation(differences);
  if (differences.size() >= 2 && sd && *sd > 0.0) {
    const auto n = static_cast<double>(differences.size());
    excess.p = student_t_upper_tail((excess.difference - least) / (*sd / std::sqrt(n)), n - 1.0);
  }
  return excess;
}

class Bisection {
 public:
  explicit Bisection(std::span<const MeasuredGroup> measured) : measured_(measured) {}

  void halve(const LinkGroup& group) {
    if (group.size() < 2) {
      return;
    }
    const auto middle = group.begin() + (std::ssize(group) + 1) / 2;
    const std::vector<LinkGroup> halves{{group.begin(), middle}, {middle, group.end()}};
    const bool are_measured =
        std::ranges::all_of(halves, [&](const LinkGroup& half) { return find(half) != nullptr; });
    if (!are_measured) {
      std::ranges::copy_if(halves, std::back_inserter(next_), [&](const LinkGroup& half) {
        return find(half) == nullptr && std::ranges::find(next_, half) == next_.end();
      });
      return;
    }
    if (std::ranges::none_of(halves, [&](const LinkGroup& half) { return find(half)->is_slow; })) {
      std::ranges::for_each(halves, [&](const LinkGroup& half) { halve(half); });
    }
  }

  std::vector<LinkGroup> take() { return std::move(next_); }

 private:
  const MeasuredGroup* find(const LinkGroup& links) const {
    const auto found = std::ranges::find(measured_, links, &MeasuredGroup::links);
    return found == measured_.end() ? nullptr : &*found;
  }

  std::span<const MeasuredGroup> measured_;
  std::vector<LinkGroup> next_;
};

}  // namespace

std::vector<LinkExcess> link_excesses(std::span<const LinkGroupTimes> groups, double least) {
  std::vector<LinkExcess> excesses;
  std::vector<std::optional<double>> p;
  for (const LinkGroupTimes& group : groups) {
    excesses.push_back(excess_of(differences_of(group, groups), least));
    p.push_back(excesses.back().p);
  }
  const AdjustedP adjusted = holm(p);
  for (std::size_t i = 0; i < excesses.size() && i < adjusted.adjusted.size(); ++i) {
    excesses[i].p_adjusted = adjusted.adjusted[i].value_or(1.0);
  }
  return excesses;
}

std::vector<LinkGroup> next_groups(std::span<const MeasuredGroup> measured) {
  Bisection bisection(measured);
  for (const MeasuredGroup& group : measured) {
    if (group.is_slow) {
      bisection.halve(group.links);
    }
  }
  return bisection.take();
}

}  // namespace scalestudy::stats
