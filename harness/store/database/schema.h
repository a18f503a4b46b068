// The schema's SQL. What each table and column means: SCHEMA.md.
#pragma once

#include <array>
#include <string_view>

namespace scalestudy {

// Tables and indexes of version 1, and what each later version adds. Never edited once released: a
// change is a new migration.
extern const std::string_view kTablesVersion1;
extern const std::string_view kTablesVersion2;   // published figures
extern const std::string_view kTablesVersion3;   // each session's study text
extern const std::string_view kTablesVersion4;   // which definitions a study's results follow
extern const std::string_view kTablesVersion5;   // at which trials results were looked at
extern const std::string_view kTablesVersion6;   // roles of the controls barrier and start_wait
extern const std::string_view kTablesVersion7;   // which trials comparisons and curves rest on
extern const std::string_view kTablesVersion8;   // in which trials the harness died
extern const std::string_view kTablesVersion9;   // flagged steps of cells, counterparts of figures
extern const std::string_view kTablesVersion10;  // names: tested_values, unflagged
extern const std::string_view kTablesVersion11;  // remarks on comparisons
extern const std::string_view kTablesVersion12;  // annotations of trials
extern const std::string_view kTablesVersion13;  // sessions and trials under names for every store
extern const std::string_view kTablesVersion14;  // views only
extern const std::string_view kTablesVersion15;  // what disturbed trials
extern const std::string_view kTablesVersion16;  // which nodes a trial had
extern const std::string_view kTablesVersion17;  // the view usage
extern const std::string_view kTablesVersion18;  // additions of runs to plans
extern const std::string_view kTablesVersion19;  // measured over published, the view costs
extern const std::string_view kTablesVersion20;  // chosen laws, volumes, projections
extern const std::string_view kTablesVersion21;  // searches
extern const std::string_view kTablesVersion22;  // published figures by the watt
extern const std::string_view kTablesVersion23;  // counts held out of projections
extern const std::string_view kTablesVersion24;  // the provenance of emulated trials
extern const std::string_view kTablesVersion25;  // the role of the control device_match
extern const std::string_view kTablesVersion26;  // which trials estimates rest on
extern const std::string_view kTablesVersion27;  // which cells results are about, skipped trials

// SQL: whether a later attempt of a `trial` row's (cell, plan, block) exists. Only last attempts
// count.
inline constexpr std::string_view kSuperseded =
    "EXISTS (SELECT 1 FROM trial AS later WHERE later.cell_id = trial.cell_id "
    "AND later.plan = trial.plan AND later.block = trial.block AND later.attempt > trial.attempt)";

// The views for people (a contract), for the newest version of the tables, as parts of one text.
// Every migration drops and recreates them, so that they never lag behind the tables or name a
// column that changes.
extern const std::string_view kDropViews;
extern const std::array<std::string_view, 21> kViews;
extern const std::string_view kProjectionViews;  // the last of kViews

}  // namespace scalestudy
