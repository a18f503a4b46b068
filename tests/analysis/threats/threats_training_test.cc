// Threats from how the built-in training communicates and what it trains on.
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::make_cell;
using test::observe_cell;

namespace {

std::vector<ThreatKind> kinds(std::vector<CellObservation> cells) {
  Study study;
  study.workload = Workload::kTrain;
  std::vector<ThreatKind> found;
  for (const ThreatRow& threat :
       training_threats(test::make_observation(std::move(cells), Scaling::kStrong), study)) {
    found.push_back(threat.kind);
  }
  return found;
}

CellObservation with_metric(const std::string& metric, double last) {
  CellObservation cell = observe_cell(make_cell(1, 2, 8), {1.0, 1.1});
  cell.trials[1].metrics[metric] = {.steps = 1, .mean = last, .last = last};
  return cell;
}

CellObservation with_parameters(std::int64_t id,
                                const std::vector<CellRow::Parameter>& parameters) {
  CellRow row = make_cell(id, 2, 8);
  row.hash += std::to_string(id);
  row.baseline = make_cell(1, 2, 8).hash + "1";
  row.parameters.insert(row.parameters.end(), parameters.begin(), parameters.end());
  return observe_cell(row, {1.0, 1.1});
}

using Kinds = std::vector<ThreatKind>;

}  // namespace

TEST_CASE("a communication thread without a core of its own is told", "[analysis]") {
  CHECK(kinds({with_metric("communication_thread_cores", 0.0)}) ==
        Kinds{ThreatKind::kCommunicationThread});
  CHECK(kinds({with_metric("communication_thread_cores", 1.0)}).empty());
}

TEST_CASE("reading ahead without a core, and decoding for a declared time, are told",
          "[analysis]") {
  const auto with = [](const std::string& data, const std::string& decode_us) {
    return kinds({with_parameters(2,
                                  {{"data", data, ValueKind::kText, true},
                                   {"decode_us", decode_us, ValueKind::kReal, true}})});
  };

  CHECK(kinds({with_metric("data_thread_cores", 0.0)}) == Kinds{ThreatKind::kCommunicationThread});
  CHECK(kinds({with_metric("data_thread_cores", 1.0)}).empty());
  CHECK(with("file", "50") == Kinds{ThreatKind::kEmulated});
  CHECK(with("file", "0").empty());
  CHECK(with("synthetic", "50").empty());
}

TEST_CASE("a loss that is learned by heart is told", "[analysis]") {
  CHECK(kinds({with_metric("loss", 0.009)}) == Kinds{ThreatKind::kLearnedByHeart});
  CHECK(kinds({with_metric("loss", 0.3)}).empty());
  // Only a few batches are.
  for (const CellRow::Parameter& samples :
       {CellRow::Parameter{"train_samples", "4096", ValueKind::kInteger, true},
        CellRow::Parameter{"data", "file", ValueKind::kText, true}}) {
    CellObservation cell = with_metric("loss", 0.009);
    cell.row.parameters.push_back(samples);
    CAPTURE(samples.name);
    CHECK(kinds({cell}).empty());
  }
}

TEST_CASE("a rank that sleeps and nodes of one machine are told to be emulated", "[analysis]") {
  const auto with = [](const std::string& name, const std::string& value) {
    return kinds({with_parameters(2, {{name, value, ValueKind::kReal, true}})});
  };

  CHECK(with("straggler_ms", "5") == Kinds{ThreatKind::kEmulated});
  CHECK(with("virtual_node_ranks", "2") == Kinds{ThreatKind::kEmulated});
  CHECK(with("straggler_ms", "0").empty());
  CHECK(with("straggler_ms", "-0").empty());
  CHECK(with("straggler_rank", "1").empty());
}

TEST_CASE("polling without its control is told to be another algorithm", "[analysis]") {
  const CellObservation poll = with_parameters(2, {{"overlap", "poll", ValueKind::kText, true}});
  const CellObservation control =
      observe_cell(test::make_control(3, poll.row, CellRole::kStartWait), {1.2, 1.3});

  CHECK(kinds({poll}) == Kinds{ThreatKind::kOverlapAlgorithm});
  CHECK(kinds({poll, control}).empty());
  CHECK(kinds({with_parameters(2,
                               {{"overlap", "poll", ValueKind::kText, true},
                                {"comm", "shm", ValueKind::kText, true}})})
            .empty());
}

TEST_CASE("cells that differ in message size and in overlap are told", "[analysis]") {
  const CellObservation serial =
      with_parameters(1, {{"strategy", "ddp_serial", ValueKind::kText, true}});
  const CellObservation thread =
      with_parameters(2, {{"overlap", "thread", ValueKind::kText, true}});
  const CellObservation plain = with_parameters(3, {});

  CHECK(kinds({serial, thread}) == Kinds{ThreatKind::kSeveralDifferences});
  CHECK(kinds({serial, plain}).empty());
}
