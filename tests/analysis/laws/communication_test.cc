// What communication costs a curve: measured by another study, declared, or known from its
// strategy.
#include "harness/analysis/laws/communication.h"

#include "harness/analysis/laws/laws.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/laws/ring_study.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::make_cell;
using test::observe_cell;

TEST_CASE("a ring costs what the curve's own all-reduce took", "[analysis]") {
  std::vector<CellRow> cells;
  for (const auto& [operation, devices] :
       {std::pair("all_reduce", 2), std::pair("all_reduce", 4), std::pair("all_gather", 4)}) {
    CellRow& cell = cells.emplace_back(make_cell(0, devices, 8));
    cell.hash += operation;
    cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                       {"operation", operation, ValueKind::kText, true}};
  }
  test::StoredStudy stored(Scaling::kNone, cells, 1);
  StudyRow row = *stored.store().find_study("by-hand");
  row.source_text =
      "version: 1\nstudy: by-hand\nworkload: collective\naxes: {operation: [all_reduce, "
      "all_gather], devices: [2, 4]}\nparameters: {message_bytes: 4}\n";
  REQUIRE(stored.store().put_study(row) == stored.study_id());
  Results results;
  const std::vector<TrialRow> trials = stored.store().trials(stored.study_id());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (const auto& [parameter, value] :
         {std::pair("alpha_s", 60e-6), std::pair("bandwidth_bytes_per_s", 1e9)}) {
      LawRow& law = results.laws.emplace_back();
      law.law = Law::kAlphaBeta;
      law.group_label = "curve " + std::to_string(i);
      law.parameter = parameter;
      law.value = value;
      law.trials = {trials[i].id};
    }
  }
  stored.store().replace_results(stored.study_id(), results);
  const auto costs = [&](const char* group) {
    Study study;
    study.analysis.communication.emplace();
    study.analysis.communication->study = "by-hand";
    study.analysis.communication->group = group;
    return find_communication(stored.store(), test::make_observation({}, Scaling::kWeak), study);
  };

  // On 2 ranks 2 hops, and as many bytes as the message; on 4 ranks 6 hops, and 3/2 of them.
  CHECK(costs("curve 0").ring->hop_latency_s == Approx(30e-6));
  CHECK(costs("curve 0").ring->bytes_per_second == Approx(1e9));
  CHECK(costs("curve 1").ring->hop_latency_s == Approx(10e-6));
  CHECK(costs("curve 1").ring->bytes_per_second == Approx(1.5e9));
  CHECK_THAT(costs("curve 1").ring->said, EndsWith("measured by study by-hand"));
  CHECK_FALSE(costs("curve 2").ring);
  CHECK_THAT(costs("curve 2").missing, Contains("measured all_gather; an all_reduce is needed"));

  // A program that says of itself that its ranks slept, whatever the study declares.
  results.laws.front().provenance = Provenance::kEmulated;
  stored.store().replace_results(stored.study_id(), results);
  CHECK_FALSE(costs("curve 0").ring);
  CHECK_THAT(costs("curve 0").missing, Contains("is emulated, and not mixed with measured times"));
  CHECK(costs("curve 1").ring);
}

TEST_CASE("a ring that was measured on another machine is said to be", "[analysis]") {
  CellRow cell = make_cell(0, 2, 8);
  cell.parameters = {{"operation", "all_reduce", ValueKind::kText, false}};
  test::StoredStudy stored(Scaling::kNone, {cell}, 1);
  StudyRow row = *stored.store().find_study("by-hand");
  row.source_text = "version: 1\nstudy: by-hand\nworkload: collective\nparameters: {devices: 2}\n";
  REQUIRE(stored.store().put_study(row) == stored.study_id());
  Results results;
  for (const auto& [parameter, value] :
       {std::pair("alpha_s", 60e-6), std::pair("bandwidth_bytes_per_s", 1e9)}) {
    LawRow& law = results.laws.emplace_back();
    law.law = Law::kAlphaBeta;
    law.parameter = parameter;
    law.value = value;
    law.trials = {stored.store().trials(stored.study_id()).front().id};
  }
  stored.store().replace_results(stored.study_id(), results);
  SessionRow session;
  session.study_id = stored.study_id();
  session.host = "far";
  stored.store().begin_session(session, {});
  for (const auto& [host, said] :
       {std::pair("near", "measured by study by-hand on far"), {"far", "by study by-hand"}}) {
    row.name = std::string("trained-") + host;
    session.study_id = stored.store().put_study(row);
    session.host = host;
    stored.store().begin_session(session, {});
    StudyObservation trained = test::make_observation({}, Scaling::kWeak);
    trained.study.id = session.study_id;
    Study study;
    study.analysis.communication.emplace().study = "by-hand";

    CHECK_THAT(find_communication(stored.store(), trained, study).ring->said, EndsWith(said));
  }
}

TEST_CASE("declared bytes travel as often as the strategy sends them", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 4, 64), {1.0});
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.communication.emplace().bytes = 40e6;
  const auto volume = [&](const char* strategy, const char* type, bool padded) {
    study.parameters = {{"model", std::string("mlp-258k")},
                        {"strategy", std::string(strategy)},
                        {"comm_dtype", std::string(type)}};
    Communication communication;
    communication.facts[1] = {{"parameter_count", 1e6}, {"bucket_count", 5.0}};
    return volume_of(cell, study, communication, padded);
  };

  CHECK(volume("ddp", "fp32", true)->sent_bytes(4.0) == Approx(2.0 * 3 / 4 * 40e6));
  CHECK(volume("fsdp", "fp32", true)->sent_bytes(4.0) == Approx(3.0 * 3 / 4 * 40e6));
  CHECK(volume("ddp", "fp32", true)->buckets == 5.0);
  CHECK(volume("ddp", "bf16", false)->bytes == 2e6);
  CHECK_FALSE(volume("zero1", "bf16", false));      // gradients in two bytes, parameters in four
  CHECK_FALSE(volume("local_sgd", "fp32", false));  // in some steps alone
  CHECK_FALSE(volume("powersgd", "fp32", false));   // not the gradients themselves
}

TEST_CASE("what a strategy of an own program sends is known by declaration alone", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 4, 64), {1.0});
  Study study;
  study.workload = Workload::kCommand;
  Communication communication;
  communication.facts[1] = {{"wire_bytes", 4e6}};
  const auto volume = [&](const char* strategy) {
    study.parameters = {{"strategy", std::string(strategy)}};
    return volume_of(cell, study, communication, true);
  };

  CHECK(volume("ddp")->sent_bytes(4.0) == Approx(2.0 * 3 / 4 * 4e6));
  CHECK_FALSE(volume("tensor_parallel"));  // the bytes are told, but not how often they travel
  study.analysis.communication.emplace().bytes = 40e6;  // what all ranks sum
  CHECK(volume("tensor_parallel")->sent_bytes(4.0) == Approx(2.0 * 3 / 4 * 40e6));
}

// FORMAT.md: wire_bytes are told even if noop sends nothing, or the payload is one element.
TEST_CASE("gradients that are not sent have no volume, told or declared", "[analysis]") {
  const CellObservation cell = observe_cell(make_cell(1, 4, 64), {1.0});
  Study study;
  study.workload = Workload::kTrain;
  Communication communication;
  communication.facts[1] = {{"wire_bytes", 4e6}, {"parameter_count", 1e6}};
  const auto volume = [&](const char* comm, const char* payload, bool padded) {
    study.parameters = {{"model", std::string("mlp-258k")},
                        {"strategy", std::string("ddp")},
                        {"comm", std::string(comm)},
                        {"payload", std::string(payload)}};
    return volume_of(cell, study, communication, padded);
  };

  CHECK(volume("mpi", "buckets", true)->bytes == 4e6);
  for (const bool padded : {true, false}) {
    CHECK_FALSE(volume("noop", "buckets", padded));
    CHECK_FALSE(volume("mpi", "element", padded));
  }
  study.analysis.communication.emplace().bytes = 40e6;
  CHECK(volume("mpi", "buckets", true)->bytes == 40e6);
  CHECK_FALSE(volume("noop", "buckets", true));
  CHECK_FALSE(volume("mpi", "element", true));
}

TEST_CASE("a law of a communicating step leaves out a curve that does not communicate",
          "[analysis]") {
  const StudyObservation observation =
      test::make_observation(test::ring_cells({1, 2, 4}), Scaling::kWeak);
  Study study = test::projected_study({});
  study.analysis.laws = {Law::kCommunicationAdded};
  study.analysis.communication.emplace().bytes = 40e6;
  Communication communication;
  communication.ring =
      RingCosts{.hop_latency_s = 50e-6, .bytes_per_second = 10e9, .said = "declared"};
  const auto fitted = [&](const char* comm) {
    study.parameters = {{"strategy", std::string("ddp")}, {"comm", std::string(comm)}};
    return fit_laws(observation, study, communication).front();
  };

  // Their steps are 20 ms and that ring: the computation is what is left of them.
  CHECK(fitted("mpi").status == RowStatus::kOk);
  CHECK(fitted("mpi").value.value() == Approx(0.020).epsilon(0.002));
  CHECK(fitted("noop").status == RowStatus::kNotApplicable);
  CHECK_FALSE(fitted("noop").value);
  CHECK_THAT(fitted("noop").finding,
             Contains(" needs gradients that are sent (not comm noop or payload element), how much "
                      "is sent, what that takes (analysis.communication), and a fixed batch, per "
                      "device or in all"));
}
