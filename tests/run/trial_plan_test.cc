// What of the matrix goes into the store.
#include "harness/run/trial_plan.h"

#include <algorithm>
#include <string>

#include "harness/study/parse.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("a varied parameter is stored at its default too", "[run]") {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: s\ntitle: S\nworkload: train\nparameters: {seed: 1}\n"
      "axes: {model: [mlp-258k, mlp-6.9m], batch_global: [8]}\n",
      "s.yaml",
      {});
  REQUIRE(parsed.problems.empty());

  const std::vector<CellRow> rows = cell_rows(expand(parsed.study), {});

  REQUIRE(rows.size() == 2);
  for (const CellRow& row : rows) {  // mlp-258k is train's default, and so is seed 1
    const auto of = [&row](const std::string& name) {
      return std::find_if(row.parameters.begin(),
                          row.parameters.end(),
                          [&name](const CellRow::Parameter& entry) { return entry.name == name; });
    };
    REQUIRE(of("model") != row.parameters.end());
    CHECK(of("model")->varied);
    CHECK(of("seed") == row.parameters.end());
  }
}
