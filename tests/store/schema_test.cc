// SCHEMA.md is true: it names every table, view and column, and its queries answer what it says.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/store/database/migrations.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/store/sample_results.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

std::string read_page() {
  std::ifstream file(SCALESTUDY_SOURCE_DIR "/harness/store/SCHEMA.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> example_queries() {
  const std::string page = read_page();
  const std::string fence = "```sql\n";
  std::vector<std::string> queries;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    queries.push_back(page.substr(at, page.find("```", at) - at));
  }
  return queries;
}

std::string format_field(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return std::to_string(*integer);
  }
  if (const auto* real = std::get_if<double>(&field)) {
    std::ostringstream text;
    text << *real;
    return text.str();
  }
  const auto* text = std::get_if<std::string>(&field);
  return text == nullptr ? "NULL" : *text;
}

// "label|n\ndevices=1|2\n", like the sqlite3 shell with headers.
std::string format_result(const QueryResult& result) {
  std::string text;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    text += (i == 0 ? "" : "|") + result.columns[i];
  }
  for (const auto& row : result.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (i == 0 ? "\n" : "|") + format_field(row[i]);
    }
  }
  return text;
}

Store store_of_all_tables() {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord failed;
  failed.trial = planned.trials[3];
  failed.trial.state = TrialState::kFailed;
  failed.trial.reason = "exit code 1";
  store.finish_trial(failed, true);
  finish_all(store, planned);
  store.replace_results(planned.study_id, sample_results(planned));
  SessionRow elsewhere = make_session(planned.study_id);
  elsewhere.host = "elsewhere";
  store.begin_session(elsewhere,
                      {{.name = "cpu_model", .value = "CPU"}, {.name = "cores", .value = "4"}});
  store.put_publications({make_publication("paper", {"1.9x", "3.4x"})});
  return store;
}

// The row of the page's tables that describes `name`.
std::string page_row(const std::string& page, const std::string& name) {
  const std::size_t begin = page.find("\n| `" + name + "` |");
  return begin == std::string::npos ? "" : page.substr(begin, page.find('\n', begin + 1) - begin);
}

}  // namespace

TEST_CASE("the schema page names every table, view and column", "[store]") {
  const Store store = Store::open_in_memory();
  const std::string page = read_page();
  const std::set<std::string> shared{
      "id", "study_id", "provenance"};  // said once for all result tables
  const auto names = store.query(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') "
      "AND name NOT LIKE 'sqlite_%'");
  CHECK(names.rows.size() == 28 + 28);

  for (const auto& row : names.rows) {
    const auto& name = std::get<std::string>(row[0]);
    const std::string described = page_row(page, name);
    for (const auto& column : store.query("SELECT name FROM pragma_table_info(?)", {name}).rows) {
      const auto& column_name = std::get<std::string>(column[0]);
      CAPTURE(name, column_name);
      CHECK((shared.contains(column_name) ||
             std::regex_search(described, std::regex("\\b" + column_name + "\\b"))));
    }
  }
}

TEST_CASE("the example queries of the schema page answer their questions", "[store]") {
  const Store store = store_of_all_tables();
  // From filled_store.h and sample_results.h by hand.
  const std::vector<std::string> answers{
      "label|n|step_time_s|step_time_s_lo|step_time_s_hi|throughput\n"
      "devices=1|2|1.5|1.25|1.75|42.6667\n"
      "devices=2|2|2.5|2.25|2.75|25.6",

      "state|reason|trials\n"
      "ok||4",

      "label|baseline|speedup|speedup_lo|speedup_hi|efficiency|verdict\n"
      "devices=2|devices=1|1.7|1.575|1.825|0.85|faster",

      "side|label|trial|block|state\n"
      "cell|devices=2|2|0|ok\n"
      "baseline|devices=1|1|0|ok",

      "label|block|step|step_time_s\n"
      "devices=1|0|2|1.5\n"
      "devices=1|1|2|1.625\n"
      "devices=2|0|2|2.5\n"
      "devices=2|1|2|2.625",

      "source|quantity|printed|value|unit|model\n"
      "paper|speedup|1.9x|1.9|1|mlp-258k\n"
      "paper|speedup|3.4x|3.4|1|mlp-258k",

      "name|variants|seen\n"
      "cores|2|2,4\n"
      "cpu_model|1|CPU\n"
      "host|2|host,elsewhere",
  };

  const std::vector<std::string> queries = example_queries();

  REQUIRE(queries.size() == answers.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    CHECK(format_result(store.query(queries[i])) == answers[i]);
  }
}

TEST_CASE("the page links to no other, because it is installed without them", "[store]") {
  CHECK(read_page().find("](") == std::string::npos);
}

TEST_CASE("the views of results show value, interval and verdict", "[store]") {
  const Store store = store_of_all_tables();

  CHECK(format_result(
            store.query("SELECT label, control, overhead, overhead_lo, n FROM overheads")) ==
        "label|control|overhead|overhead_lo|n\n"
        "devices=2|devices=1|0.25|0.125|2");
  CHECK(format_result(
            store.query("SELECT target, label, bound, level, value, verdict FROM targets")) ==
        "target|label|bound|level|value|verdict\n"
        "second device pays|devices=2|at_least|1.6|1.7|undecided\n"
        "second device pays|NULL|at_least|1.6|NULL|undecided");
  CHECK(format_result(store.query("SELECT label, step_time_s_p50, step_time_s_p95, throughput_lo, "
                                  "throughput_unit FROM results")) ==
        "label|step_time_s_p50|step_time_s_p95|throughput_lo|throughput_unit\n"
        "devices=1|1.5|2|42.4167|samples/s\n"
        "devices=2|2.5|3|NULL|samples/s");
  CHECK(format_result(store.query("SELECT label, block, attempt, state, superseded, steps, "
                                  "step_time_s_mean FROM trials WHERE block = 1 ORDER BY trial")) ==
        "label|block|attempt|state|superseded|steps|step_time_s_mean\n"
        "devices=1|1|1|ok|0|2|1.375\n"
        "devices=2|1|1|failed|1|NULL|NULL\n"
        "devices=2|1|2|ok|0|2|2.375");
}

TEST_CASE("custom axes are columns or rows, without inner tables", "[store]") {
  const Store store = store_of_all_tables();

  CHECK(format_result(store.query("SELECT axes ->> 'devices' + 1 AS more, step_time_s FROM results "
                                  "ORDER BY more")) == "more|step_time_s\n2|1.5\n3|2.5");
  CHECK(format_result(store.query("SELECT name, value, typeof(value) AS type, varied FROM "
                                  "parameters WHERE cell = '00000002' ORDER BY name")) ==
        "name|value|type|varied\n"
        "devices|2|integer|1\n"
        "model|mlp-258k|text|0");
  CHECK(format_result(store.query("SELECT DISTINCT axes FROM trials ORDER BY axes")) ==
        "axes\n{\"devices\":1}\n{\"devices\":2}");
}

TEST_CASE("a parameter says whether it is a default, where that is known", "[store]") {
  Store store = Store::open_in_memory();
  CellRow cell = make_cell("00000001", 1);
  cell.parameters = {{.name = "a", .value = "x", .is_default = true},
                     {.name = "b", .value = "x", .is_default = false},
                     {.name = "c", .value = "x"}};  // of an older version
  const std::int64_t study_id = store.put_study(make_study());
  store.put_cells(study_id, {cell}, "");
  CHECK(format_result(store.query("SELECT name, is_default FROM parameters ORDER BY name")) ==
        "name|is_default\na|1\nb|0\nc|NULL");
  CHECK(store.cells(study_id).front().parameters[0].is_default == std::optional(true));
}

TEST_CASE("an axis of any text is JSON that reads back", "[store]") {
  Store store = Store::open_in_memory();
  const std::string text = "say \"a\\b\"\n\tthen";
  CellRow cell = make_cell("00000001", 1);
  cell.parameters.push_back(
      {.name = "env.A\"B", .value = text, .kind = ValueKind::kText, .varied = true});
  cell.parameters.push_back(
      {.name = "rate", .value = "0.1", .kind = ValueKind::kReal, .varied = true});
  const std::int64_t study_id = store.put_study(make_study());
  store.put_cells(study_id, {cell}, "");
  store.put_plan(study_id, make_plan(store.cells(study_id), 1), "");

  const auto rows = store.query("SELECT key, value FROM trials, json_each(axes)").rows;

  CHECK(rows == std::vector<std::vector<Field>>{{std::string("devices"), std::int64_t{1}},
                                                {std::string("env.A\"B"), text},
                                                {std::string("rate"), 0.1}});
}

TEST_CASE("thresholds, laws, threats, metrics and sessions need no inner table", "[store]") {
  const Store store = store_of_all_tables();

  CHECK(format_result(store.query("SELECT metric, along, group_label, status, bracket_lo, "
                                  "bracket_hi, estimate, lo, hi, tested_values FROM thresholds")) ==
        "metric|along|group_label|status|bracket_lo|bracket_hi|estimate|lo|hi|tested_values\n"
        "speedup|batch_global|devices=2|crossed|64|128|100|90|NULL|4");
  CHECK(format_result(store.query("SELECT law, parameter, value FROM laws")) ==
        "law|parameter|value\namdahl|serial_fraction|0.1");
  CHECK(format_result(store.query("SELECT chosen, held_out_error FROM law_choices")) ==
        "chosen|held_out_error\nNULL|NULL\nusl|0.02");
  CHECK(format_result(store.query("SELECT label, quantity, ratio FROM volumes")) ==
        "label|quantity|ratio\ndevices=2|traffic_bytes|1.01");
  CHECK(format_result(store.query("SELECT devices, step_time_s, status, measured_s, provenance "
                                  "FROM projections")) ==
        "devices|step_time_s|status|measured_s|provenance\n"
        "4|0.5|ok|0.48|projected\n8|NULL|refused|NULL|projected");
  CHECK(format_result(store.query("SELECT severity, finding FROM threats ORDER BY severity")) ==
        "severity|finding\nnote|none seen\nwarning|2 trials");
  CHECK(format_result(store.query("SELECT label, metric, unit, value FROM metrics "
                                  "WHERE statistic = 'p95' ORDER BY devices")) ==
        "label|metric|unit|value\ndevices=1|step_time_s|s|2\ndevices=2|step_time_s|s|3");
  CHECK(format_result(store.query("SELECT quantity, label, baseline, value FROM comparisons "
                                  "ORDER BY value")) ==
        "quantity|label|baseline|value\n"
        "communication_overhead|devices=2|devices=1|0.25\n"
        "efficiency|devices=2|devices=1|0.85\n"
        "speedup|devices=2|devices=1|1.7");
  // One attempt failed and has no wall time; four of 1.5 s ended ok, two of them on two devices.
  CHECK(format_result(store.query("SELECT trials, ok_trials, trial_s, device_s FROM sessions "
                                  "ORDER BY session")) ==
        "trials|ok_trials|trial_s|device_s\n4|4|6|9\n0|0|NULL|NULL");
  CHECK(format_result(store.query("SELECT trial, metric, n, mean, max FROM trial_metrics "
                                  "WHERE cell = '00000001' ORDER BY trial")) ==
        "trial|metric|n|mean|max\n1|step_time_s|2|1.25|1.5\n3|step_time_s|2|1.375|1.625");
  CHECK(format_result(store.query("SELECT count(*) AS n FROM costs")) == "n\n0");
}

TEST_CASE("costs have a row a cell and price, with all that is declared", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  finish_all(store, planned);
  Results results = sample_results(planned);
  const EstimateRow time = results.estimates.front();
  for (const auto& [metric, value] : {std::pair("cost_per_million_samples", 2.0),
                                      std::pair("cost_per_million_samples:spot", 0.8),
                                      std::pair("training_cost", 120.0),
                                      std::pair("training_cost:spot", 50.0),
                                      std::pair("training_hours", 3.0)}) {
    EstimateRow row = time;
    row.metric = metric;
    row.statistic = Statistic::kMean;
    row.variant = Variant::kAll;
    row.value = value;
    row.lo = 0.5 * value;
    row.hi = 2.0 * value;
    row.unit = "USD";
    results.estimates.push_back(row);
  }
  store.replace_results(planned.study_id, results);

  CHECK(format_result(store.query(
            "SELECT price, currency, cost_per_million_samples AS cost, training_cost_lo AS lo, "
            "training_hours AS hours, training_kwh AS kwh FROM costs ORDER BY price")) ==
        "price|currency|cost|lo|hours|kwh\n"
        "NULL|USD|2|60|3|NULL\n"
        "spot|USD|0.8|25|3|NULL");
}

TEST_CASE("every trial behind a result is a row to join", "[store]") {
  const Store store = store_of_all_tables();

  CHECK(format_result(store.query("SELECT kind, side, count(*) AS n, count(DISTINCT trial) AS ids, "
                                  "count(DISTINCT cell) AS cells FROM evidence JOIN trials "
                                  "USING (study, trial) GROUP BY kind, side")) ==
        "kind|side|n|ids|cells\n"
        "comparison|baseline|3|1|1\n"
        "comparison|cell|3|1|1\n"
        "estimate|NULL|8|2|2\n"
        "projection|NULL|1|1|1\n"
        "threshold|NULL|3|3|2");
}

TEST_CASE("the schema page names the version and application id of the program", "[store]") {
  const Store store = Store::open_in_memory();

  CHECK_THAT(read_page(),
             Catch::Contains("schema version, now " + std::to_string(newest_schema_version())));
  CHECK(std::get<std::int64_t>(store.query("PRAGMA application_id").rows.at(0).at(0)) ==
        0x53534459);
}
