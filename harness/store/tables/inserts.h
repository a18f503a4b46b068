// Inserts and checks that several writers share. The caller has the transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace SQLite {
class Database;
}

namespace scalestudy {

// - throws: std::logic_error for a series with more warm-up values than values.
void insert_series(const SQLite::Database& database,
                   std::int64_t trial_id,
                   const std::vector<SeriesRow>& rows);
void insert_logs(const SQLite::Database& database,
                 std::int64_t trial_id,
                 const std::vector<LogRow>& rows);

// Inserts what the attempt left (series, telemetry, logs) under the id of its trial.
void insert_left(const SQLite::Database& database, const TrialRecord& record);

// Throws Error{kStore} unless exactly one row changed: then another program has changed the trial's
// state.
// - what: what the trial was to become: "finished".
void require_one(const SQLite::Database& database,
                 int changed,
                 std::int64_t trial_id,
                 const char* what);

// SQL that inserts the attempt after each trial that a WHERE appended to it selects, planned as
// that trial was.
std::string further_attempt_text();

// SQL that inserts another reading of what such a trial left, as the attempt after it. Its
// parameters are the columns that are read, in their order.
std::string further_reading_text();

// Whether two series are equal but for their ids.
bool same_series(const SeriesRow& a, const SeriesRow& b);

// Inserts a publication with its figures.
void insert_publication(const SQLite::Database& database, const PublicationRow& publication);

}  // namespace scalestudy
