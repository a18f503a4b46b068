// `show`: all that the store knows of one cell or one trial.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "harness/base/clock.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/study_state.h"
#include "harness/cli/trial_hints.h"
#include "harness/cli/verb.h"
#include "harness/store/results_json.h"
#include "harness/store/store.h"
#include "harness/submit/jobs.h"
#include "harness/text/json.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct ShowOptions {
  std::string what;  // hash of a cell, or number of a trial
  Format format = Format::kTable;
};

// The unit that the name of a column says: "s" of wall_s and step_time_s_p50.
std::string unit_in(const std::string& column) {
  for (const auto& [name, unit] :
       {std::pair("_bytes_per_s", "bytes/s"), {"_bytes", "bytes"}, {"_hz", "hz"}, {"_s", "s"}}) {
    const std::string suffix = name;
    if (column.ends_with(suffix) || column.find(suffix + "_") != std::string::npos) {
      return unit;
    }
  }
  return "";
}

// A number as people read it: "32.1 ms", "4.25 MiB", "19,610 samples/s".
std::string readable(double value, const std::string& unit) {
  if (unit == "bytes/s" && std::abs(value) < 1e8) {  // as GB/s it would be zeros
    const bool is_small = std::abs(value) < 1e6;
    return format_number(value * (is_small ? 1e-3 : 1e-6)) + (is_small ? " kB/s" : " MB/s");
  }
  return unit == "s" && value >= 0.0 ? format_duration(value)
                                     : format_amount({.value = value, .lo = {}, .hi = {}}, unit);
}

// For people: rows of a name and a value.
class Facts {
 public:
  // Each column of the answer's rows, those without a value left out.
  void add(const QueryResult& answer) {
    for (const std::vector<Field>& row : answer.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        add(answer.columns.at(i), row.at(i), unit_in(answer.columns.at(i)));
      }
    }
  }

  // The first column names a row, the second is its value, the third, if there is one, its unit.
  void add_named(const QueryResult& answer) {
    for (const std::vector<Field>& row : answer.rows) {
      add(std::get<std::string>(row.at(0)),
          row.at(1),
          row.size() > 2 ? std::get<std::string>(row.at(2)) : "");
    }
  }

  void add(const std::string& name, const Field& value, const std::string& unit = "") {
    if (value == Field() || value == Field(std::string())) {
      return;
    }
    const auto* number = std::get_if<double>(&value);
    table_.rows.push_back({name, number != nullptr ? Field(readable(*number, unit)) : value});
  }

  const QueryResult& table() const { return table_; }

 private:
  QueryResult table_{.columns = {"name", "value"}, .rows = {}};
};

// The state of a stored trial: one that its run left running when it was killed is interrupted.
std::string state_word(const Store& store, std::int64_t trial, const std::string& stored) {
  if (stored != to_word(TrialState::kRunning)) {
    return stored;
  }
  const QueryResult study = store.query(
      "SELECT name FROM study WHERE id = (SELECT study_id FROM trial WHERE id = ?1)", {trial});
  if (study.rows.empty()) {
    return stored;
  }
  const StudyRow row = store.find_study(std::get<std::string>(study.rows.front().at(0))).value();
  const bool goes_on =
      std::filesystem::exists(jobs_folder(store.results_folder(), row.name)) ||
      study_state(store, row, lock_holder(store.results_folder()), SystemClock().utc_now()).state ==
          RunState::kRunning;
  return goes_on ? stored : to_word(RunState::kInterrupted);
}

// The index of the column of that name, which must be there.
std::size_t column_of(const QueryResult& rows, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(rows.columns, name) - rows.columns.begin());
}

// Rows of the view `trials` with state_word().
QueryResult with_state_words(const Store& store, QueryResult rows) {
  const std::size_t trial = column_of(rows, "trial");
  const std::size_t state = column_of(rows, "state");
  for (std::vector<Field>& row : rows.rows) {
    if (auto* word = std::get_if<std::string>(&row.at(state))) {
      *word = state_word(store, std::get<std::int64_t>(row.at(trial)), *word);
    }
  }
  return rows;
}

// The trials of a cell, a line each: "ok, block 1, 50.8 ms a step".
void add_trials(const Store& store, const Field& cell, Facts& facts) {
  const QueryResult trials = store.query(
      "SELECT trial, state, coalesce(source, 'block ' || (block + 1)), attempt, step_time_s_mean, "
      "reason FROM trials WHERE trial IN (SELECT id FROM trial WHERE cell_id = ?1) "
      "ORDER BY block, attempt",
      {cell});
  for (const std::vector<Field>& row : trials.rows) {
    const auto* attempt = std::get_if<std::int64_t>(&row.at(3));
    const auto* step_s = std::get_if<double>(&row.at(4));
    const auto* reason = std::get_if<std::string>(&row.at(5));
    facts.add(
        fmt::format("trial {}", std::get<std::int64_t>(row.at(0))),
        fmt::format(
            "{}, {}{}{}{}",
            state_word(store, std::get<std::int64_t>(row.at(0)), std::get<std::string>(row.at(1))),
            std::get<std::string>(row.at(2)),
            attempt != nullptr && *attempt > 1 ? fmt::format(", attempt {}", *attempt) : "",
            step_s != nullptr ? ", " + format_duration(*step_s) + " a step" : "",
            reason != nullptr && !reason->empty() ? ": " + *reason : ""));
  }
}

void add_trial(const Store& store, std::int64_t trial, Facts& facts) {
  QueryResult row =
      with_state_words(store, store.query("SELECT * FROM trials WHERE trial = ?1", {trial}));
  const std::size_t block = column_of(row, "block");
  const std::size_t source = column_of(row, "source");
  for (std::vector<Field>& fields : row.rows) {
    const bool is_declared = fields.at(source) != Field();
    if (auto* number = std::get_if<std::int64_t>(&fields.at(block));
        number != nullptr && !is_declared) {
      ++*number;
    }
  }
  facts.add(row);
  facts.add_named(store.query(
      "SELECT 'parameter ' || name, value FROM cell_parameter JOIN trial USING (cell_id) "
      "WHERE trial.id = ?1 ORDER BY name",
      {trial}));
  facts.add_named(store.query(
      "SELECT metric.name || ', mean', mean, unit FROM series JOIN metric ON metric.id = metric_id "
      "WHERE trial_id = ?1 AND rank IS NULL ORDER BY 1",
      {trial}));
  facts.add_named(
      store.query("SELECT 'telemetry ' || name, value, unit FROM telemetry "
                  "WHERE trial_id = ?1 ORDER BY 1",
                  {trial}));
  facts.add_named(store.query(
      "SELECT 'event', text FROM log WHERE trial_id = ?1 AND stream = 'event' ORDER BY id",
      {trial}));
  facts.add_named(store.query(
      "SELECT kind || ' ' || at, text FROM annotation WHERE trial_id = ?1 ORDER BY id", {trial}));
  for (const std::string& hint : trial_hints(store, trial)) {
    const std::size_t colon = hint.find(": ");
    facts.add(hint.substr(0, colon), hint.substr(colon + 2));
  }
}

void add_cell(const Store& store, const Field& id, Facts& facts) {
  facts.add(store.query(
      "SELECT study.name AS study, cell.hash AS cell, label, role, devices, nodes, batch_global, "
      "batch_per_device, control_of, baseline, baseline_problem, excluded_reason, oversubscribed "
      "FROM cell JOIN study ON study.id = study_id WHERE cell.id = ?1",
      {id}));
  facts.add_named(store.query(
      "SELECT 'parameter ' || name, value FROM cell_parameter WHERE cell_id = ?1 ORDER BY name",
      {id}));
  facts.add_named(
      store.query("SELECT metric || ', ' || statistic, value, unit "
                  "FROM estimate WHERE cell_id = ?1 AND variant = 'all' ORDER BY estimate.id",
                  {id}));
  facts.add_named(store.query(
      "SELECT quantity, finding FROM comparison WHERE cell_id = ?1 ORDER BY comparison.id", {id}));
  add_trials(store, id, facts);
}

// For programs: rows of a view.
struct ViewRows {
  std::string view;
  QueryResult rows;
};

// `cells` is no view: what only the table has of a cell.
std::vector<ViewRows> rows_of_cell(const Store& store, const std::string& hash) {
  std::vector<ViewRows> all{
      {"cells",
       store.query("SELECT study.name AS study, cell.hash AS cell, label, role, devices, nodes, "
                   "batch_global, batch_per_device, control_of, baseline AS baseline_cell, "
                   "baseline_problem, excluded_reason, oversubscribed "
                   "FROM cell JOIN study ON study.id = study_id WHERE cell.hash = ?1 "
                   "ORDER BY cell.id",
                   {hash})}};
  for (const auto& [view, order] : {std::pair("parameters", "study, name"),
                                    {"metrics", "result"},
                                    {"comparisons", "result"},
                                    {"trials", "trial"}}) {
    all.push_back(
        {view,
         store.query(fmt::format("SELECT * FROM {} WHERE cell = ?1 ORDER BY {}", view, order),
                     {hash})});
  }
  all.back().rows = with_state_words(store, std::move(all.back().rows));
  return all;
}

std::vector<ViewRows> rows_of_trial(const Store& store, std::int64_t trial) {
  std::vector<ViewRows> all{
      {"trials",
       with_state_words(store, store.query("SELECT * FROM trials WHERE trial = ?1", {trial}))},
      {"parameters",
       store.query("SELECT * FROM parameters WHERE (study, cell) = "
                   "(SELECT study, cell FROM trials WHERE trial = ?1) ORDER BY name",
                   {trial})}};
  for (const auto& [view, order] : {std::pair("trial_metrics", "metric, rank"),
                                    {"readings", "name"},
                                    {"logs", "stream"},
                                    {"annotations", "at"}}) {
    all.push_back(
        {view,
         store.query(fmt::format("SELECT * FROM {} WHERE trial = ?1 ORDER BY {}", view, order),
                     {trial})});
  }
  return all;
}

// - format: kJson, or kCsv with a line for each value.
std::string exact_text(const std::vector<ViewRows>& views, Format format) {
  JsonText json;
  QueryResult values{.columns = {"view", "row", "name", "value"}, .rows = {}};
  for (const ViewRows& each : views) {
    JsonText& objects = json[each.view] = JsonText::list();
    std::int64_t number = 0;
    for (const std::vector<Field>& row : each.rows.rows) {
      ++number;
      JsonText object;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string& name = each.rows.columns[i];
        object[name] = field_json(row[i], name);
        values.rows.push_back({each.view, number, name, row[i]});
      }
      objects.push_back(std::move(object));
    }
  }
  return format == Format::kJson ? json.dump(2) + "\n" : format_table(values, format);
}

ExitCode show(const ShowOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  const QueryResult cells =
      store.query("SELECT id FROM cell WHERE hash = ?1 ORDER BY id", {options.what});
  const std::int64_t trial = parse_integer(options.what).value_or(0);
  const bool is_cell = !cells.rows.empty();
  if (!is_cell && store.query("SELECT id FROM trial WHERE id = ?1", {trial}).rows.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("neither a cell nor a trial is {}; `{}` lists both",
                            options.what,
                            call_of(results, "query", "trials")));
  }
  if (options.format == Format::kJson || options.format == Format::kCsv) {
    terminal.out(exact_text(
        is_cell ? rows_of_cell(store, options.what) : rows_of_trial(store, trial), options.format));
    return ExitCode::kDone;
  }
  Facts facts;
  for (const std::vector<Field>& row : cells.rows) {
    add_cell(store, row.at(0), facts);  // one hash in several studies: the same cell
  }
  if (!is_cell) {
    add_trial(store, trial, facts);
  }
  terminal.out(format_table(facts.table(), options.format, Terminal::columns()));
  return ExitCode::kDone;
}

}  // namespace

Verb show_verb() {
  const auto options = std::make_shared<ShowOptions>();
  return {"show",
          VerbGroup::kLook,
          "Show everything stored about one cell or one trial",
          {{"what",
            &options->what,
            "Hash of a cell or number of a trial, as in `query trials`",
            "",
            "CELL|TRIAL"},
           format_option(options->format)},
          "json has the rows of the views that `query` lists, and of the cell itself; csv has a "
          "line for\neach value of these. Blocks count from 1; in json and csv, as in the views, "
          "from 0.\n"
          "Examples:\n  scalestudy show 17\n  scalestudy show 1c51609b --format json",
          with_options(options, show)};
}

}  // namespace scalestudy
