#include "stats/slow_links.h"

#include <cmath>

#include "tests/stats/simulation/links.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using namespace stats;

LinkGroupTimes times_of(const LinkGroup& links,
                        const std::map<std::int64_t, double>& log_times,
                        std::size_t family = 0) {
  return {.links = links, .family = family, .log_times = log_times};
}

}  // namespace

TEST_CASE("a link is held against the mean of the others in each block", "[stats]") {
  // By hand. a less the mean of b and c: 2, 3 and 4 in blocks 0 to 2: mean 3, sd 1, against 1:
  // t = 2 sqrt(3) of 2 degrees of freedom, P(T >= t) = 1/2 - t / (2 sqrt(2 + t^2)).
  const std::vector<LinkGroupTimes> groups{
      times_of({"a"}, {{0, 4.0}, {1, 15.0}, {2, 5.0}, {3, 99.0}}),  // alone in block 3
      times_of({"b"}, {{0, 1.0}, {1, 12.0}, {2, 2.0}}),
      times_of({"c"}, {{0, 3.0}, {1, 12.0}, {2, 0.0}}),
      times_of({"a", "b"}, {{0, 50.0}, {1, 50.0}, {2, 50.0}}),  // no other of two links
      times_of({"a"}, {{0, 60.0}, {1, 60.0}, {2, 60.0}}, 1)};   // of another size, say

  const std::vector<LinkExcess> excesses = link_excesses(groups, 1.0);

  REQUIRE(excesses.size() == 5);
  CHECK(excesses[0].blocks == 3);
  CHECK(excesses[0].difference == Approx(3.0));
  const double t = 2.0 * std::sqrt(3.0);
  CHECK(*excesses[0].p == Approx(0.5 - t / (2.0 * std::sqrt(2.0 + t * t))));
  CHECK(excesses[0].p_adjusted == Approx(3.0 * *excesses[0].p));  // Holm over a, b and c
  CHECK(excesses[1].difference < 0.0);
  CHECK(excesses[3].blocks == 0);
  CHECK(excesses[3].difference == 0.0);
  CHECK_FALSE(excesses[3].p);
  CHECK_FALSE(excesses[4].p);
  CHECK_FALSE(excesses[4].is_slow(0.05));
  CHECK(link_excesses({}, 0.0).empty());
  CHECK_FALSE(link_excesses(std::vector{times_of({"a"}, {{0, 1.0}, {1, 1.0}}),
                                        times_of({"b"}, {{0, 2.0}, {1, 2.0}})},
                            0.0)[1]
                  .p);  // no spread
}

TEST_CASE("slow groups are halved down to single links", "[stats]") {
  const LinkGroup all{"a", "b", "c", "d", "e"};
  const LinkGroup low{"a", "b", "c"};
  const LinkGroup high{"d", "e"};
  using Groups = std::vector<LinkGroup>;
  const auto next = [](std::vector<MeasuredGroup> measured) { return next_groups(measured); };

  CHECK(next({{all, false}}).empty());
  CHECK(next({{all, true}}) == Groups{low, high});
  CHECK(next({{all, true}, {high, true}}) == Groups{low, {"d"}, {"e"}});
  CHECK(next({{all, true}, {low, false}, {high, true}}) == Groups{{"d"}, {"e"}});
  CHECK(next({{all, true}, {low, false}, {high, true}, {{"d"}, true}, {{"e"}, false}}).empty());
  // Neither half stands out from the other: both may hold a slow link.
  CHECK(next({{all, true}, {low, false}, {high, false}}) ==
        Groups{{"a", "b"}, {"c"}, {"d"}, {"e"}});
  CHECK(next({{{"a"}, true}, {{"b"}, false}}).empty());
}

TEST_CASE("bisection names slow links with fewer groups than there are links, and no others",
          "[stats]") {
  // Measured in full in tests/bench/coverage.cc.
  constexpr std::size_t replicates = 300;
  const LinkTally one = run_links({}, replicates, 20261126);
  const LinkTally none =
      run_links({.slow_links = 0, .margin = 0.0, .is_each_pair = true}, replicates, 20261127);

  CHECK(one.named_wrongly.share() <= 0.05);
  CHECK(one.found.share() >= 0.95);
  CHECK(static_cast<double>(one.measured) / replicates < 12.0);  // of 28 pairs
  CHECK(none.named_wrongly.share() <= 0.05 + 4.0 * std::sqrt(0.05 * 0.95 / replicates));
  CHECK(none.named_wrongly.hits > 0);  // the level is used where there is no margin
}

}  // namespace scalestudy::test
