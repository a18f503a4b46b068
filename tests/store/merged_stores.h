// Stores of a small study that are merged, and all that they hold.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/store/merge/merge.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

// Every row of every table, ids included.
inline std::vector<std::vector<Field>> all_rows(const Store& store) {
  std::vector<std::vector<Field>> rows;
  for (const auto& table :
       store.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").rows) {
    const std::string name = std::get<std::string>(table[0]);
    rows.push_back({name});
    for (auto& row : store.query("SELECT * FROM \"" + name + "\" ORDER BY 1, 2").rows) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Merges the others into `store`, one after the other, as the verb does.
inline void merge_all(Store& store, const std::vector<const Store*>& others) {
  for (const Store* other : others) {
    const Merged merged = merge({.name = "here", .content = store.content()},
                                {.name = "there", .content = other->content()});
    if (merged.has_changed) {
      store.replace_content(merged.content);
    }
  }
}

inline Store merged_store(const std::vector<const Store*>& others) {
  Store store = Store::open_in_memory();
  merge_all(store, others);
  return store;
}

inline Store copy_of(const Store& store) {
  Store copy = Store::open_in_memory();
  copy.replace_content(store.content());
  return copy;
}

// Study "small" planned in a folder of its own: `blocks` of 2 cells.
inline Store planned_store(const std::string& plan, int blocks = 3) {
  Store store = Store::open_in_memory();
  const std::int64_t study_id = store.put_study(make_study());
  store.put_cells(study_id, {make_cell("00000001", 1), make_cell("00000002", 2)}, "");
  auto rows = make_plan(store.cells(study_id), blocks);
  for (TrialRow& row : rows) {
    row.plan = plan;
  }
  store.put_plan(study_id, rows, "");
  return store;
}

// A session of `host` that runs one block; the trial of cell i takes i + 1 + block / 8.
inline void run_block(Store& store,
                      std::int64_t block,
                      const std::string& host,
                      bool is_failing = false) {
  const std::int64_t study_id = store.find_study("small").value().id;
  SessionRow session = make_session(study_id);
  session.started_at = "2026-11-21T1" + std::to_string(block) + ":00:00Z";
  session.host = host;
  const std::int64_t session_id = store.begin_session(session, {{"cpu_model", "CPU"}});
  for (TrialRow trial : store.trials(study_id)) {
    if (trial.state != TrialState::kPlanned || trial.block != block) {
      continue;
    }
    store.mark_running(trial.id, session_id, session.started_at);
    trial.session_id = session_id;
    trial.started_at = session.started_at;
    TrialRecord record =
        make_record(trial, {static_cast<double>(trial.cell_id) + static_cast<double>(block) / 8.0});
    record.logs.push_back({.stream = LogStream::kStdout,
                           .path = "logs/small/" + std::to_string(trial.id) + "/stdout",
                           .text = ""});
    if (is_failing && trial.attempt == 1) {
      record.trial.state = TrialState::kFailed;
      record.trial.reason = "exit code 1";
      record.series.clear();
    }
    store.finish_trial(record, is_failing);
  }
  store.end_session(session_id, "2026-11-21T20:00:00Z", SessionEnding::kDone);
}

inline std::string answer(const Store& store, const std::string& sql) {
  std::string text;
  for (const auto& row : store.query(sql).rows) {
    for (const Field& field : row) {
      const auto* integer = std::get_if<std::int64_t>(&field);
      text += integer != nullptr ? std::to_string(*integer) : std::get<std::string>(field);
      text += ' ';
    }
  }
  return text;
}

inline std::string refusal(const Store& into, const Store& from) {
  try {
    merge({.name = "/mine", .content = into.content()},
          {.name = "/theirs", .content = from.content()});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "merged";
}

}  // namespace scalestudy::test
