#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "stats/check.h"
#include "stats/draws.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

constexpr std::size_t kResamples = 999;

// Fewest values on a side of the place of a change: one has no distance to another.
constexpr std::size_t kLeastBeside = 2;

// Nearer to 1 a series has no level that could change.
constexpr double kMostDependence = 0.95;

struct Split {
  double energy = -std::numeric_limits<double>::infinity();  // no split is possible
  double within = 0.0;    // mean distance of two values of one part
  std::size_t first = 0;  // of the second part
};

// A value of a series among the others.
struct Placed {
  double value = 0.0;      // about the median, so that sums lose no digits
  double distances = 0.0;  // to all others
  std::size_t rank = 0;    // in order of size, ties by place
};

std::vector<Placed> placed(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<Placed> all(n);
  double sum = 0.0;
  for (std::size_t rank = 0; rank < n; ++rank) {
    all[order[rank]] = {.value = values[order[rank]] - values[order[n / 2]], .rank = rank};
    sum += all[order[rank]].value;
  }
  double smaller = 0.0;
  for (std::size_t rank = 0; rank < n; ++rank) {
    Placed& one = all[order[rank]];
    const auto below = static_cast<double>(rank);
    const double larger = sum - smaller - one.value;
    one.distances =
        one.value * below - smaller + larger - one.value * (static_cast<double>(n - 1) - below);
    smaller += one.value;
  }
  return all;
}

// How many of the values so far are smaller than one, and their sum, in logarithmic time (Fenwick
// 1994): each value would else be compared with all others, in each of a thousand permutations.
class SmallerValues {
 public:
  explicit SmallerValues(std::size_t count) : nodes_(count + 1) {}

  void add(const Placed& one) {
    for (std::size_t i = one.rank + 1; i < nodes_.size(); i += i & (~i + 1)) {
      nodes_[i].count += 1.0;
      nodes_[i].sum += one.value;
    }
    all_.count += 1.0;
    all_.sum += one.value;
  }

  // The distances of one to all values so far.
  double distances(const Placed& one) const {
    Node smaller;
    for (std::size_t i = one.rank; i > 0; i -= i & (~i + 1)) {
      smaller.count += nodes_[i].count;
      smaller.sum += nodes_[i].sum;
    }
    return one.value * (2.0 * smaller.count - all_.count) + all_.sum - 2.0 * smaller.sum;
  }

 private:
  struct Node {
    double count = 0.0;
    double sum = 0.0;
  };
  std::vector<Node> nodes_;
  Node all_;
};

// The best split of a series, places counted from its begin.
Split best_split(std::span<const Placed> values, std::size_t least) {
  const std::size_t n = values.size();
  if (n < 2 * least) {
    return {};
  }
  double all = 0.0;
  for (const Placed& value : values) {
    all += value.distances / 2.0;
  }
  double right = all;  // distances between all pairs of the second part
  double left = 0.0;
  SmallerValues first_part(n);
  Split best;
  const auto pairs = [](double count) { return count * (count - 1.0) / 2.0; };
  for (std::size_t i = 0; i + least < n; ++i) {  // value i goes to the first part
    const double to_left = first_part.distances(values[i]);
    left += to_left;
    right -= values[i].distances - to_left;
    first_part.add(values[i]);
    if (i + 1 < least) {
      continue;
    }
    const auto a = static_cast<double>(i + 1);
    const double b = static_cast<double>(n) - a;
    const double energy =
        a * b / (a + b) *
        (2.0 * (all - left - right) / (a * b) - left / pairs(a) - right / pairs(b));
    if (energy > best.energy) {
      best = {.energy = energy, .within = (left + right) / (pairs(a) + pairs(b)), .first = i + 1};
    }
  }
  return best;
}

using Segments = std::vector<std::size_t>;  // their begins, and the end

// The best split of any segment, places counted in the whole series.
// - values: placed within their segments.
Split best_of_segments(std::span<const Placed> values, const Segments& at, std::size_t least) {
  Split best;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    Split split = best_split(values.subspan(at[i], at[i + 1] - at[i]), least);
    split.first += at[i];
    if (split.energy > best.energy) {
      best = split;
    }
  }
  return best;
}

std::vector<Placed> placed_in_segments(std::span<const double> values, const Segments& at) {
  std::vector<Placed> all;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    std::ranges::copy(placed(values.subspan(at[i], at[i + 1] - at[i])), std::back_inserter(all));
  }
  return all;
}

// The p value of `energy` under permutations inside the segments; absent once it exceeds alpha.
std::optional<double> permutation_p(std::vector<Placed> values,
                                    const Segments& at,
                                    std::size_t least,
                                    double energy,
                                    double alpha,
                                    Draws& draws) {
  const auto count = std::max(kResamples, static_cast<std::size_t>(std::ceil(10.0 / alpha)));
  const double most = alpha * static_cast<double>(count + 1);
  std::size_t as_large = 1;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      draws.shuffle(std::span(values).subspan(at[i], at[i + 1] - at[i]));
    }
    // Sums of the same distances in another order differ in their last digits.
    if (best_of_segments(values, at, least).energy >= energy * (1.0 - 1e-12) &&
        static_cast<double>(++as_large) > most) {
      return std::nullopt;
    }
  }
  return static_cast<double>(as_large) / static_cast<double>(count + 1);
}

// A first-order autoregression: what a value keeps of the one before, and how sure that is.
struct Dependence {
  double phi = 0.0;
  double error = 0.0;
  double caution = 0.7;  // errors added: steps that were taken for changes are left out of phi
};

// From the differences of neighbours, which know no level: of an autoregression theirs have the
// correlation -(1 - phi)/2. Those across a change are left out.
Dependence dependence_of(std::span<const double> values, const Segments& at) {
  double products = 0.0;
  double squares = 0.0;
  double pairs = 0.0;
  for (std::size_t part = 0; part + 1 < at.size(); ++part) {
    for (std::size_t i = at[part] + 2; i < at[part + 1]; ++i) {
      const double before = values[i - 1] - values[i - 2];
      const double after = values[i] - values[i - 1];
      products += before * after;
      squares += (before * before + after * after) / 2.0;
      pairs += 1.0;
    }
  }
  const double r = squares > 0.0 ? products / squares : -0.5;
  return {
      .phi = 1.0 + 2.0 * r,
      .error = 2.0 * std::sqrt(std::max(0.0, 1.0 - 3.0 * r * r + 4.0 * std::pow(r, 4)) / pairs)};
}

// The share of autoregressions without a change, as long and as dependent, whose best split stands
// out as much. How dependent is drawn anew for each.
double wandering_p(
    std::size_t length, const Split& split, const Dependence& of, double alpha, Draws& draws) {
  const auto count = std::max(kResamples, static_cast<std::size_t>(std::ceil(10.0 / alpha)));
  std::size_t as_large = 1;
  std::vector<double> values(length);
  for (std::size_t r = 0; r < count; ++r) {
    const double phi =
        std::clamp(of.phi + of.error * (of.caution + draws.normal()), 0.0, kMostDependence);
    values[0] = draws.normal();
    for (std::size_t i = 1; i < length; ++i) {
      values[i] = phi * values[i - 1] + std::sqrt(1.0 - phi * phi) * draws.normal();
    }
    const Split other = best_split(placed(values), kLeastBeside);
    as_large += other.energy * split.within >= split.energy * other.within * (1.0 - 1e-12) ? 1 : 0;
  }
  return static_cast<double>(as_large) / static_cast<double>(count + 1);
}

// Draws as many values anew. Few values tell little of their spread, so that is drawn as well.
void redraw(std::span<const double> values, std::span<double> to, Draws& draws) {
  draws.resample(values, to);
  const double centre = *mean(values);
  const double wider = draws.inflation(values.size() - 1);
  for (double& value : to) {
    value = centre + wider * (value - centre);
  }
}

// Both sides of the change drawn anew from themselves, and where the change is found in them.
void place(std::span<const double> values,
           std::size_t begin,
           std::size_t end,
           ChangePoint& point,
           Draws& draws) {
  const auto before = values.subspan(begin, point.first - begin);
  const auto after = values.subspan(point.first, end - point.first);
  std::vector<double> drawn(end - begin);
  std::vector<std::size_t> firsts;
  for (std::size_t r = 0; r < kResamples; ++r) {
    redraw(before, std::span(drawn).first(before.size()), draws);
    redraw(after, std::span(drawn).last(after.size()), draws);
    firsts.push_back(begin + best_split(placed(drawn), kLeastBeside).first);
  }
  std::ranges::sort(firsts);
  point.earliest = std::min(point.first, firsts[kResamples / 40]);
  point.latest = std::max(point.first, firsts[kResamples - 1 - kResamples / 40]);
}

// Drops the changes, ascending, that dependence explains as well. Each is judged between those
// beside it, at its part of alpha.
void drop_wandering(std::span<const double> values,
                    double alpha,
                    const Segments& at,
                    Draws& draws,
                    ChangePoints& found) {
  const auto changes = static_cast<double>(found.points.size());
  Dependence dependence = dependence_of(values, at);
  dependence.caution += 0.4 * (changes - 1.0);
  std::vector<ChangePoint> kept;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const std::size_t count = at[i + 2] - at[i];
    const Split split = best_split(placed(values.subspan(at[i], count)), kLeastBeside);
    const double p = changes * wandering_p(count, split, dependence, alpha / changes, draws);
    if (p <= alpha) {
      kept.push_back(found.points[i]);
      kept.back().p = std::max(kept.back().p, p);
    }
  }
  found.dependence = dependence.phi;
  found.wanders = kept.size() < found.points.size();
  found.points = kept;
}

}  // namespace

ChangePoints change_points(std::span<const double> values,
                           double alpha,
                           std::size_t least,
                           std::uint64_t seed) {
  ChangePoints found;
  if (!all_finite(values) || !is_level(alpha) || least < 2) {
    found.status = Status::kInvalidInput;
    return found;
  }
  if (values.size() < 2 * least) {
    return found;
  }
  found.status = Status::kOk;
  Draws draws(seed);
  Segments at{0, values.size()};
  while (true) {
    const std::vector<Placed> parts = placed_in_segments(values, at);
    const Split split = best_of_segments(parts, at, least);
    if (!(split.energy > 0.0)) {
      break;
    }
    const auto p = permutation_p(parts, at, least, split.energy, alpha, draws);
    if (!p) {
      break;
    }
    // The change may be nearer to an end than the splits that were tested.
    const auto end = std::ranges::upper_bound(at, split.first);
    const std::size_t begin = *std::prev(end);
    const std::size_t first =
        begin + best_split(std::span(parts).subspan(begin, *end - begin), kLeastBeside).first;
    at.insert(end, first);
    found.points.push_back({.first = first, .earliest = 0, .latest = 0, .p = *p});
  }
  std::ranges::sort(found.points, {}, &ChangePoint::first);
  if (!found.points.empty()) {
    drop_wandering(values, alpha, at, draws, found);
  }
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found.points[i - 1].first;
    const std::size_t end = i + 1 < found.points.size() ? found.points[i + 1].first : values.size();
    place(values, begin, end, found.points[i], draws);
  }
  return found;
}

}  // namespace scalestudy::stats
