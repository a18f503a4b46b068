// What several writers share; their transaction is the caller's.
#pragma once

#include <cstdint>

#include "harness/store/rows/rows.h"

namespace SQLite {
class Database;
}

namespace scalestudy {

// What the attempt left, under the id of its trial: series, telemetry, logs.
void insert_left(const SQLite::Database& database, const TrialRecord& record);

// Throws Error{kStore} unless one row changed: a trial's own, from a state that this program gave
// it.
//   what  was to become of the trial: "finished".
void require_one(const SQLite::Database& database,
                 int changed,
                 std::int64_t trial_id,
                 const char* what);

// But for their ids.
bool same_series(const SeriesRow& a, const SeriesRow& b);

// With its figures.
void insert_publication(const SQLite::Database& database, const PublicationRow& publication);

}  // namespace scalestudy
