// Inserts that several writers share; their transaction is the caller's.
#pragma once

#include <cstdint>

#include "harness/store/rows.h"

namespace SQLite {
class Database;
}

namespace scalestudy {

// What the attempt left, under the id of its trial: series, telemetry, logs.
void insert_left(const SQLite::Database& database, const TrialRecord& record);

// With its figures.
void insert_publication(const SQLite::Database& database, const PublicationRow& publication);

}  // namespace scalestudy
