// Techniques beside their base, and what cells are called there.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"
#include "harness/report/figures/figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/view.h"
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
  CHECK(short_name(input, input.cells.front()) == "overlap poll");
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

TEST_CASE("each table with a verdict says where adjustment opened it", "[report]") {
  ReportInput input = sample_of_techniques();
  ComparisonRow& row = input.results.comparisons.front();
  row.verdict = Verdict::kNoDetectableDifference;
  row.value = 1.03;
  row.lo = 1.01;
  row.hi = 1.05;
  input.declared.search.emplace();
  SearchSettingRow& setting = input.results.search_settings.emplace_back();
  setting.cell_id = row.cell_id;
  for (const auto& [quantity, list] : {std::pair("speedup", "techniques"),
                                       {"aa", "aa_controls"},
                                       {"overlap_gain", "overlap_gains"},
                                       {"latency", "search"}}) {
    row.quantity = quantity;
    setting.quantity = quantity;
    input.make_index();
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at(list)).front();
    bool is_said = false;
    for (const View& each : std::get<View::List>(table.values().at("rows"))) {
      is_said =
          is_said || text_in(each, "verdict") == "no significant difference (not after adjustment)";
    }
    INFO(list);
    CHECK(is_said);
  }
}

TEST_CASE("cells of one number of devices scale nothing, and those beside the axes are told",
          "[report]") {
  ReportInput input = sample_of_techniques();
  input.declared.include = {{{"strategy", Value(std::string("powersgd"))}}};
  const View view = build_view(input, {});

  CHECK(text_in(view, "scaling_sentence") == "no scaling: all cells have 1 device");
  const View added = std::get<View::List>(view.values().at("axes")).back();
  CHECK(text_in(added, "name") == "one more cell");
  CHECK(text_in(added, "value") == "strategy powersgd");
  Store store = Store::open_in_memory();
  CHECK_THAT(
      text_in(build_view(read_input(store, test::fill_sample(store)), {}), "scaling_sentence"),
      Contains("strong scaling"));
}

TEST_CASE("speedups over a base of another batch are no scaling of devices alone", "[report]") {
  ReportInput input = test::read_sample();
  const auto base = std::ranges::find_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.devices == 1 && cell.batch_global == 64;
  });
  CHECK(text_in(build_view(input, {}), "scaling_sentence") ==
        "strong scaling: the global batch stays the same and is divided among the devices");
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "speedup" && input.cell(row.cell_id).batch_global == 256) {
      row.baseline_cell_id = base->id;
    }
  }
  input.make_index();

  CHECK(text_in(build_view(input, {}), "scaling_sentence") ==
        "strong scaling, but some cells have another global batch than their base, so their "
        "speedup is not due to the number of devices alone");
}

TEST_CASE("cells of many settings with one base are called by what they have otherwise",
          "[report]") {
  const ReportInput input = sample_of_settings();
  const auto name = [&](std::int64_t id) { return configuration(input, input.cell(id)); };
  const std::int64_t base = input.cells.front().id;

  CHECK(name(base) == "base");
  CHECK(name(2) == "clip_norm=1, overlap poll, topk 1");
  CHECK(name(3) == "clip_norm=1, overlap poll");
  CHECK(cell_name(input, input.cell(3)) == "clip_norm=1, overlap poll");
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
  CHECK(configuration(fewer, fewer.cell(base)) == "clip_norm=0, overlap none");
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

TEST_CASE("a base that all cells share has one name in a table of speedups", "[report]") {
  ReportInput input = sample_of_settings();
  for (ComparisonRow& row : input.results.comparisons) {
    row.baseline_cell_id = input.cells.front().id;
  }
  std::set<std::string> names;
  for (const View& table : list_of(build_view(input, {}), "speedups")) {
    for (const View& row : list_of(table, "rows")) {
      names.insert(text_in(row, "base_name"));
    }
  }
  CHECK(names == std::set<std::string>{"clip_norm=0, overlap none, topk 0"});
}

// Headings and values of the first row of a list's only table.
std::map<std::string, std::string> first_row(const View& view, const char* list) {
  const auto tables = std::get<View::List>(view.values().at(list));
  REQUIRE(tables.size() == 1);
  const auto columns = std::get<View::List>(tables[0].values().at("columns"));
  const auto rows = std::get<View::List>(tables[0].values().at("rows"));
  const auto values = std::get<View::List>(rows.at(0).values().at("values"));
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    texts.emplace(text_in(columns[i], "heading"), text_in(values.at(i), "value"));
  }
  return texts;
}

ComparisonRow& speedup_of(ReportInput& input, std::int64_t cell_id) {
  return *std::ranges::find_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == "speedup" && row.cell_id == cell_id;
  });
}

// The sample of techniques with one pair, and what its sentence is.
std::string sentence_with(double speedup, double half_width, Verdict verdict, double memory) {
  ReportInput input = sample_of_techniques();
  const std::int64_t cell = techniques_of(input).front().cell->id;
  std::erase_if(input.results.comparisons,
                [&](const ComparisonRow& row) { return row.cell_id != cell; });
  ComparisonRow& row = speedup_of(input, cell);
  row.value = speedup;
  row.lo = speedup - half_width;
  row.hi = speedup + half_width;
  row.verdict = verdict;
  row.margin = 0.02;
  for (ComparisonRow& other : input.results.comparisons) {
    if (other.quantity == "peak_bytes") {
      other.value = memory;
      other.verdict = memory < 1.0 ? Verdict::kBetter : Verdict::kWorse;
    }
  }
  input.make_index();
  const auto sentences =
      std::get<View::List>(build_view(input, {}).values().at("technique_sentences"));
  REQUIRE(sentences.size() == 1);
  return text_in(sentences[0], "sentence");
}

TEST_CASE("a sentence says what a technique costs in speed and saves of memory", "[report]") {
  CHECK_THAT(sentence_with(0.63, 0.17, Verdict::kSlower, 0.88),
             Contains(" costs 37 % [20, 54] of speed, saves 12.0 % of memory and leaves traffic as "
                      "it is"));
  CHECK_THAT(sentence_with(1.25, 0.05, Verdict::kFaster, 1.5),
             Contains(" gains 25.0 % [20.0, 30.0] of speed, takes 50.0 % more memory and "));
  CHECK_THAT(sentence_with(3.0, 0.2, Verdict::kFaster, 2.5),
             Contains(" is 3.00x [2.80, 3.20] as fast, takes 2.5x the memory and "));
}

TEST_CASE("a sentence names what a technique leaves unchanged once", "[report]") {
  ReportInput input = sample_of_techniques();
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "peak_bytes") {
      row.value = 1.0;
      row.verdict = Verdict::kEquivalent;
    }
  }
  const auto sentences =
      std::get<View::List>(build_view(input, {}).values().at("technique_sentences"));
  CHECK_THAT(text_in(sentences.front(), "sentence"),
             Contains(" and leaves memory and traffic as they are"));
}

TEST_CASE("a sentence says so where a technique's effect is open, small or makes no claim",
          "[report]") {
  CHECK_THAT(sentence_with(1.01, 0.03, Verdict::kNoDetectableDifference, 0.88),
             Contains(" has no significant effect on speed (from -2.0 % to +4.0 %), saves "));
  CHECK_THAT(sentence_with(1.1, 0.05, Verdict::kNoDetectableDifference, 0.88),
             Contains(" has no significant effect on speed after adjustment (from "));
  CHECK_THAT(sentence_with(1.001, 0.003, Verdict::kEquivalent, 0.88),
             Contains(" changes speed by less than 2 %, saves "));
  CHECK_THAT(sentence_with(1.2, 0.03, Verdict::kSoftwareType, 0.88),
             Contains(" allows no performance claim (16 bits in software), saves "));
}

TEST_CASE("a technique has the share of exposed communication that it removes", "[report]") {
  ReportInput input = sample_of_techniques();
  CHECK(std::holds_alternative<bool>(build_view(input, {}).values().at("overhead_reduction")));
  for (CellRow& cell : input.cells) {
    cell.devices = 2;
  }
  input.make_index();
  CHECK_THAT(text_in(build_view(input, {}), "overhead_reduction"), Contains("is unknown"));

  ReportInput asking = input;
  asking.declared.analysis.metrics.push_back({.metric = "exposed_communication_time_s"});
  CHECK(std::holds_alternative<bool>(build_view(asking, {}).values().at("overhead_reduction")));

  const Pair pair = techniques_of(input).front();
  EstimateRow row;
  row.cell_id = pair.cell->id;
  row.metric = "overhead_reduction";
  row.status = RowStatus::kOk;
  row.value = 0.48;
  row.lo = 0.4;
  row.hi = 0.55;
  input.results.estimates.push_back(row);
  input.make_index();
  View view = build_view(input, {});
  CHECK(first_row(view, "techniques").at("Overhead reduction (%)") == "48.0 [40.0, 55.0]");
  CHECK_THAT(text_in(view, "overhead_reduction"), Contains("by the program's clock"));
  const auto sentences = std::get<View::List>(view.values().at("technique_sentences"));
  CHECK_THAT(text_in(sentences.front(), "sentence"),
             Contains(" removes 48.0 % [40.0, 55.0] of exposed communication"));

  row.value = -2.3;
  row.lo = -5.1;
  row.hi = -1.3;
  input.results.estimates.back() = row;
  view = build_view(input, {});
  CHECK(first_row(view, "techniques").at("Overhead reduction (%)") == "-230 [-510, -130]");
  CHECK_THAT(
      text_in(std::get<View::List>(view.values().at("technique_sentences")).front(), "sentence"),
      Contains(" adds 230 % [130, 510] to exposed communication"));

  row.value = 0.564;
  row.lo = -29.16;
  row.hi = 1.0;
  input.results.estimates.back() = row;
  CHECK(first_row(build_view(input, {}), "techniques").at("Overhead reduction (%)") ==
        "56 [-2916, 100]");

  row.status = RowStatus::kUnresolved;
  row.value.reset();
  row.lo.reset();
  row.hi.reset();
  input.results.estimates.back() = row;
  view = build_view(input, {});
  CHECK(first_row(view, "techniques").at("Overhead reduction (%)") == "base may have none");
  CHECK_THAT(text_in(view, "overhead_reduction"), Contains("there may be nothing to remove"));
  CHECK_THAT(
      text_in(std::get<View::List>(view.values().at("technique_sentences")).front(), "sentence"),
      !Contains("exposed"));
}

TEST_CASE("settings under other conditions are no techniques", "[report]") {
  ReportInput input = sample_of_techniques();
  const std::size_t all = techniques_of(input).size();
  input.declared.analysis.decide = {"strategy"};  // so that overlap is a condition
  const std::vector<Pair> left = techniques_of(input);

  CHECK(left.size() < all);
  CHECK(std::ranges::all_of(left, &Pair::is_choice));
}

TEST_CASE("main effects stand beside the speedup over one base", "[report]") {
  ReportInput input = sample_of_techniques();
  CHECK(std::get<View::List>(build_view(input, {}).values().at("main_effects")).empty());

  const Pair pair = techniques_of(input).front();
  ComparisonRow effect = *pair.speedup;
  effect.quantity = "main_effect";
  effect.value = 1.5;
  effect.lo = 1.4;
  effect.hi = 1.6;
  effect.remark = "4 combinations of clip_norm and topk";
  ComparisonRow interaction = effect;
  interaction.quantity = "interaction";
  interaction.remark = "not detected (1.4x to 1.6x)";
  const double alone = *pair.speedup->value;
  input.results.comparisons.push_back(effect);
  input.results.comparisons.push_back(interaction);
  input.make_index();
  const auto row = first_row(build_view(input, {}), "main_effects");

  CHECK(row.at("Speedup on average (ratio)") == "1.50 [1.40, 1.60]");
  CHECK(row.at("Over") == "4 combinations of clip_norm and topk");
  CHECK_THAT(row.at("Alone (ratio)"), Contains(std::to_string(alone).substr(0, 3)));
  CHECK(row.at("Depends on the others") == "not detected (1.4x to 1.6x)");

  // The same setting at another batch as well.
  std::vector<CellRow> others = {*pair.base, *pair.cell};
  ComparisonRow second = *pair.speedup;
  for (std::int64_t* id :
       {&others[0].id, &others[1].id, &second.cell_id, &second.baseline_cell_id}) {
    *id += 1000;
  }
  for (CellRow& other : others) {
    other.batch_global = 2 * other.batch_global.value();
    input.cells.push_back(other);
  }
  input.results.comparisons.push_back(second);
  input.make_index();
  CHECK_THAT(first_row(build_view(input, {}), "main_effects").at("Alone (ratio)"),
             Contains("] at ") && Contains("batch 64"));
}

}  // namespace
