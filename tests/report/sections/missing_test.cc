// What a report names as missing, and what would give it.
#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/sections/view_texts.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"
#include "workloads/names/names.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Contains;
using test::nothing_measured;
using test::pairs_in;
using test::text_in;

namespace {

std::string missing(const ReportInput& input) {
  return pairs_in(build_view(input, {}), "missing", "what", "how");
}

}  // namespace

TEST_CASE("a command of several devices is asked what communication takes", "[report]") {
  ReportInput input = nothing_measured();
  input.declared.workload = Workload::kCommand;
  CHECK_THAT(missing(input),
             Contains("communication's share of a step: extract exposed_communication_time_s"));
  for (CellRow& cell : input.cells) {
    cell.devices = 1;
  }
  CHECK_THAT(missing(input), !Contains("what communication takes"));
}

TEST_CASE("what rules read and no table has is named", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.workload = Workload::kCommand;
  EstimateRow row = *input.estimate(input.cells.front().id, names::kStepTime);
  input.declared.extract.emplace_back().metric = names::kStepTime;
  for (const char* metric : {names::kBusBandwidth, "gradients", "tokens_in_all"}) {
    input.declared.extract.emplace_back().metric = metric;
    row.metric = metric;
    input.results.estimates.push_back(row);
  }
  input.make_index();
  const std::string tail = ": add to analysis.metrics; until then only results.csv has the values";
  CHECK_THAT(missing(input),
             Contains("tables of busbw_bytes_per_s, gradients, tokens_in_all" + tail));

  input.declared.analysis.metrics = {{.metric = "gradients"}, {.metric = names::kBusBandwidth}};
  CHECK_THAT(missing(input), Contains("tables of tokens_in_all" + tail));
  input.results.estimates.back().recomputed_verdict = RateVerdict::kFollows;
  CHECK_THAT(missing(input), !Contains("tables of"));
}

TEST_CASE("a study of one cell is not told of verdicts, of their order or of curves", "[report]") {
  ReportInput input = nothing_measured();
  input.declared.analysis.thresholds.clear();
  input.declared.analysis.laws.clear();
  CHECK_THAT(missing(input), Contains("a break-even: ") && Contains("a scaling law: "));
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains(" Order: ") && Contains("\n- **Order:** "));

  input.cells.erase(input.cells.begin() + 1, input.cells.end());
  std::erase_if(input.trials,
                [&](const TrialRow& trial) { return trial.cell_id != input.cells.front().id; });
  input.make_index();
  CHECK_THAT(missing(input), !Contains("a break-even") && !Contains("a scaling law"));
  const std::string page = test::render_kind(input, "scaling");
  CHECK_THAT(page, !Contains(" Order: ") && !Contains("**Order:**"));
  CHECK_THAT(page, !Contains("A verdict allows for") && !Contains("- **Verdicts:** "));
  CHECK_THAT(page, !Contains("do not matter to this study"));
}

TEST_CASE("bullets and rows that are not shown leave no empty line in their list", "[report]") {
  ReportInput input = nothing_measured();
  input.cells.erase(input.cells.begin() + 1, input.cells.end());
  std::erase_if(input.trials,
                [&](const TrialRow& trial) { return trial.cell_id != input.cells.front().id; });
  input.declared.controls = {CellRole::kNoop};
  input.declared.parameters.clear();
  input.make_index();
  View view = build_view(input, {});
  REQUIRE_FALSE(std::get<bool>(view.values().at("has_order")));
  REQUIRE_FALSE(std::get<bool>(view.values().at("has_comparisons")));
  REQUIRE_FALSE(text_in(view, "defaults").empty());

  const std::string page = test::render_kind(input, "scaling");
  const std::string method = page.substr(page.find("## How it was measured\n\n") + 24);
  const std::string list = method.substr(0, method.find("\n\n"));
  CHECK_THAT(list,
             Contains("- **Unit:** ") && Contains("\n- **Outliers:** ") &&
                 Contains("\n- **Units:** ") && Contains("\n- **Control noop:** "));
  CHECK_THAT(page, Contains("\n| workload | train |\n| by default | "));
}

TEST_CASE("cells that a study excludes take no turns", "[report]") {
  ReportInput input = test::read_sample();
  const auto has_order = [&] {
    return std::get<bool>(build_view(input, {}).values().at("has_order"));
  };
  for (std::size_t i = 2; i < input.cells.size(); ++i) {
    input.cells[i].excluded_reason = "by the study";
  }
  CHECK(has_order());
  input.cells[1].excluded_reason = "by the study";
  CHECK_FALSE(has_order());

  const auto control = std::ranges::find(input.cells, CellRole::kNoop, &CellRow::role);
  REQUIRE(control != input.cells.end());
  control->excluded_reason.reset();  // takes turns with the cell
  CHECK(has_order());
}

TEST_CASE("what is declared already is not asked for", "[report]") {
  ReportInput input = nothing_measured();
  CHECK_THAT(missing(input), Contains("analysis.laws, with trials at 3 device counts or more"));
  input.declared.parameters["device_peak_flops"] = 1e12;
  input.declared.analysis.laws = {Law::kAmdahl};
  const std::string text = missing(input);
  CHECK_THAT(text,
             !Contains("controls: [noop]") &&
                 !Contains("declare the parameter device_peak_flops") &&
                 !Contains("analysis.thresholds along") && !Contains("analysis.laws, with"));
  CHECK_THAT(text,
             Contains("communication's share of a step: declared, but none of the trials that "
                      "ended ok gives it"));
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("lacks_flop_utilization")));

  for (CellRow& cell : input.cells) {
    if (cell.role == CellRole::kNoop) {
      cell.excluded_reason = "taken out";
    }
  }
  CHECK_THAT(missing(input), Contains("controls: [noop], with several devices"));
}

TEST_CASE("a declared training without a size of a step or of a sample is told", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.cost = Cost{.price = {.per_device_hour = 3.0}};
  input.declared.cost->train = Training{.tokens = 1e12};
  const std::string gap = "time and cost of the declared training: ";
  const auto keep = [&](const std::string& metric, bool is_kept) {
    std::erase_if(input.results.estimates,
                  [&](const EstimateRow& row) { return row.metric == metric; });
    if (is_kept) {
      EstimateRow row;
      row.cell_id = input.cells.front().id;
      row.metric = metric;
      row.value = 1.0;
      input.results.estimates.push_back(row);
    }
    input.make_index();
  };
  input.declared.cost->train->text = "1 trillion tokens";
  keep("training_hours", true);
  CHECK_THAT(missing(input), !Contains(gap));
  CHECK(text_in(build_view(input, {}), "training") == "1 trillion tokens");
  keep("training_hours", false);
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("training")));
  keep("tokens_per_second", true);  // as a command may print it
  keep("throughput", true);
  CHECK_THAT(
      missing(input),
      Contains(
          gap +
          "the number of tokens per sample is unknown; declare the parameter sequence_length"));
  keep("throughput", false);
  CHECK_THAT(
      missing(input),
      Contains(gap +
               "no cell has a throughput; declare the parameter batch_global or batch_per_device"));
}

TEST_CASE("parts of the step that a command does not give are named", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("unread_parts")));  // no text
  input.declared.workload = Workload::kCommand;
  std::erase_if(input.results.estimates, [](const EstimateRow& row) {
    return row.metric == "exposed_communication_share" || row.metric == "data_share";
  });
  input.make_index();
  CHECK(text_in(build_view(input, {}), "unread_parts") ==
        "waiting for communication (exposed_communication_time_s) and data (data_time_s)");
}
