// What a study's jobs hold of a cluster, by hand.
#include "harness/submit/allocation.h"

#include "harness/study/parse.h"
#include "harness/submit/jobs.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// Three cells: one device, eight on one node, and 32 on four.
constexpr const char* kThreeCells = R"(version: 1
study: demo
workload: train
parameters: {model: mlp-258k, batch_global: 64}
zip: [{nodes: 1, devices: 1}, {nodes: 1, devices: 8}, {nodes: 4, devices: 32}]
trials: {count: 10}
limits: {timeout: 360s}
cost: {per_device_hour: 2, source: a, date: 2026-11-01}
)";

Study three_cells() {
  ParsedStudy parsed = parse_study(kThreeCells, "demo.yaml", {});
  INFO(format_problems(parsed.problems, kThreeCells, "demo.yaml"));
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

bool all_blocks(const Cell&, std::int64_t) {
  return true;
}

}  // namespace

// Ten trials of each cell, 36 s each, are 0.1 h a cell: four nodes are held for 0.3 h, the cells
// have 1, 1 and 4 of them for 0.1 h each. 32 devices at 2 USD an hour.
TEST_CASE("a job holds the nodes of the largest cell in every trial", "[submit]") {
  const Study study = three_cells();
  const auto known = [](const Cell&) { return std::optional(36.0); };

  const Allocation all = planned_allocation(study, expand(study), known, all_blocks);

  CHECK(all.nodes == 4);
  CHECK(all.held_node_hours == Approx(1.2));
  CHECK(all.used_node_hours == Approx(0.6));
  CHECK(all.held_cost == Approx(0.3 * 64.0));
  CHECK_FALSE(all.is_bound);
  const std::string text = allocation_text(study, all, false);
  CHECK(text ==
        "Each job holds 4 nodes, as many as the largest cell needs: about 1.20 node-hours in all, "
        "19.2 USD at the declared price. The trials use 50 % of them.");
  CHECK_THAT(
      allocation_text(study, all, true),
      Contains("Each job held 4 nodes, as many as the largest cell needs: 1.20 node-hours in all"));

  const auto first_half = [](const Cell&, std::int64_t block) { return block < 5; };
  CHECK(planned_allocation(study, expand(study), known, first_half).held_node_hours == Approx(0.6));
}

TEST_CASE("trials of unknown length count with their time limit, and that is said", "[submit]") {
  Study study = three_cells();
  study.cost.reset();
  const auto small_known = [](const Cell& cell) {
    return cell.nodes == 1 ? std::optional(360.0) : std::nullopt;
  };

  const Allocation bound = planned_allocation(study, expand(study), small_known, all_blocks);

  CHECK(bound.is_bound);
  CHECK(bound.held_node_hours == Approx(12.0));
  CHECK_THAT(allocation_text(study, bound, false),
             Contains(": at most 12.0 node-hours in all. The trials"));
}

TEST_CASE("half a cluster that waits is worth a word, one node is not", "[submit]") {
  Study study = three_cells();
  Allocation some{.nodes = 32, .held_node_hours = 32.0, .used_node_hours = 8.0};
  CHECK_THAT(allocation_text(study, some, false),
             Contains("The trials use 25 % of them. A study of its own for the small cells"));
  CHECK_THAT(allocation_text(study, some, true), !Contains("A study of its own"));
  some.nodes = 1;
  CHECK(allocation_text(study, some, false).empty());
}

TEST_CASE("what was held follows from the attempts that have ended", "[submit]") {
  const TemporaryFolder folder;
  const Study study = three_cells();
  Store store = Store::open(folder.path());
  prepare_jobs(study, store, 1, "host");
  const std::int64_t id = store.find_study("demo").value().id;
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-11-21T10:00:00Z";
  const std::int64_t session_id = store.begin_session(session, {});
  CHECK(ended_allocation(study, expand(study), store).held_node_hours == 0.0);
  std::map<std::int64_t, std::int64_t> nodes;
  for (const CellRow& cell : store.cells(id)) {
    nodes[cell.id] = cell.nodes;
  }
  double used_node_s = 0.0;
  for (int i = 0; i < 3; ++i) {  // all cells of the first block
    TrialRecord record;
    record.trial = store.trials(id).at(static_cast<std::size_t>(i));
    store.mark_running(record.trial.id, session_id, "2026-11-21T10:00:01Z");
    record.trial.state = i == 0 ? TrialState::kFailed : TrialState::kOk;
    record.trial.wall_s = 360.0;
    used_node_s += 360.0 * static_cast<double>(nodes.at(record.trial.cell_id));
    store.finish_trial(record, false);
  }

  const Allocation ended = ended_allocation(study, expand(study), store);

  CHECK(ended.held_node_hours == Approx(3 * 4 * 0.1));
  CHECK(ended.used_node_hours == Approx(used_node_s / 3600.0));
  CHECK(ended.used_node_hours == Approx(0.6));

  // Logs that are read again held nothing once more.
  TrialRecord again;
  again.trial = store.trials(id).at(1);
  REQUIRE(again.trial.state == TrialState::kOk);
  again.trial.state = TrialState::kInvalid;
  store.add_reading(again);
  CHECK(store.trials(id).size() > 3);
  CHECK(ended_allocation(study, expand(study), store).held_node_hours == Approx(3 * 4 * 0.1));
  // The mean of what ended ok is known of two cells, not of the failed one.
  CHECK(planned_allocation(study, expand(study), &store, all_blocks).is_bound);
  CHECK(planned_allocation(study, expand(study), nullptr, all_blocks).is_bound);
}
