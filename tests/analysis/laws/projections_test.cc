// What is projected behind the gate, and that nothing else reads it.
#include "harness/analysis/laws/projections.h"

#include <algorithm>

#include "harness/analysis/analyse.h"
#include "harness/analysis/laws/law_choices.h"
#include "harness/analysis/laws/volumes.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/laws/ring_study.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using test::make_cell;
using test::observe_cell;
using test::observe_law;
using test::projected_study;
using test::ring_cells;
using test::ring_step_s;
using test::weak_cell;

namespace {

SessionRow make_session(std::int64_t id, const std::string& uid, const std::string& started_at) {
  SessionRow session;
  session.id = id;
  session.uid = uid;
  session.started_at = started_at;
  return session;
}

const std::vector<SessionRow> kSession = {make_session(0, "first", "2026-11-21T10:00:00Z")};

std::vector<ProjectionRow> project(const std::vector<std::int64_t>& measured,
                                   const std::vector<std::int64_t>& to,
                                   const std::vector<ProjectionRow>& earlier = {},
                                   const std::vector<SessionRow>& sessions = kSession) {
  return project_cells(test::make_observation(ring_cells(measured), Scaling::kWeak),
                       projected_study(to),
                       {},
                       sessions,
                       earlier);
}

}  // namespace

TEST_CASE("a ring is projected to twice the most devices, and no further", "[analysis]") {
  const auto rows = project({1, 2, 4, 8}, {8, 16, 32});

  REQUIRE(rows.size() == 2);  // 8 is measured
  CHECK(rows[0].devices == 16);
  CHECK(rows[0].status == RowStatus::kOk);
  CHECK(rows[0].provenance == Provenance::kProjected);
  // By hand: 20 + 30 x 0.05 + 30/16 x 4 = 29.0 ms; 16 x 32 samples in that time.
  CHECK(*rows[0].value == Approx(0.029).epsilon(1e-3));
  CHECK(*rows[0].throughput == Approx(512 / 0.029).epsilon(1e-3));
  CHECK(*rows[0].lo <= *rows[0].value);
  CHECK(*rows[0].hi >= *rows[0].value);
  CHECK(*rows[0].factor == 2.0);
  CHECK(*rows[0].held_out_error < 1e-3);
  CHECK(*rows[0].rival_error > 1e-3);
  CHECK(rows[0].made_at == "2026-11-21T10:00:00Z");
  CHECK(rows[0].session == "first");
  CHECK(rows[0].trials.size() == 16);
  CHECK(rows[1].devices == 32);
  CHECK(rows[1].status == RowStatus::kExtrapolated);
  CHECK_FALSE(rows[1].value);
  CHECK_THAT(rows[1].finding, Contains("a factor of 2.00"));
}

TEST_CASE("a ring that is fitted because the declared costs are missing says why", "[analysis]") {
  Communication communication;
  communication.missing = "there is no study lnks in results";
  const auto rows = project_cells(test::make_observation(ring_cells({1, 2, 4, 8}), Scaling::kWeak),
                                  projected_study({16}),
                                  communication,
                                  kSession,
                                  {});

  CHECK(rows.at(0).status == RowStatus::kOk);
  CHECK_THAT(rows.at(0).finding,
             Catch::Matchers::EndsWith(
                 "; the costs of communication are fitted: there is no study lnks in results"));
  CHECK_THAT(project({1, 2, 4, 8}, {16}).at(0).finding, !Contains("are fitted"));
}

TEST_CASE("counts 1 and 2 refuse a projection, and so do three", "[analysis]") {
  for (const std::vector<std::int64_t>& measured :
       {std::vector<std::int64_t>{1, 2}, std::vector<std::int64_t>{1, 2, 4}}) {
    const auto rows = project(measured, {8, 128});

    REQUIRE(rows.size() == 2);
    for (const ProjectionRow& row : rows) {
      CHECK(row.status == RowStatus::kRefused);
      CHECK_FALSE(row.value);
      CHECK_FALSE(row.throughput);
      CHECK_THAT(row.finding,
                 Contains("there are " + std::to_string(measured.size()) +
                          " distinct device counts, 1 of them "
                          "held out for the check; 3 smaller ones are needed"));
    }
  }
}

TEST_CASE("more counts held out let a projection go further", "[analysis]") {
  Study study = projected_study({32, 64});
  study.analysis.projection->hold_out = 2;
  const auto rows =
      project_cells(test::make_observation(ring_cells({1, 2, 4, 8, 16}), Scaling::kWeak),
                    study,
                    {},
                    kSession,
                    {});

  REQUIRE(rows.size() == 2);
  CHECK(*rows[0].value == Approx(ring_step_s(32)).epsilon(1e-3));
  CHECK(*rows[1].value == Approx(ring_step_s(64)).epsilon(1e-3));  // 64/16 = 16/4
}

TEST_CASE("beyond a node nothing is projected before several nodes were measured", "[analysis]") {
  Study study = projected_study({16});
  study.analysis.projection->devices_per_node = 8;
  std::vector<CellObservation> cells = ring_cells({1, 2, 4, 8});
  const auto project_all = [&] {
    return project_cells(test::make_observation(cells, Scaling::kWeak), study, {}, kSession, {});
  };

  CHECK(project_all().at(0).status == RowStatus::kUnsupported);
  CHECK_FALSE(project_all().at(0).value);

  cells.back().row.nodes = 2;
  CHECK(project_all().at(0).status == RowStatus::kOk);
}

TEST_CASE("a model that is no better than its rivals is refused with their errors", "[analysis]") {
  // Perfect weak scaling: the ring's two parts are 0, and nothing is gained over perfect scaling.
  std::vector<CellObservation> cells;
  for (const std::int64_t count : {1, 2, 4, 8}) {
    cells.push_back(observe_law(weak_cell(std::ssize(cells) + 1, count), 0.020));
  }
  const auto rows = project_cells(
      test::make_observation(cells, Scaling::kWeak), projected_study({16}), {}, kSession, {});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == RowStatus::kRefused);
  CHECK_FALSE(rows[0].value);
  CHECK_THAT(rows[0].finding,
             Contains("was 0.04 % off, but must be closer than perfect scaling, which was 0.00 % "
                      "off; Gustafson's law 0.00 %") &&
                 !Contains("is allowed"));
}

TEST_CASE("strong scaling is projected from known costs alone", "[analysis]") {
  // 0.4 s of work shared out, a ring of 10 us a hop and 4 ms for the gradients: 40 MB at 10 GB/s.
  // Without scatter usl would be the same curve, and a projection no better than it.
  const auto time_s = [](std::int64_t devices) {
    const auto n = static_cast<double>(devices);
    return 0.4 / n + 2.0 * (n - 1.0) * 10e-6 + 2.0 * (n - 1.0) / n * 0.004;
  };
  std::vector<CellObservation> cells;
  for (const std::int64_t count : {1, 2, 4, 8}) {
    const double off = count == 2 ? 0.996 : count == 4 ? 1.003 : 1.0;
    cells.push_back(observe_law(make_cell(std::ssize(cells) + 1, count, 64), off * time_s(count)));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  Study study = projected_study({16});

  const auto unknown = project_cells(observation, study, {}, kSession, {});
  CHECK(unknown.at(0).status == RowStatus::kRefused);
  CHECK_THAT(unknown.at(0).finding, Contains("its costs must be known"));

  Communication communication;
  communication.ring = RingCosts{.hop_latency_s = 10e-6, .bytes_per_second = 1e10, .said = "told"};
  study.analysis.communication.emplace().bytes = 40e6;
  const auto known = project_cells(observation, study, communication, kSession, {});
  CHECK(known.at(0).status == RowStatus::kOk);
  CHECK(known.at(0).method == "communication_added");
  CHECK(known.at(0).constants == "told");
  // By hand: 25 + 30 x 0.01 + 30/16 x 4 = 32.8 ms.
  CHECK(*known.at(0).value == Approx(0.0328).epsilon(5e-3));

  // What the largest cell with trials says it sends counts, while a larger one is still to run.
  study.workload = Workload::kTrain;
  study.analysis.communication->bytes = 0.0;
  communication.facts[4] = {{"wire_bytes", 40e6}};
  StudyObservation running = observation;
  running.cells.push_back(observe_cell(make_cell(5, 16, 64), {}));
  const auto told = project_cells(running, study, communication, kSession, {});
  CHECK(told.at(0).status == RowStatus::kOk);
  CHECK(*told.at(0).value == *known.at(0).value);
}

TEST_CASE("projections and choices of a law count trials where means of sessions are fitted",
          "[analysis]") {
  std::vector<CellObservation> cells;
  for (const std::int64_t count : {1, 2, 4, 8, 16}) {
    std::vector<double> times_s;
    for (int i = 0; i < 10; ++i) {
      times_s.push_back(ring_step_s(count) * (1.0 + 0.001 * static_cast<double>(i % 3 - 1)));
    }
    CellObservation cell = observe_cell(weak_cell(std::ssize(cells) + 1, count), times_s);
    for (TrialObservation& trial : cell.trials) {
      trial.row.session_id = trial.row.block / 2 + 1;
    }
    cells.push_back(std::move(cell));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kWeak);
  Study study = projected_study({32});
  study.order.design = OrderDesign::kBlocks;

  const ProjectionRow projection = project_cells(observation, study, {}, kSession, {}).at(0);
  CHECK(projection.n == 50);
  CHECK(projection.trials.size() == 50);
  const LawChoices laws = choose_laws(observation, study, {}, {});
  CHECK(laws.choices.at(0).n == 50);
  CHECK(laws.errors.at(0).n == 50);
  CHECK(laws.errors.at(0).trials.size() == 50);
}

TEST_CASE("a projection stays as it was made, and what is measured later scores it", "[analysis]") {
  const auto before = project({1, 2, 4, 8}, {16});
  std::vector<CellObservation> cells = ring_cells({1, 2, 4, 8, 16});
  cells.back() = observe_law(weak_cell(5, 16), 0.030);  // 29 ms were projected
  for (std::int64_t cell = 0; cell < 5; ++cell) {
    cells[static_cast<std::size_t>(cell)] =
        test::in_session(cells[static_cast<std::size_t>(cell)], cell == 4 ? 2 : 0);
  }
  std::vector<SessionRow> sessions = kSession;
  sessions.push_back(make_session(2, "second", "2026-11-22"));

  const auto after = project_cells(test::make_observation(cells, Scaling::kWeak),
                                   projected_study({16, 32}),
                                   {},
                                   sessions,
                                   before);

  REQUIRE(after.size() == 2);
  CHECK(*after[0].value == *before[0].value);
  CHECK(after[0].made_at == before[0].made_at);
  CHECK(after[0].trials == before[0].trials);
  CHECK(after[0].cell_id == 5);
  // Of the trials' arithmetic mean: 30 ms x (1.01 + 1/1.01 + 1.02 + 1/1.02)/4.
  CHECK(*after[0].measured == Approx(0.030 * 1.000123).epsilon(1e-5));
  CHECK(*after[0].error == Approx(0.029 / 0.030004 - 1.0).margin(5e-4));
  CHECK(after[1].devices == 32);
  CHECK(after[1].made_at == "2026-11-22");

  const auto without = project({1, 2, 4, 8}, {32}, after);  // its trials were excluded
  const auto kept = std::ranges::find(without, 16, &ProjectionRow::devices);
  CHECK(*kept->value == *before[0].value);
  CHECK_FALSE(kept->cell_id);
  CHECK_FALSE(kept->measured);
  CHECK_FALSE(kept->error);
}

TEST_CASE("a scenario is its constants worked out, without an interval", "[analysis]") {
  Study study;
  study.analysis.scenarios = {{.name = "cards",
                               .devices = {128, 256},
                               .compute_s = 0.028,
                               .bytes = 102e6,
                               .hop_latency_s = 5e-6,
                               .bytes_per_second = 1e10,
                               .batch_per_device = 32,
                               .is_hidden = false,
                               .source = "a report",
                               .date = "2025-01-15"}};
  const auto rows = project_cells(test::make_observation({}, Scaling::kWeak), study, {}, {}, {});

  REQUIRE(rows.size() == 2);
  // By hand: 28 + 254 x 0.005 + 254/128 x 10.2 = 49.510625 ms; 28 + 510 x 0.005 + 510/256 x 10.2.
  CHECK(*rows[0].value == Approx(0.049510625).epsilon(1e-9));
  CHECK(*rows[1].value == Approx(0.0508703125).epsilon(1e-9));
  CHECK(*rows[1].throughput == Approx(256 * 32 / 0.0508703125).epsilon(1e-9));
  CHECK(rows[0].provenance == Provenance::kScenario);
  CHECK_FALSE(rows[0].lo);
  CHECK_FALSE(rows[0].hi);
  CHECK_THAT(rows[0].constants,
             Contains("28.0 ms") && Contains("102 MB") && Contains("5.00 µs") &&
                 Contains("10.0 GB/s") && Contains("32 samples") && Contains("a report"));
  study.analysis.scenarios.front().is_hidden = true;
  CHECK(*project_cells(test::make_observation({}, Scaling::kWeak), study, {}, {}, {}).at(0).value ==
        0.028);
}

TEST_CASE("what a step sends follows from parameters, type and strategy", "[analysis]") {
  std::vector<CellObservation> cells = ring_cells({1, 4});
  Study study = projected_study({});
  study.workload = Workload::kTrain;
  study.cost.emplace().train = Training{.samples = 0, .tokens = 0, .samples_per_epoch = 1000};
  Communication communication;
  communication.facts[2] = {{"parameter_count", 1e6},
                            {"wire_bytes", 4.1e6},
                            {"traffic_bytes", 6.15e6},
                            {"bucket_count", 2.0}};
  communication.ring = RingCosts{.hop_latency_s = 1e-6, .bytes_per_second = 1e9, .said = "told"};
  cells[1].trials[0].metrics[kCommunication] = {.steps = 1, .mean = 0.012};

  const auto rows =
      compare_volumes(test::make_observation(cells, Scaling::kWeak), study, communication);

  REQUIRE(rows.size() == 3);
  CHECK(rows[0].quantity == "traffic_bytes");
  CHECK(*rows[0].calculated == Approx(2.0 * 3 / 4 * 4e6));  // fp32
  CHECK(*rows[0].measured == 6.15e6);
  CHECK(*rows[0].ratio == Approx(1.025));
  CHECK(rows[1].quantity == "traffic_bytes_per_epoch");
  CHECK(*rows[1].calculated == Approx(1000.0 / 128 * 6e6));  // samples over those of a step
  CHECK(rows[2].quantity == "communication_time_s");
  // 2 x 3 hops of each of two buckets, and 6.15 MB at 1 GB/s.
  CHECK(*rows[2].calculated == Approx(12e-6 + 6.15e-3));
  CHECK(*rows[2].ratio == Approx(0.012 / 6.162e-3));
}

TEST_CASE("nothing that was projected enters another result", "[analysis]") {
  const auto analyse_with = [](bool is_asked) {
    test::StoredStudy stored(
        Scaling::kWeak, {weak_cell(0, 1), weak_cell(0, 2), weak_cell(0, 4), weak_cell(0, 8)}, 5);
    for (std::int64_t block = 0; block < 5; ++block) {
      for (const std::int64_t devices : {1, 2, 4, 8}) {
        const double time_s = ring_step_s(devices) * (1.0 + 0.002 * static_cast<double>(block));
        stored.finish({.cell = "d" + std::to_string(devices),
                       .block = block,
                       .series = {test::step_times({time_s, time_s, time_s * 1.001}, 0)}});
      }
    }
    Study study = projected_study({16});
    study.analysis.baseline = {{"devices", std::int64_t{1}}};
    if (!is_asked) {
      study.analysis.projection.reset();
    }
    Results first = analyse(stored.store(), stored.study_id(), study);
    stored.store().replace_results(stored.study_id(), first);
    const Results again = analyse(stored.store(), stored.study_id(), study);
    CHECK(again.projections.size() == (is_asked ? 1 : 0));
    // As a store of the same trials without projections would write it.
    Results others = again;
    others.projections.clear();
    stored.store().replace_results(stored.study_id(), others);
    const auto text = [&](const char* view) {
      return stored.store().query("SELECT * FROM " + std::string(view)).rows;
    };
    return std::vector{text("metrics"),
                       text("comparisons"),
                       text("laws"),
                       text("threats"),
                       text("thresholds"),
                       text("law_choices")};
  };

  CHECK(analyse_with(true) == analyse_with(false));
}
