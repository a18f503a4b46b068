// Techniques beside their base, and what cells are called there.
#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"
#include "harness/report/figures/figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::sample_of_techniques;
using test::text_in;

namespace {

// The same with three settings that differ from one base's.
ReportInput sample_of_settings() {
  ReportInput input = sample_of_techniques();
  const CellRow base = input.cells.front();
  for (CellRow& cell : input.cells) {
    cell.baseline = base.hash;
    const bool is_base = cell.id == base.id;
    cell.parameters = {{"clip_norm", is_base ? "0" : "1", ValueKind::kReal, true},
                       {"overlap", is_base ? "none" : "poll", ValueKind::kText, true},
                       {"topk", cell.id == 2 ? "1" : "0", ValueKind::kInteger, true}};
  }
  input.make_index();
  return input;
}

TEST_CASE("a number of devices that all cells have is in no name", "[report]") {
  const ReportInput input = sample_of_techniques();
  CHECK(short_name(input, input.cells.front()) == "overlap=poll");
}

// The sample as if it were a search, of which the race goes on.
TEST_CASE("a technique has speed, memory and traffic with a verdict of each", "[report]") {
  const View view = build_view(sample_of_techniques(), {});

  const auto tables = std::get<View::List>(view.values().at("techniques"));
  REQUIRE(tables.size() == 1);
  std::vector<std::string> headings;
  for (const View& column : std::get<View::List>(tables[0].values().at("columns"))) {
    headings.push_back(std::get<std::string>(column.values().at("heading")));
  }
  const auto rows = std::get<View::List>(tables[0].values().at("rows"));
  std::vector<std::string> values;
  for (const View& value : std::get<View::List>(rows.at(0).values().at("values"))) {
    values.push_back(std::get<std::string>(value.values().at("value")));
  }
  REQUIRE(headings.size() >= 6);
  REQUIRE(values.size() == headings.size());
  CHECK(std::vector(headings.end() - 6, headings.end()) ==
        std::vector<std::string>{"Speedup (ratio)",
                                 "Speedup: verdict",
                                 "Memory (ratio)",
                                 "Memory: verdict",
                                 "Traffic (ratio)",
                                 "Traffic: verdict"});
  CHECK(std::vector(values.end() - 5, values.end()) ==
        std::vector<std::string>{"faster", "0.75", "better", "1", "equivalent"});
}

TEST_CASE("cells of one number of devices scale nothing, and those beside the axes are told",
          "[report]") {
  ReportInput input = sample_of_techniques();
  input.declared.include = {{{"strategy", Value(std::string("powersgd"))}}};
  const View view = build_view(input, {});

  CHECK(text_in(view, "scaling_sentence") == "no scaling: all cells have 1 device");
  const View added = std::get<View::List>(view.values().at("axes")).back();
  CHECK(text_in(added, "name") == "one more cell");
  CHECK(text_in(added, "value") == "strategy=powersgd");
  Store store = Store::open_in_memory();
  CHECK_THAT(
      text_in(build_view(read_input(store, test::fill_sample(store)), {}), "scaling_sentence"),
      Contains("strong scaling"));
}

TEST_CASE("cells of many settings with one base are called by what they have otherwise",
          "[report]") {
  const ReportInput input = sample_of_settings();
  const auto name = [&](std::int64_t id) { return configuration(input, input.cell(id)); };
  const std::int64_t base = input.cells.front().id;

  CHECK(name(base) == "base");
  CHECK(name(2) == "clip_norm=1, overlap=poll, topk=1");
  CHECK(name(3) == "clip_norm=1, overlap=poll");
  CHECK(cell_name(input, input.cell(3)) == "clip_norm=1, overlap=poll");
  for (const Pair& pair : pairs_of(input)) {
    CHECK(pair.where.empty());
  }
  // Not so of two settings: each cell names both.
  ReportInput fewer = input;
  for (CellRow& cell : fewer.cells) {
    cell.parameters.pop_back();
  }
  fewer.make_index();
  CHECK(fewer.common_base() == nullptr);
  CHECK(configuration(fewer, fewer.cell(base)) == "clip_norm=0, overlap=none");
  // Nor where another model is behind the settings, which no name would say.
  fewer = input;
  CellRow& other = *std::ranges::find(fewer.cells, 3, &CellRow::id);
  other.parameters.push_back({"model", "mlp-4096", ValueKind::kText, true});
  fewer.make_index();
  CHECK(fewer.common_base() == nullptr);
  other.parameters.back() = {"message_bytes", "8", ValueKind::kInteger, true};
  fewer.make_index();
  CHECK(fewer.common_base() == nullptr);
  // Nor where devices differ as well.
  fewer = input;
  std::ranges::find(fewer.cells, 3, &CellRow::id)->devices = 2;
  fewer.make_index();
  CHECK(fewer.common_base() == nullptr);
}

}  // namespace
