// What a report calls the fastest, the cheapest or the largest by itself: no cell whose times make
// no claim, as its ranks converted types of 16 bits in software or shared cores.
#include <functional>

#include "harness/report/answer/cost_answers.h"
#include "harness/report/figures/alt_text.h"
#include "harness/report/figures/cost_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/phases.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Contains;

namespace {

// Which cells' trials told that they converted types in software.
void convert(ReportInput& input, const std::function<bool(const CellRow&)>& is_converting) {
  for (const CellRow& cell : input.cells) {
    if (is_converting(cell)) {
      const std::vector<std::int64_t> ids = input.used_trials(cell.id);
      input.software_trials.insert(ids.begin(), ids.end());
    }
  }
}

const View& first_of(const View& view, const std::string& list) {
  return std::get<View::List>(view.values().at(list)).front();
}

}  // namespace

TEST_CASE("a cell makes a claim unless a trial that counts converted types, or shared cores",
          "[report]") {
  ReportInput input = test::read_sample();
  CHECK(input.has_claim(input.cells[0]));

  input.software_trials = {input.used_trials(input.cells[0].id).back()};
  CHECK_FALSE(input.has_claim(input.cells[0]));
  CHECK(input.has_claim(input.cells[1]));
  input.cells[1].oversubscribed = true;
  CHECK_FALSE(input.has_claim(input.cells[1]));
}

// By the estimates 4 devices are soonest, at batch 1024; 1 device is cheapest.
TEST_CASE("no cell without a claim is soonest, cheapest or highest", "[report]") {
  ReportInput input = test::read_sample();
  const Group group = group_cells(input).front();
  CHECK_THAT(cost_answers(input).front().sentence, Contains("soonest with 4 devices"));
  CHECK_THAT(cost_answers(input).front().sentence, Contains("cheapest with 1 device"));
  CHECK_THAT(rate_text(input, group, *find_metric("throughput")), Contains("samples/s, 4 devices"));
  const auto front = [&] {
    return short_name(input, *cost_front(cost_points(input, group)).front().cell);
  };
  CHECK(front() == "4 devices, batch 1024");
  const auto parts_of = [&] {
    return std::get<std::string>(first_of(build_view(input, {}), "cost_parts").values().at("of"));
  };
  CHECK_THAT(parts_of(), Contains("1 device"));

  convert(input, [](const CellRow& cell) { return cell.devices != 2; });

  CHECK_THAT(cost_answers(input).front().sentence, Contains("soonest and cheapest with 2 devices"));
  CHECK_THAT(rate_text(input, group, *find_metric("throughput")), Contains("samples/s, 2 devices"));
  CHECK(front() == "2 devices, batch 1024");
  CHECK_THAT(parts_of(), Contains("2 devices"));
}

TEST_CASE("a figure of some cells does not call its highest the highest of all", "[report]") {
  const ReportInput input = test::read_sample();
  Group group = group_cells(input).front();
  CHECK_THAT(rate_text(input, group, *find_metric("throughput")),
             Contains("ideal scaling: highest ") && !Contains("in this figure"));

  std::erase_if(group.cells, [](const CellRow* cell) { return cell->batch_global == 1024; });
  CHECK_THAT(rate_text(input, group, *find_metric("throughput")),
             Contains("ideal scaling: highest in this figure "));
}

TEST_CASE("a cell with a failure is not the cheapest way to train", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"failure", cell.devices == 4 ? "kill_rank" : "none", ValueKind::kText, true});
  }
  REQUIRE(group_cells(input).size() == 1);
  CHECK_THAT(cost_answers(input).front().sentence, !Contains("4 devices"));
}

TEST_CASE("no cell without a claim is the one that waits most for samples", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "data_time_s") {
      row.lo = input.cell(row.cell_id).devices == 4 ? 1e-6 : 2.5e-3;
      row.value = *row.lo + 0.5e-3;
      row.hi = *row.value + 0.5e-3;
    }
  }
  input.make_index();
  CHECK_THAT(input_wait(input), Contains("With 2 devices"));

  convert(input, [](const CellRow& cell) { return cell.devices == 2; });

  CHECK_THAT(input_wait(input), Contains("With 1 device"));
}

TEST_CASE("techniques without a claim stand behind those with one, however fast", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.devices = 1;
    cell.batch_global = 64;
  }
  const auto verdicts = [&] {
    std::vector<std::string> all;
    const View view = build_view(input, {});
    for (const View& row : std::get<View::List>(first_of(view, "techniques").values().at("rows"))) {
      all.push_back(std::get<std::string>(row.values().at("verdict")));
    }
    return all;
  };
  CHECK(verdicts().front() == "faster");
  for (ComparisonRow& row : input.results.comparisons) {
    const bool is_fast = row.quantity == "speedup" && row.verdict == Verdict::kFaster;
    row.verdict = is_fast ? Verdict::kSoftwareType : row.verdict;
  }

  const std::vector<std::string> all = verdicts();
  CHECK(all.front() != "no performance claim (16 bits in software)");
  CHECK(all.back() == "no performance claim (16 bits in software)");
}
