// Inserts and checks that several writers share. The caller has the transaction.
#pragma once

#include <cstdint>

#include "harness/store/rows/rows.h"

namespace SQLite {
class Database;
}

namespace scalestudy {

// Inserts what the attempt left (series, telemetry, logs) under the id of its trial.
void insert_left(const SQLite::Database& database, const TrialRecord& record);

// Throws Error{kStore} unless exactly one row changed: then another program has changed the trial's
// state.
// - what: what the trial was to become: "finished".
void require_one(const SQLite::Database& database,
                 int changed,
                 std::int64_t trial_id,
                 const char* what);

// Whether two series are equal but for their ids.
bool same_series(const SeriesRow& a, const SeriesRow& b);

// Inserts a publication with its figures.
void insert_publication(const SQLite::Database& database, const PublicationRow& publication);

}  // namespace scalestudy
