#include "harness/store/removal.h"

#include <array>
#include <string>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/store/database/open.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/table_sql.h"
#include "harness/study/declared/study_name.h"

namespace scalestudy {
namespace {

// The tables with rows of a study, each before those that it refers to. If one is missing here,
// its foreign key stops the removal with an error.
constexpr std::array kOfStudy{"projection",     "volume",   "law_choice",  "counterpart",
                              "flagged_steps",  "flag",     "threat",      "search_setting",
                              "target_result",  "law",      "threshold",   "comparison",
                              "estimate",       "addition", "look",        "published_figure",
                              "publication",    "log",      "telemetry",   "series",
                              "annotation",     "trial",    "environment", "session",
                              "cell_parameter", "cell"};

// Which rows of such a table: what has no study_id hangs on a row that has.
std::string where_of_study(std::string_view table) {
  const auto hangs_on = [](const char* parent) {
    return fmt::format("{0}_id IN (SELECT id FROM {0} WHERE study_id = ?)", parent);
  };
  return table == "published_figure" ? hangs_on("publication")
         : table == "environment"    ? hangs_on("session")
         : table == "cell_parameter" ? hangs_on("cell")
         : table == "log" || table == "telemetry" || table == "series" || table == "annotation"
             ? hangs_on("trial")
             : "study_id = ?";
}

}  // namespace

std::vector<StudyRow> misnamed_studies(const std::filesystem::path& results) {
  const auto database = open_for_reading(results);
  auto rows = sql::read_rows<StudyRow>(*database, "ORDER BY id");
  std::erase_if(rows, [](const StudyRow& row) { return is_study_name(row.name); });
  return rows;
}

void remove_study(const std::filesystem::path& results, std::int64_t study_id) {
  const auto database = open_for_writing(results);
  sql::Transaction transaction(*database);
  for (const std::string table : kOfStudy) {
    sql::Statement(*database, fmt::format("DELETE FROM {} WHERE {}", table, where_of_study(table)))
        .bind(study_id)
        .run();
  }
  sql::Statement(*database, "DELETE FROM study WHERE id = ?").bind(study_id).run();
  transaction.commit();
}

}  // namespace scalestudy
