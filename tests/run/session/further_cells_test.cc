// A run goes on with the cells that its trials ask for.
#include "harness/run/session/repeated_failures.h"
#include "harness/store/added.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

const Study& study() {
  static const Study parsed = parse(kStudy);
  return parsed;
}

// As a user's rule: size 5 after the first blocks, then 7, then nothing more.
std::vector<Addition> two_more(const Store& store, std::int64_t study_id) {
  const auto known = static_cast<std::int64_t>(store.additions(study_id).size());
  if (known == 2) {
    return {};
  }
  return {{.cell = store.cells(study_id).front().hash,
           .axis = "size",
           .value = 5 + 2 * known,
           .first_block = 3 * (known + 1),
           .blocks = std::nullopt,
           .reason = "for the test"}};
}

// As a user's rule: both at once.
std::vector<Addition> two_at_once(const Store& store, std::int64_t study_id) {
  std::vector<Addition> both;
  if (store.additions(study_id).empty()) {
    both = two_more(store, study_id);
    both.push_back(both.front());
    both.back().value = 7;
    both.back().first_block = 6;
  }
  return both;
}

RunSummary run(Room& room,
               const Study& declared = study(),
               const RunOptions& options = {},
               const FurtherCellsRule& further_cells = two_more) {
  const RunWorld world{.launcher = room.launcher,
                       .machine = room.machine,
                       .clock = room.clock,
                       .precision = room.precision,
                       .further_cells = further_cells,
                       .sleep = [&room](double seconds) { room.sleep(seconds); }};
  return run_study(
      declared,
      room.store,
      world,
      options,
      [&room](const Progress& progress) { room.heard.push_back(progress); },
      room.stop);
}

// "size=1 b0 ..." in the order they ran.
std::vector<std::string> ok_trials(Room& room) {
  std::map<std::int64_t, std::string> labels;
  for (const CellRow& cell : room.store.cells(1)) {
    labels[cell.id] = cell.label;
  }
  std::vector<std::string> all;
  for (const TrialRow& trial : room.trials()) {
    if (trial.state == TrialState::kOk) {
      all.push_back(labels.at(trial.cell_id) + " b" + std::to_string(trial.block));
    }
  }
  return all;
}

TEST_CASE("what the trials ask for runs in the same session, in blocks behind all", "[run]") {
  Room room(goes_well);

  const RunSummary summary = run(room);

  CHECK(summary.run_now == 12);
  CHECK(count(summary, TrialState::kOk) == 12);
  CHECK(room.store.sessions(1).size() == 1);
  const auto trials = ok_trials(room);
  CHECK(std::vector(trials.begin() + 6, trials.end()) ==
        std::vector<std::string>{
            "size=5 b3", "size=5 b4", "size=5 b5", "size=7 b6", "size=7 b7", "size=7 b8"});
  CHECK(room.heard.back().done == 12);
  CHECK(room.heard.back().planned == 12);
  CHECK(run(room).run_now == 0);
  CHECK(room.store.cells(1).size() == 4);
}

TEST_CASE("a run that ends anywhere goes on to the same trials", "[run]") {
  Room whole(goes_well);
  run(whole);
  for (const std::int64_t most : {1, 6, 7, 9, 11}) {
    Room room(goes_well);
    CHECK(run(room, study(), {.max_trials = most}).interrupted);
    CHECK(run(room).run_now == 12 - most);
    CHECK(ok_trials(room) == ok_trials(whole));
  }
}

TEST_CASE("an added cell that fails alike does not stop a run before the other added one",
          "[run]") {
  Room room([](const LaunchRequest& request) {
    return request.argv.at(1) == "5" ? crashes(request) : goes_well(request);
  });
  const Study retried = parse(kStudy, {"limits.retries=2"});
  room.run(retried);  // nothing of it is left for the next session

  const RunSummary summary = run(room, retried, {}, two_at_once);

  CHECK(summary.stopped.empty());
  CHECK(summary.run_now == kMostAlike + 3);
  CHECK(count(summary, TrialState::kFailed) == 1);
  CHECK(count(summary, TrialState::kSkipped) == 2);
  CHECK(ok_trials(room).back() == "size=7 b8");
}

TEST_CASE("what was recorded and not planned when the harness died is planned", "[run]") {
  Room whole(goes_well);
  run(whole);
  Room room(goes_well);
  room.run(study());
  room.store.add(1, two_more(room.store, 1));

  run(room);

  CHECK(ok_trials(room) == ok_trials(whole));
}

TEST_CASE("a part of the plan asks for nothing more", "[run]") {
  Room room(goes_well);
  CHECK(run(room, study(), {.blocks = std::pair(0, 2)}).run_now == 6);
  CHECK(run(room, study(), {.cells = {room.store.cells(1).front().hash}}).run_now == 0);
  CHECK(room.store.additions(1).empty());
}

TEST_CASE("added cells stop at their own precision", "[run]") {
  Room room(goes_well);
  room.precision = [](const std::vector<TrialMean>& means) {
    return Precision{.relative_half_width = 0.1,
                     .stop_at = means.size() >= 2 ? std::optional<std::int64_t>(2) : std::nullopt};
  };
  const Study adaptive = parse(kStudy, {"trials={min: 2, max: 3, until: 10%}"});

  const RunSummary summary = run(room, adaptive);

  CHECK(count(summary, TrialState::kOk) == 8);
  CHECK(count(summary, TrialState::kSkipped) == 4);
  CHECK(ok_trials(room).back() == "size=7 b7");
  CHECK(run(room, adaptive).run_now == 0);
}

}  // namespace
