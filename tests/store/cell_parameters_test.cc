// What the trials of a stored cell saw.
#include "harness/store/cell_parameters.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

std::string text(const CellRow& cell, const std::string& name, const Study& study = {}) {
  Study trained = study;
  trained.workload = Workload::kTrain;
  return format_value(effective_value(effective_parameters(cell, trained), name).value());
}

CellRow trained_cell(const std::string& hash) {
  CellRow cell;
  cell.hash = hash;
  cell.parameters = {{"batch_global", "8", ValueKind::kInteger, false},
                     {"devices", "2", ValueKind::kInteger, false},
                     {"model", "mlp-6.9m", ValueKind::kText, false}};
  return cell;
}

}  // namespace

// Hashes as in tests/study/cell_hash_test.cc: "1809a569" was computed by the version whose default
// learning rate was 0.01 for every model.
TEST_CASE("a default of a stored cell is that of the time when it was made", "[store]") {
  CHECK(text(trained_cell("1809a569"), "learning_rate") == "0.01");
  CHECK(text(trained_cell("some other"), "learning_rate") == "0.001");  // of today
  CHECK(text(trained_cell("1809a569"), "precision") == "fp32");
}

TEST_CASE("what a cell or its study gives comes before any default", "[store]") {
  CellRow cell = trained_cell("1809a569");
  Study study;
  study.parameters["seed"] = std::int64_t{7};
  study.parameters["model"] = std::string("mlp-258k");
  CHECK(text(cell, "seed", study) == "7");
  CHECK(text(cell, "model", study) == "mlp-6.9m");
  cell.parameters.push_back({"learning_rate", "0.5", ValueKind::kReal, false});
  CHECK(text(cell, "learning_rate", study) == "0.5");
}
