// The schema's SQL. What each table and column means: SCHEMA.md.
#pragma once

#include <array>
#include <string_view>

namespace scalestudy {

// Tables and indexes of version 1, and what each version until 9 adds. Never edited once released:
// a change is a new migration, in schema_later.cc.
extern const std::string_view kTablesVersion1;
extern const std::string_view kTablesVersion2;  // published figures
extern const std::string_view kTablesVersion3;  // each session's study text
extern const std::string_view kTablesVersion4;  // which definitions a study's results follow
extern const std::string_view kTablesVersion5;  // at which trials results were looked at
extern const std::string_view kTablesVersion6;  // roles of the controls barrier and start_wait
extern const std::string_view kTablesVersion7;  // which trials comparisons and curves rest on
extern const std::string_view kTablesVersion8;  // in which trials the harness died
extern const std::string_view kTablesVersion9;  // flagged steps of cells, counterparts of figures

// SQL: whether a later attempt of a `trial` row's (cell, plan, block) exists. Only last attempts
// count.
inline constexpr std::string_view kSuperseded =
    "EXISTS (SELECT 1 FROM trial AS later WHERE later.cell_id = trial.cell_id "
    "AND later.plan = trial.plan AND later.block = trial.block AND later.attempt > trial.attempt)";

// The views for people (a contract), for the newest version of the tables, as parts of one text.
// Every migration drops and recreates them, so that they never lag behind the tables or name a
// column that changes.
extern const std::string_view kDropViews;
extern const std::array<std::string_view, 23> kViews;
extern const std::string_view kProjectionViews;  // the last of kViews

}  // namespace scalestudy
