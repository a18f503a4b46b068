// `show`: all that the store knows of one cell or one trial.
#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/stored_secrets.h"
#include "harness/cli/trial_hints.h"
#include "harness/cli/verb.h"
#include "harness/cli/verb_call.h"
#include "harness/store/store.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

struct ShowOptions {
  std::string what;  // hash of a cell, or number of a trial
  Format format = Format::kTable;
};

// Rows of a name and a value.
class Facts {
 public:
  // Each column of the answer's rows, those without a value left out.
  void add(const QueryResult& answer) {
    for (const std::vector<Field>& row : answer.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        add(answer.columns.at(i), row.at(i));
      }
    }
  }

  // The first column names a row, the second is its value.
  void add_named(const QueryResult& answer) {
    for (const std::vector<Field>& row : answer.rows) {
      add(std::get<std::string>(row.at(0)), row.at(1));
    }
  }

  void add(const std::string& name, const Field& value) {
    if (value != Field() && value != Field(std::string())) {
      table_.rows.push_back({name, value});
    }
  }

  const QueryResult& table() const { return table_; }

 private:
  QueryResult table_{.columns = {"name", "value"}, .rows = {}};
};

void add_trial(const Store& store, std::int64_t trial, Facts& facts) {
  QueryResult row = store.query("SELECT * FROM trials WHERE trial = ?1", {trial});
  const auto block = std::ranges::find(row.columns, "block") - row.columns.begin();
  for (std::vector<Field>& fields : row.rows) {
    if (auto* number = std::get_if<std::int64_t>(&fields.at(static_cast<std::size_t>(block)))) {
      ++*number;  // from 1 for people, as everywhere but in SQL
    }
  }
  facts.add(row);
  facts.add_named(store.query(
      "SELECT 'parameter ' || name, value FROM cell_parameter JOIN trial USING (cell_id) "
      "WHERE trial.id = ?1 ORDER BY name",
      {trial}));
  facts.add_named(
      store.query("SELECT metric.name || ', mean' || iif(metric.unit = '', '', ' in ' || unit), "
                  "mean FROM series JOIN metric ON metric.id = metric_id "
                  "WHERE trial_id = ?1 AND rank IS NULL ORDER BY 1",
                  {trial}));
  facts.add_named(store.query(
      "SELECT 'telemetry ' || name || iif(unit = '', '', ' in ' || unit), value FROM telemetry "
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
      store.query("SELECT metric || ', ' || statistic || iif(unit = '', '', ' in ' || unit), value "
                  "FROM estimate WHERE cell_id = ?1 AND variant = 'all' ORDER BY estimate.id",
                  {id}));
  facts.add_named(store.query(
      "SELECT quantity, finding FROM comparison WHERE cell_id = ?1 ORDER BY comparison.id", {id}));
  facts.add_named(store.query(
      "SELECT 'trial ' || trial, state || ', block ' || (block + 1) || "
      "iif(attempt > 1, ', attempt ' || attempt, '') || "
      "ifnull(', ' || printf('%.4g s', step_time_s_mean) || ' a step', '') || "
      "iif(reason = '', '', ': ' || reason) FROM trials "
      "WHERE trial IN (SELECT id FROM trial WHERE cell_id = ?1) ORDER BY block, attempt",
      {id}));
}

ExitCode show(const ShowOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  Facts facts;
  for (const std::vector<Field>& row :
       store.query("SELECT id FROM cell WHERE hash = ?1 ORDER BY id", {options.what}).rows) {
    add_cell(store, row.at(0), facts);  // one hash in several studies: the same cell
  }
  if (const auto trial = parse_integer(options.what); facts.table().rows.empty() && trial) {
    add_trial(store, *trial, facts);
  }
  if (facts.table().rows.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("neither a cell nor a trial is {}; `{}` lists both",
                            options.what,
                            call_of(results, "query", "trials")));
  }
  terminal.out(format_table(facts.table(), options.format));
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
          "Examples:\n  scalestudy show 17\n  scalestudy show 1c51609b --format json",
          with_options(options, show)};
}

}  // namespace scalestudy
