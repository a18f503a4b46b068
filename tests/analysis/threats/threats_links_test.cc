// Slow links among pairs of devices.
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

// Ping-pongs of 1 ms and 1 % between these pairs of eight devices, in common blocks; as much slower
// where a group has the slow link.
StudyObservation observe_pairs(const std::vector<std::string>& pairs,
                               const std::string& slow,
                               double excess,
                               test::Noise& noise) {
  constexpr std::int64_t blocks = 8;
  std::vector<CellObservation> cells;
  for (const std::string& pair : pairs) {
    CellRow row;
    row.id = std::ssize(cells) + 1;
    row.devices = 8;
    row.parameters = {{"operation", "ping_pong", ValueKind::kText, false},
                      {"pair", pair, ValueKind::kText, true}};
    std::vector<double> times;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const bool is_slow =
          !slow.empty() && ("+" + pair + "+").find("+" + slow + "+") != std::string::npos;
      times.push_back(1e-3 * noise.factor(0.01) * (is_slow ? 1.0 + excess : 1.0));
    }
    cells.push_back(test::observe_cell(row, times));
  }
  return test::make_observation(std::move(cells), Scaling::kNone);
}

std::vector<ThreatRow> threats_of(const std::vector<std::string>& pairs,
                                  const std::string& slow,
                                  double excess) {
  test::Noise noise(5);
  return link_threats(observe_pairs(pairs, slow, excess, noise), {});
}

const std::vector<std::string> kRounds{"0-1+2-3+4-5+6-7",
                                       "0-2+1-3+4-6+5-7",
                                       "0-3+1-2+4-7+5-6",
                                       "halves",  // 0-4+1-5+2-6+3-7
                                       "0-5+1-4+2-7+3-6",
                                       "0-6+1-7+2-4+3-5",
                                       "0-7+1-6+2-5+3-4"};

std::vector<std::string> with(const std::vector<std::string>& more) {
  std::vector<std::string> pairs = kRounds;
  pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

}  // namespace

TEST_CASE("a slow group of links is told with the groups to measure next", "[analysis]") {
  const auto rows = threats_of(kRounds, "4-6", 0.2);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSlowLink);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK_THAT(rows[0].finding, Catch::StartsWith("Slow links: 0-2+1-3+4-6+5-7 takes"));
  CHECK_THAT(rows[0].finding, Contains("longer than the others of 4 pairs at once (adjusted p"));
  CHECK_THAT(rows[0].finding, Contains("over 8 blocks"));
  CHECK_THAT(rows[0].finding, Contains("Add 0-2+1-3 and 4-6+5-7 to axes.pair"));
}

TEST_CASE("the slow link is named once its groups are halved", "[analysis]") {
  const auto halved = threats_of(with({"0-2+1-3", "4-6+5-7"}), "4-6", 0.2);
  REQUIRE(halved.size() == 1);
  CHECK_THAT(halved[0].finding, Contains("Add 4-6 and 5-7 to axes.pair"));

  const auto named = threats_of(with({"0-2+1-3", "4-6+5-7", "4-6", "5-7"}), "4-6", 0.2);
  REQUIRE(named.size() == 1);
  CHECK_THAT(named[0].finding, Contains("; 4-6 takes"));
  CHECK_THAT(named[0].finding, !Contains("Add "));
}

TEST_CASE("links that are alike, share cores or differ by less than the margin are not told",
          "[analysis]") {
  CHECK(threats_of(kRounds, "", 0.0).empty());
  CHECK(threats_of(kRounds, "4-6", 0.015).empty());
  test::Noise noise(5);
  StudyObservation shared = observe_pairs(kRounds, "4-6", 0.2, noise);
  for (CellObservation& cell : shared.cells) {
    cell.row.oversubscribed = true;
  }
  CHECK(link_threats(shared, {}).empty());
}

TEST_CASE("messages of another size are no slow link", "[analysis]") {
  test::Noise noise(5);
  StudyObservation observation = observe_pairs({"0-1", "0-2", "0-3"}, "0-3", 9.0, noise);
  for (std::size_t i = 0; i < 3; ++i) {
    observation.cells[i].row.parameters.push_back(
        {"message_bytes", i == 2 ? "1048576" : "8", ValueKind::kInteger, true});
  }
  CHECK(link_threats(observation, {}).empty());
}
