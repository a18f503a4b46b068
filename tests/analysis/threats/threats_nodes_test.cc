// Threats from the nodes that trials had.
#include <algorithm>
#include <cmath>

#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/stats/simulation/experiment.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// Two cells in blocks that are sessions of their own, on the nodes given; trials of 1 %, blocks of
// 1 %, those with `slow` longer by `excess`.
StudyObservation observe_nodes(const std::vector<std::string>& hosts,
                               const std::string& slow,
                               double excess,
                               Noise& noise) {
  std::vector<double> blocks;
  for (const std::string& host : hosts) {
    const bool is_slow = !slow.empty() && host.find(slow) != std::string::npos;
    blocks.push_back(noise.factor(0.01) * (is_slow ? 1.0 + excess : 1.0));
  }
  std::vector<CellObservation> cells;
  for (const std::int64_t devices : {1, 2}) {
    std::vector<double> times;
    for (const double block : blocks) {
      times.push_back(block * noise.factor(0.01) / static_cast<double>(devices));
    }
    CellObservation& cell = cells.emplace_back(observe_cell(make_cell(devices, devices, 8), times));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      cell.trials[i].row.hosts = hosts[i];
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i) + 1;
    }
  }
  return make_observation(std::move(cells), Scaling::kStrong);
}

const std::vector<std::string> kFourNodes = {
    "n0", "n1", "n2", "n3", "n0", "n1", "n2", "n3", "n0", "n1", "n2", "n3"};
const std::vector<std::string> kPairs = {
    "n0,n1", "n2,n3", "n0,n2", "n1,n3", "n0,n3", "n1,n2", "n0,n1", "n2,n3", "n0,n2", "n1,n3"};

}  // namespace

TEST_CASE("a node on which sessions took longer is named, and no other", "[analysis]") {
  Noise noise(7);
  const std::vector<ThreatRow> threats = node_threats(observe_nodes(kFourNodes, "n2", 0.2, noise));

  REQUIRE(threats.size() == 1);
  CHECK(threats[0].kind == ThreatKind::kSlowNode);
  CHECK(threats[0].severity == Severity::kWarning);
  CHECK_THAT(threats[0].finding, Contains("n2 is slow: sessions with it took"));
  CHECK_THAT(threats[0].finding, Contains("(3 against 9; p = "));
  CHECK_THAT(threats[0].finding, Contains("Holm over 4 nodes"));
}

TEST_CASE("of several nodes of each trial the slow one is found", "[analysis]") {
  Noise noise(8);
  const std::vector<ThreatRow> threats = node_threats(observe_nodes(kPairs, "n1", 0.2, noise));
  REQUIRE(threats.size() == 1);
  CHECK_THAT(threats[0].finding, Contains("n1 is slow"));

  const std::vector<std::string> fixed = {"a,b", "c,d", "a,b", "c,d", "a,b", "c,d"};
  const std::vector<ThreatRow> both = node_threats(observe_nodes(fixed, "a", 0.2, noise));
  REQUIRE(both.size() == 1);
  CHECK_THAT(both[0].finding, Contains("a and b are slow: sessions with them took"));
}

TEST_CASE("one node is one, whatever it is called", "[analysis]") {
  Noise noise(7);
  std::vector<std::string> hosts = kFourNodes;
  std::ranges::replace(hosts, "n2", "sun and moon");
  const std::vector<ThreatRow> threats = node_threats(observe_nodes(hosts, "sun", 0.2, noise));

  REQUIRE(threats.size() == 1);
  CHECK_THAT(threats[0].finding, Contains("sun and moon is slow: sessions with it took"));
}

TEST_CASE("where nodes do not vary, are not known, or are of one session each, none is slow",
          "[analysis]") {
  Noise noise(9);
  CHECK(node_threats(observe_nodes({"n0", "n0", "n0", "n0"}, "", 0.0, noise)).empty());
  CHECK(node_threats(observe_nodes({"", "", "", ""}, "", 0.0, noise)).empty());
  CHECK(node_threats(observe_nodes({"n0", "n1", "n2"}, "n2", 0.5, noise)).empty());
  CHECK(node_threats({}).empty());
  // Many blocks of one session are one value: two machines cannot be told from two sessions.
  StudyObservation merged = observe_nodes(kFourNodes, "n2", 0.2, noise);
  for (CellObservation& cell : merged.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.session_id = trial.row.hosts == "n2" ? 2 : 1;
    }
  }
  CHECK(node_threats(merged).empty());
}

TEST_CASE("thousands of cells on one machine cost nothing", "[analysis]") {
  std::vector<CellObservation> cells;
  for (std::int64_t id = 1; id <= 20000; ++id) {  // minutes and gigabytes, if they were fitted
    cells.push_back(observe_cell(make_cell(id, 1, id), {1.0, 1.0}));
    for (TrialObservation& trial : cells.back().trials) {
      trial.row.hosts = "n0";
      trial.row.session_id = 1 + trial.row.block;
    }
  }
  const StudyObservation observation = make_observation(std::move(cells), Scaling::kStrong);

  CHECK(node_threats(observation).empty());
}

TEST_CASE("clean studies are blamed on a node in at most 5 %, and 5 % more is found",
          "[analysis]") {
  constexpr std::size_t replicates = 2'000;
  Noise noise(10);
  for (const auto& hosts : {kFourNodes, kPairs}) {
    Tally alarms;
    Tally found;
    for (std::size_t i = 0; i < replicates; ++i) {
      alarms.add(!node_threats(observe_nodes(hosts, "", 0.0, noise)).empty());
      const auto threats = node_threats(observe_nodes(hosts, "n1", 0.05, noise));
      found.add(threats.size() == 1 && threats[0].finding.rfind("n1 is slow", 0) == 0);
    }
    CAPTURE(alarms.share(), found.share());
    CHECK(alarms.share() <= 0.05 + 3.0 * std::sqrt(0.05 * 0.95 / replicates));
    CHECK(alarms.share() > 0.0);
    CHECK(found.share() >= 0.8);
  }
}
