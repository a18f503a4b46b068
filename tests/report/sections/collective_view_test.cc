// Tables, findings and figures of a collective.
#include <string>
#include <vector>

#include "harness/report/answer/message_answers.h"
#include "harness/report/figures/alt_text.h"
#include "harness/report/figures/figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/sections.h"
#include "harness/text/number.h"
#include "tests/report/collective_sample.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Contains;
using test::collective_sample;
using test::text_in;

TEST_CASE("rows of a collective say size, time with its unit and bandwidths", "[report]") {
  const View view = build_view(collective_sample(), {});
  const auto& tables = std::get<View::List>(view.values().at("messages"));
  REQUIRE(tables.size() == 1);
  CHECK(text_in(tables[0], "label") == "operation all_reduce");
  CHECK(text_in(tables[0], "heading") == "Operation all_reduce");

  const auto& rows = std::get<View::List>(tables[0].values().at("rows"));

  REQUIRE(rows.size() == 3);
  CHECK(text_in(rows[0], "message") == "8 B");
  CHECK(text_in(rows[0], "time") == "2.00 ± 0.20 µs");
  CHECK(text_in(rows[1], "message") == "64 KiB");
  CHECK(text_in(rows[1], "busbw") == "3.28 [2.95, 3.60]");
  CHECK(text_in(rows[1], "copy_bandwidth") == "5.00 [4.50, 5.50]");
  CHECK(text_in(rows[1], "n") == "3/4");
  CHECK(text_in(rows[1], "configuration") == "–");
  CHECK(text_in(rows[2], "time") == "8.00 ± 0.80 ms");
}

TEST_CASE("sizes that a study writes as 65536.0 are sizes", "[report]") {
  ReportInput input = test::collective_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters[1].kind = ValueKind::kReal;
  }
  CHECK(message_bytes(input.cells[1]) == 65536);
  input.cells[1].parameters[1].value = "0.5";
  CHECK_FALSE(message_bytes(input.cells[1]));
}

TEST_CASE("pairs have the time of the smallest message and the bandwidth of the largest",
          "[report]") {
  const View view = build_view(test::pairs_sample(), {});
  const auto& tables = std::get<View::List>(view.values().at("device_pairs"));
  REQUIRE(tables.size() == 1);
  const auto& rows = std::get<View::List>(tables[0].values().at("rows"));
  REQUIRE(rows.size() == 4);
  CHECK(text_in(rows[0], "pair") == "0-1");
  CHECK(text_in(rows[0], "latency") == "1.00 [0.90, 1.10]");
  CHECK(text_in(rows[2], "latency") == "2.00 [1.80, 2.20]");
  CHECK(text_in(rows[2], "bandwidth") == "4.00 [3.60, 4.40]");
  CHECK(text_in(rows[3], "pair") == "halves");
  CHECK(text_in(rows[3], "bandwidth") == "12.0 [10.8, 13.2]");
  const auto& heads = std::get<View::List>(tables[0].values().at("columns"));
  CHECK(text_in(heads[1], "heading") == "Latency of 8 B (µs)");
  CHECK(text_in(heads[2], "heading") == "Bandwidth of 16 MiB (GB/s)");

  // Rank 1 has one pair above it, 1-3, and 2 has none.
  const auto& matrix = std::get<View::List>(tables[0].values().at("matrix"));
  const auto& ranks = std::get<View::List>(matrix.at(0).values().at("rows"));
  REQUIRE(ranks.size() == 3);
  const auto& of_one = std::get<View::List>(ranks[1].values().at("values"));
  REQUIRE(of_one.size() == 4);  // itself, then 1, 2 and 3
  CHECK(text_in(of_one[2], "value") == "–");
  CHECK(text_in(of_one[3], "value") == "4.00 [3.60, 4.40]");

  const auto& findings = std::get<View::List>(tables[0].values().at("findings"));
  REQUIRE(findings.size() == 2);
  CHECK(text_in(findings[0], "finding") ==
        "Lowest bandwidth of a pair: 1-3, 4.00 [3.60, 4.40] GB/s; highest: 0-1, 10.0 [9.0, 11.0] "
        "GB/s");
  CHECK(text_in(findings[1], "finding") ==
        "Lowest latency of a pair: 0-1, 1.00 [0.90, 1.10] µs; highest: 1-3, 2.00 [1.80, 2.20] µs");
}

TEST_CASE("a pair's link and the share of it stand beside its bandwidth", "[report]") {
  ReportInput input = test::pairs_sample();
  const auto row = [&] {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("device_pairs")).front();
    return std::get<View::List>(table.values().at("rows")).at(0);
  };
  CHECK(text_in(row(), "link") == "not known");
  CHECK(text_in(row(), "link_share") == kAbsent);

  // Of 0-1: cell 1 sent the small message, cell 2 the large one.
  for (const std::int64_t cell : {1, 2}) {
    input.results.volumes.push_back({.cell_id = cell,
                                     .quantity = kLinkRate,
                                     .unit = "bytes/s",
                                     .calculated = 32e9,
                                     .measured = 10e9,
                                     .ratio = cell == 1 ? 0.001 : 0.31238,
                                     .formula = "PCIe 4.0 x16, 32 GB/s by its specification"});
  }
  CHECK(text_in(row(), "link") == "PCIe 4.0 x16, 32 GB/s by its specification");
  CHECK(text_in(row(), "link_share") == "31.2 [28.1, 34.4]");  // 10 [9, 11] over 32
  // Not a second time among volumes.
  const View view = build_view(input, {});
  CHECK(std::get<View::List>(view.values().at("volumes")).empty());
}

TEST_CASE("a heading of pairs has a capital", "[report]") {
  ReportInput input = test::pairs_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"comm", "mpi", ValueKind::kText, true});
  }
  input.make_index();

  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("device_pairs")).front();
  CHECK(text_in(table, "label") == "comm mpi");
  CHECK(text_in(table, "heading") == "Comm mpi");
}

TEST_CASE("a pair that is fixed has the section of pairs", "[report]") {
  ReportInput input = test::pairs_sample();
  std::erase_if(input.cells, [](const CellRow& cell) { return cell.parameters[1].value != "0-1"; });
  for (CellRow& cell : input.cells) {
    cell.parameters[1].varied = false;
    cell.parameters.push_back({"operation", "ping_pong", ValueKind::kText, false});
  }
  input.make_index();
  const auto tables = [&] {
    const View view = build_view(input, {});
    return std::get<View::List>(view.values().at("device_pairs"));
  };
  REQUIRE(tables().size() == 1);
  const auto rows = std::get<View::List>(tables()[0].values().at("rows"));
  REQUIRE(rows.size() == 1);
  CHECK(text_in(rows[0], "pair") == "0-1");
  CHECK(text_in(rows[0], "bandwidth") == "10.0 [9.0, 11.0]");

  for (CellRow& cell : input.cells) {  // pair is a default that no all-reduce uses
    cell.parameters.back().value = "all_reduce";
  }
  CHECK(tables().empty());
}

TEST_CASE("a collective's link and the share of it stand beside its bandwidth", "[report]") {
  ReportInput input = collective_sample();
  const auto row = [&](std::size_t index) {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("messages")).front();
    return std::get<View::List>(table.values().at("rows")).at(index);
  };
  input.results.volumes.push_back({.cell_id = input.cells[1].id,
                                   .quantity = kLinkRate,
                                   .unit = "bytes/s",
                                   .calculated = 6.5536e9,
                                   .measured = 3.2768e9,
                                   .ratio = 0.5,
                                   .formula = "emulated link, 6.55 GB/s by its declared rate"});
  CHECK(text_in(row(1), "link") == "emulated link, 6.55 GB/s by its declared rate");
  CHECK(text_in(row(1), "link_share") == "50.0 [45.0, 55.0]");  // 3.2768 ± 10 % over 6.5536
  CHECK(text_in(row(0), "link_share") == kAbsent);
}

TEST_CASE("a pair without the size of the others has no number below it", "[report]") {
  ReportInput input = test::pairs_sample();
  const auto is_large_of_slowest = [](const CellRow& cell) {
    return cell.parameters[0].value == "16777216" && cell.parameters[1].value == "1-3";
  };
  std::erase_if(input.cells, is_large_of_slowest);
  CellRow other = input.cells.front();  // of 0-1, and smaller
  other.id = 99;
  other.parameters[0].value = "4";
  other.parameters.push_back({"operation", "all_reduce", ValueKind::kText, true});
  input.cells.push_back(other);
  input.results.estimates.push_back(test::collective_estimate(99, "step_time_s", "s", 1e-9));
  input.make_index();

  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("device_pairs")).front();
  const auto& rows = std::get<View::List>(table.values().at("rows"));
  REQUIRE(rows.size() == 4);
  CHECK(text_in(rows[0], "latency") == "1.00 [0.90, 1.10]");
  CHECK(text_in(rows[2], "pair") == "1-3");
  CHECK(text_in(rows[2], "latency") == "2.00 [1.80, 2.20]");
  CHECK(text_in(rows[2], "bandwidth") == "–");
  const auto& findings = std::get<View::List>(table.values().at("findings"));
  REQUIRE(findings.size() == 2);
  CHECK(text_in(findings[0], "finding").find("1-3") == std::string::npos);
}

TEST_CASE("pairs that share cores are shown and have no part in a finding", "[report]") {
  ReportInput input = test::pairs_sample();
  for (CellRow& cell : input.cells) {
    cell.oversubscribed = true;
  }
  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("device_pairs")).front();

  CHECK(text_in(std::get<View::List>(table.values().at("rows")).front(), "pair") == "0-1 †");
  CHECK(std::get<View::List>(table.values().at("findings")).empty());
}

TEST_CASE("a curve's finding names its best bandwidth and its shortest message", "[report]") {
  const auto findings = message_findings(collective_sample());

  REQUIRE(findings.size() == 1);
  CHECK(findings[0] ==
        "operation all_reduce, 2 devices: highest bus bandwidth of 3 sizes 3.28 [2.95, 3.60] GB/s, "
        "at 64 KiB; 8 B take 2.00 ± 0.20 µs");
}

TEST_CASE("sizes with operations of their own are one curve", "[report]") {
  ReportInput input = collective_sample();
  int operations = 100;
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"operations_per_step", std::to_string(operations), ValueKind::kInteger, true});
    operations /= 10;
  }
  std::ranges::reverse(input.cells);  // a study may list the largest first
  input.make_index();

  const auto findings = message_findings(input);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0] ==
        "operation all_reduce, 2 devices: highest bus bandwidth of 3 sizes 3.28 [2.95, 3.60] GB/s, "
        "at 64 KiB; 8 B take 2.00 ± 0.20 µs");
}

TEST_CASE("sizes in modes of their own are no curve", "[report]") {
  ReportInput input = collective_sample();
  std::erase_if(input.cells, [](const CellRow& cell) { return message_bytes(cell) == 16777216; });
  for (CellRow& cell : input.cells) {
    const bool is_small = message_bytes(cell) == 8;
    cell.parameters.push_back(
        {"mode", is_small ? "isolated" : "back_to_back", ValueKind::kText, true});
  }
  input.make_index();

  CHECK(message_findings(input).size() == 2);
}

TEST_CASE("the finding of one size alone names no highest of several", "[report]") {
  ReportInput input = collective_sample();
  std::erase_if(input.cells, [](const CellRow& cell) { return message_bytes(cell) != 65536; });
  input.make_index();

  const auto findings = message_findings(input);

  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0],
             Contains("2 devices: bus bandwidth 3.28 [2.95, 3.60] GB/s, at 64 KiB; 64 KiB take"));
}

namespace {

// A collective over links whose second size was compared with the first; those of one of the two
// were not as asked.
ReportInput unapplied_sample(std::size_t doubted) {
  ReportInput input = collective_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"interconnect.bandwidth", "1000", ValueKind::kReal, false});
  }
  ComparisonRow speedup;
  speedup.cell_id = input.cells[1].id;
  speedup.baseline_cell_id = input.cells[0].id;
  speedup.quantity = "speedup";
  speedup.verdict = Verdict::kNotApplied;
  speedup.finding = "64 KiB against 8 B: setting not applied: links of 1 Gbit/s overridden";
  speedup.doubted_cells = {input.cells[doubted].id};
  input.results.comparisons.push_back(speedup);
  input.make_index();
  return input;
}

std::string first_note(const ReportInput& input) {
  const View view = build_view(input, {});
  const auto& tables = std::get<View::List>(view.values().at("messages"));
  const auto& notes = std::get<View::List>(tables.at(0).values().at("notes"));
  return notes.empty() ? "" : text_in(notes[0], "note");
}

}  // namespace

TEST_CASE("numbers of a setting that was not applied are not called its own", "[report]") {
  const ReportInput input = unapplied_sample(1);

  CHECK(message_findings(input).front().starts_with(
      "operation all_reduce, 2 devices (not shown to have its setting): highest"));
  CHECK(first_note(input) == "Not shown to have the setting that they name: 64 KiB");
}

TEST_CASE("a base's setting that was not applied is not laid upon those compared with it",
          "[report]") {
  CHECK(first_note(unapplied_sample(0)) == "Not shown to have the setting that they name: 8 B");
}

TEST_CASE(
    "rows of an older store, which do not say whose setting was not applied, doubt both sides",
    "[report]") {
  ReportInput input = unapplied_sample(1);
  input.results.comparisons.front().doubted_cells.clear();

  CHECK(first_note(input) == "Not shown to have the setting that they name: 8 B; 64 KiB");
}

TEST_CASE("a figure is described by the curves of its own group, whatever groups are called",
          "[report]") {
  ReportInput input = collective_sample();
  input.cells[0].parameters.back().value = "reduce_scatter";
  input.cells[1].parameters.back().value = "reduce";
  input.cells[2].parameters.back().value = "reduce";
  input.make_index();
  const std::vector<Group> groups = group_cells(input);
  REQUIRE(groups.size() == 2);
  REQUIRE(groups[1].label == "operation reduce");

  CHECK_THAT(message_text(input, groups[0]),
             Contains(" of the message: highest 0.004") && Contains(" GB/s, 8 B"));
  CHECK_THAT(message_text(input, groups[1]),
             Contains(" of the message: highest 3.28 [2.95, 3.60] GB/s, 64 KiB"));
}

TEST_CASE("the names of series are short by their parameters' names alone", "[report]") {
  ReportInput input = collective_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"env.OMPI_MCA_coll", "tuned", ValueKind::kText, true});
    cell.parameters.push_back({"env.RULES", "my.env.rules", ValueKind::kText, true});
  }
  input.make_index();

  CHECK_THAT(plan_figures(input)[0].definitions, Contains("coll=tuned, RULES=my.env.rules"));
}

TEST_CASE("an oversubscribed cell has no part in a finding", "[report]") {
  ReportInput input = collective_sample();
  input.cells[1].oversubscribed = true;

  CHECK(message_findings(input).front().find("of 2 sizes 2.10") != std::string::npos);
}

TEST_CASE("a time whose interval reaches 0 keeps its place in a logarithmic figure", "[report]") {
  ReportInput input = collective_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "step_time_s" && row.statistic == Statistic::kMean && row.cell_id == 1) {
      row.lo = -1e-6;
    }
  }
  const std::vector<FigurePlan> plans = plan_figures(input);

  REQUIRE(plans.size() == 2);
  // 8 B in 2 us: the least of the figure, its bar down to half of it.
  CHECK(plans[1].definitions.find("\n8 2 1 2.2\n") != std::string::npos);
}

TEST_CASE("a collective has one figure of bandwidth and one of time", "[report]") {
  const std::vector<FigurePlan> plans = plan_figures(collective_sample());

  REQUIRE(plans.size() == 2);
  CHECK(plans[0].path == "figures/message-operation-all-reduce.svg");
  CHECK(plans[0].definitions.find("Bus bandwidth (GB/s)") != std::string::npos);
  CHECK(plans[0].definitions.find("'64 KiB' 65536") != std::string::npos);
  CHECK(plans[1].path == "figures/message-operation-all-reduce_2.svg");
  CHECK(plans[1].definitions.find("65536 20 18 22") != std::string::npos);
}

TEST_CASE("what a logarithmic axis cannot show is left out of a figure", "[report]") {
  ReportInput input = collective_sample();
  input.results.estimates[4].value = 0.0;  // the time of 64 KiB

  const std::vector<FigurePlan> plans = plan_figures(input);

  CHECK(plans[0].definitions.find("\n65536 ") != std::string::npos);
  CHECK(plans[1].definitions.find("\n65536 ") == std::string::npos);
}

TEST_CASE("a fitted line is drawn apart from what was measured, and said", "[report]") {
  ReportInput input = collective_sample();
  CHECK(plan_figures(input)[0].definitions.find("has_line = 0") != std::string::npos);
  const auto add = [&](const char* parameter, std::optional<double> value) {
    LawRow row;
    row.law = Law::kAlphaBeta;
    row.parameter = parameter;
    row.cells = {input.cells[0].id, input.cells[1].id, input.cells[2].id};
    row.value = value;
    row.lo = value ? std::optional(0.9 * *value) : std::nullopt;
    row.hi = value ? std::optional(1.1 * *value) : std::nullopt;
    input.results.laws.push_back(row);
  };
  add("alpha_s", 2e-6);
  add("bandwidth_bytes_per_s", 2.5e9);

  const std::vector<FigurePlan> plans = plan_figures(input);
  CHECK(plans[0].definitions.find("line_alpha_s[1] = [2e-06]") != std::string::npos);
  CHECK(plans[0].definitions.find("has_line = 1\nis_time = 0") != std::string::npos);
  CHECK(plans[1].definitions.find("has_line = 1\nis_time = 1") != std::string::npos);
  const View view = build_view(input, {});
  CHECK(text_in(std::get<View::List>(view.values().at("messages")).at(0), "fitted") ==
        "2 devices: latency 2.00 [1.80, 2.20] µs, bandwidth 2.50 [2.25, 2.75] GB/s");

  input.results.laws.clear();
  add("alpha_s", std::nullopt);  // the line was rejected
  add("bandwidth_bytes_per_s", std::nullopt);
  CHECK(plan_figures(input)[0].definitions.find("has_line = 0") != std::string::npos);
}

TEST_CASE("each size is beside its base", "[report]") {
  ReportInput input = collective_sample();
  for (const CellRow& cell : input.cells) {
    ComparisonRow row;
    row.cell_id = cell.id;
    row.baseline_cell_id = input.cells.front().id;
    row.quantity = "speedup";
    row.value = 1.5;
    row.verdict = Verdict::kFaster;
    input.results.comparisons.push_back(row);
  }
  input.make_index();

  const View view = build_view(input, {});

  const View& table = std::get<View::List>(view.values().at("pairs")).at(0);
  CHECK(std::get<View::List>(table.values().at("rows")).size() == 3);
}

}  // namespace
