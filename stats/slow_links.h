// Slow links among many, from groups of links that were measured at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalestudy::stats {

// A link, or several that are busy at the same time: the group takes as long as its slowest link.
using LinkGroup = std::vector<std::string>;

struct LinkGroupTimes {
  LinkGroup links;
  std::size_t family = 0;  // only groups of one family are compared, as all else is the same there
  std::map<std::int64_t, double> log_times;  // by block
};

// A group against the others of its family with as many links.
struct LinkExcess {
  std::size_t blocks = 0;     // in which it and another group were measured
  double difference = 0.0;    // mean over blocks of its value less the mean of the others'
  std::optional<double> p{};  // one-sided; absent for fewer than two blocks or without spread
  double p_adjusted = 1.0;    // Holm over all groups
  [[nodiscard]] bool is_slow(double alpha) const { return p_adjusted < alpha; }
};

// Student's t of the differences within blocks, against a difference of `least`; exact where groups
// of as many links are alike and their values normal but for what a block shares. One result a
// group, in their order.
//
//   groups  values finite.
//   least   what does not matter, >= 0, in the unit of the values.
//   source  Student 1908; Holm 1979.
std::vector<LinkExcess> link_excesses(std::span<const LinkGroupTimes> groups, double least);

struct MeasuredGroup {
  LinkGroup links;
  bool is_slow = false;
};

// The groups to measure next, by bisection: the two halves of each slow group. If neither half of a
// slow group is slow, both may hold a slow link, and both are halved. Empty once every slow group
// is down to single links.
std::vector<LinkGroup> next_groups(std::span<const MeasuredGroup> measured);

}  // namespace scalestudy::stats
