// Cells and blocks that a run added to a study.
#include "harness/study/matrix/added_cells.h"

#include <map>
#include <set>

#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::cell_of;

namespace {

Study study_of_three_counts(const std::string& rest = "") {
  return test::study_of(std::string(test::kHead) +
                        "axes: {devices: [1, 2, 4], batch_global: [32, 64, 128]}\n"
                        "analysis: {baseline: {devices: 1}}\n"
                        "controls: [noop]\ntrials: {count: 3}\n" +
                        rest);
}

// Batch 88 on one device and on two, from block 3 on; 96 on four from 6, with batch 88 again.
Study extended() {
  Study study = study_of_three_counts();
  const Matrix matrix = expand(study);
  const auto like = [&](const std::string& label) { return cell_of(matrix, label).hash; };
  const auto more = [](const std::string& cell, std::int64_t value, std::int64_t first) {
    return Addition{.cell = cell,
                    .axis = "batch_global",
                    .value = value,
                    .first_block = first,
                    .blocks = std::nullopt,
                    .reason = "asked for"};
  };
  study.additions = {more(like("devices=2 batch_global=32"), 88, 3),
                     more(like("devices=1 batch_global=32"), 88, 3),
                     more(like("devices=4 batch_global=32"), 88, 6)};
  const Matrix first = expand(study);
  study.additions.push_back({.cell = cell_of(first, "devices=1 batch_global=88").hash,
                             .axis = "",
                             .value = std::nullopt,
                             .first_block = 6,
                             .blocks = 2,
                             .reason = "again"});
  return study;
}

std::set<std::int64_t> blocks_of(const Study& study, const std::string& label) {
  const Matrix matrix = expand(study);
  std::set<std::int64_t> blocks;
  for (const ScheduledTrial& trial : schedule(study, matrix)) {
    if (matrix.cells[trial.cell].label == label) {
      CHECK(blocks.insert(trial.block).second);
    }
  }
  return blocks;
}

TEST_CASE("an added cell is like its like but for the axis, in blocks of its own", "[study]") {
  const Study study = extended();
  const Matrix before = expand(study_of_three_counts());
  const Matrix matrix = expand(study);

  REQUIRE(matrix.cells.size() == before.cells.size() + 3);
  const Cell& cell = cell_of(matrix, "devices=2 batch_global=88");
  CHECK(cell.role == CellRole::kMeasured);
  CHECK(cell.batch_per_device == 44);
  CHECK(cell.baseline == cell_of(matrix, "devices=1 batch_global=88").hash);
  CHECK(matrix.cells[9].label == cell.label);  // behind the declared ones, before the controls
  CHECK(matrix.scaling == Scaling::kStrong);   // though not every batch has every count
  CHECK(blocks_of(study, cell.label) == std::set<std::int64_t>{3, 4, 5});
  CHECK(blocks_of(study, "devices=1 batch_global=88") == std::set<std::int64_t>{3, 4, 5, 6, 7});
  CHECK(blocks_of(study, "devices=1 batch_global=32") == std::set<std::int64_t>{0, 1, 2});
}

TEST_CASE("the order of what was planned before stays when cells are added", "[study]") {
  for (const char* order : {"order: {design: blocks}\n", "order: {design: batch}\n"}) {
    Study study = study_of_three_counts(order);
    const auto of = [](const Study& some) {
      const Matrix matrix = expand(some);
      std::vector<std::pair<std::string, int>> all;
      for (const ScheduledTrial& trial : schedule(some, matrix)) {
        all.emplace_back(matrix.cells[trial.cell].label, trial.block);
      }
      return all;
    };
    const auto before = of(study);
    study.additions = extended().additions;
    auto after = of(study);

    CHECK(after.size() == before.size() + 3 + 3 + 3 + 2);
    after.resize(before.size());
    CHECK(after == before);
  }
}

TEST_CASE("a cell that was added and is declared later stays in its blocks", "[study]") {
  Study study = study_of_three_counts();
  study.additions = extended().additions;
  for (Axis& axis : study.axes) {
    if (axis.name == "batch_global") {
      axis.values.emplace_back(std::int64_t{88});
    }
  }
  CHECK(blocks_of(study, "devices=2 batch_global=88") == std::set<std::int64_t>{3, 4, 5});
}

TEST_CASE("more trials a cell leave no block twice", "[study]") {
  Study study = extended();
  study.trials.count = 4;

  CHECK(blocks_of(study, "devices=1 batch_global=88") == std::set<std::int64_t>{3, 4, 5, 6, 7});
  CHECK(blocks_of(study, "devices=2 batch_global=88") == std::set<std::int64_t>{3, 4, 5, 6});
}

TEST_CASE("what is like a cell that the study no longer has is left out", "[study]") {
  Study study = study_of_three_counts();
  const std::size_t cells = expand(study).cells.size();
  study.additions = {{.cell = "ffffffff",
                      .axis = "batch_global",
                      .value = 88,
                      .first_block = 3,
                      .blocks = std::nullopt,
                      .reason = ""}};

  CHECK(expand(study).cells.size() == cells);
}

}  // namespace
