#include "harness/store/removal.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/replace_file.h"
#include "harness/store/database/open.h"
#include "harness/store/database/schema.h"
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

// The results of a study that analysis makes anew: all of its rows but projections, each before
// those that it refers to.
constexpr std::array kResults{"volume",
                              "law_choice",
                              "flagged_steps",
                              "flag",
                              "threat",
                              "search_setting",
                              "target_result",
                              "law",
                              "threshold",
                              "comparison",
                              "estimate",
                              "counterpart"};

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

// ---- old sessions. Each condition is about a row of `trial`; ?1 is the study, ?2 how many of the
// newest sessions with an ok trial are kept. Sessions after these are kept, too: a night in which
// all failed takes the place of none that has results.

std::string in_old_session(const std::string& trial) {
  return trial +
         ".session_id IN (SELECT id FROM (SELECT id, sum(has_ok) OVER (ORDER BY started_at DESC, "
         "id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newer FROM (SELECT id, "
         "started_at, EXISTS (SELECT 1 FROM trial WHERE session_id = session.id AND state = 'ok') "
         "AS has_ok FROM session WHERE study_id = ?1)) WHERE newer >= ?2)";
}

// Attempts of trials whose last attempt is old.
std::string of_old_trial() {
  return "trial.study_id = ?1 AND trial.state <> 'running' AND " + in_old_session("trial") +
         " AND NOT EXISTS (SELECT 1 FROM trial AS later WHERE later.cell_id = trial.cell_id AND "
         "later.plan = trial.plan AND later.block = trial.block AND later.attempt > trial.attempt "
         "AND (" +
         in_old_session("later") + ") IS NOT 1)";
}

const std::string kNotPruned = " AND trial.skip_reason IS NOT 'pruned'";

// Of rows of `series`.
std::string of_needless_rank() {
  return "series.rank IS NOT NULL AND series.metric_id NOT IN (SELECT id FROM metric WHERE name = "
         "'step_time_s') AND series.rank IS NOT (SELECT slowest_rank FROM step_times WHERE "
         "step_times.trial = series.trial_id) AND series.trial_id IN (SELECT id FROM trial WHERE "
         "trial.study_id = ?1 AND " +
         in_old_session("trial") + ")";
}

// Two numbers of one row.
std::pair<std::int64_t, std::int64_t> count(const SQLite::Database& database,
                                            const std::string& sql,
                                            std::int64_t study_id,
                                            std::size_t keep) {
  std::pair<std::int64_t, std::int64_t> counts;
  sql::Statement select(database, sql);
  select.bind(study_id, static_cast<std::int64_t>(keep)).step();
  select.read_from(0, counts.first, counts.second);
  return counts;
}

std::int64_t bytes_in(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const std::filesystem::path& entry : entries_of(folder)) {
    std::error_code error;
    if (is_real_folder(entry)) {
      bytes += bytes_in(entry);
    } else if (std::filesystem::is_regular_file(std::filesystem::symlink_status(entry, error))) {
      bytes += static_cast<std::int64_t>(std::filesystem::file_size(entry, error));
    }
  }
  return bytes;
}

// Takes only folders below logs/STUDY, whatever the store says. Those that a link leads to are
// counted, not taken.
void add_outputs(const SQLite::Database& database,
                 const std::filesystem::path& results,
                 const StudyRow& study,
                 OldSessions& old) {
  namespace fs = std::filesystem;
  std::set<fs::path> folders;
  std::set<fs::path> linked;
  sql::Statement select(database,
                        "SELECT DISTINCT path FROM log JOIN trial ON trial.id = log.trial_id WHERE "
                        "path <> '' AND trial.study_id = ?1 AND trial.state <> 'running' AND " +
                            in_old_session("trial"));
  for (select.bind(study.id, static_cast<std::int64_t>(old.kept)); select.step();) {
    std::string path;
    select.read_from(0, path);
    const fs::path folder = fs::path(path).lexically_normal().parent_path();
    const fs::path below = folder.lexically_relative(fs::path("logs") / study.name);
    std::error_code ignored;
    if (stays_inside(below) && below != "." && fs::is_directory(results / folder, ignored)) {
      const bool is_linked =
          leads_through_link(results, folder) || !is_real_folder(results / folder);
      (is_linked ? linked : folders).insert(folder);
    }
  }
  old.linked_outputs = std::ssize(linked);
  for (const fs::path& folder : folders) {
    old.outputs.push_back(folder);
    old.output_bytes += bytes_in(results / folder);
  }
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

OldSessions find_old_sessions(const std::filesystem::path& results,
                              const StudyRow& study,
                              std::size_t keep) {
  const auto database = open_for_reading(results);
  OldSessions old;
  sql::Statement sessions(*database,
                          "SELECT id, (SELECT count(*) FROM trial WHERE session_id = session.id), "
                          "(SELECT count(*) FROM trial WHERE session_id = session.id AND state = "
                          "'ok') FROM session WHERE study_id = ? ORDER BY started_at DESC, id "
                          "DESC");
  old.kept = keep;
  std::size_t newer = 0;  // with an ok trial
  for (sessions.bind(study.id); sessions.step();) {
    std::int64_t id = 0;
    std::int64_t attempts = 0;
    std::int64_t ok = 0;
    sessions.read_from(0, id, attempts, ok);
    if (attempts > 0 && newer >= keep) {
      old.sessions.insert(old.sessions.begin(), id);
    }
    newer += ok > 0 ? 1 : 0;
  }
  std::tie(old.trials, old.trial_bytes) = count(
      *database,
      "SELECT count(*), coalesce(sum((SELECT sum(length(values_json)) FROM series WHERE trial_id = "
      "trial.id)), 0) FROM trial WHERE " +
          of_old_trial() + kNotPruned + " AND NOT " + std::string(kSuperseded),
      study.id,
      keep);
  std::tie(old.emptied_cells, std::ignore) =
      count(*database,
            "SELECT count(DISTINCT trial.cell_id), 0 FROM trial WHERE trial.state = 'ok' AND " +
                of_old_trial() +
                " AND NOT EXISTS (SELECT 1 FROM trial AS newer WHERE newer.cell_id = trial.cell_id "
                "AND newer.state = 'ok' AND (" +
                in_old_session("newer") + ") IS NOT 1)",
            study.id,
            keep);
  std::tie(old.rank_series, old.rank_bytes) =
      count(*database,
            "SELECT count(*), coalesce(sum(length(values_json)), 0) FROM series WHERE " +
                of_needless_rank(),
            study.id,
            keep);
  add_outputs(*database, results, study, old);
  return old;
}

void remove_rank_series(const std::filesystem::path& results,
                        std::int64_t study_id,
                        std::size_t keep) {
  const auto database = open_for_writing(results);
  sql::Transaction transaction(*database);
  sql::Statement(*database, "DELETE FROM series WHERE " + of_needless_rank())
      .bind(study_id, static_cast<std::int64_t>(keep))
      .run();
  transaction.commit();
}

void remove_old_trials(const std::filesystem::path& results,
                       std::int64_t study_id,
                       std::size_t keep) {
  const auto database = open_for_writing(results);
  const auto keeping = static_cast<std::int64_t>(keep);
  sql::Transaction transaction(*database);
  for (const std::string_view table : kResults) {
    sql::Statement(*database, fmt::format("DELETE FROM {} WHERE study_id = ?", table))
        .bind(study_id)
        .run();
  }
  const std::string old = "trial_id IN (SELECT trial.id FROM trial WHERE " + of_old_trial() + ")";
  // The paths of logs stay: should this program die before their files are gone, they are found.
  for (const std::string statement : {"DELETE FROM series WHERE ",
                                      "DELETE FROM telemetry WHERE ",
                                      "UPDATE log SET text = '' WHERE "}) {
    sql::Statement(*database, statement + old).bind(study_id, keeping).run();
  }
  sql::Statement(*database,
                 "UPDATE trial SET state = 'skipped', skip_reason = 'pruned', reason = 'removed by "
                 "prune' WHERE id IN (SELECT trial.id FROM trial WHERE " +
                     of_old_trial() + ")")
      .bind(study_id, keeping)
      .run();
  transaction.commit();
}

bool has_unused_space(const std::filesystem::path& results) {
  const auto database = open_for_reading(results);
  sql::Statement select(*database,
                        "SELECT 20 * freelist_count > page_count FROM pragma_freelist_count, "
                        "pragma_page_count");
  std::int64_t has_space = 0;
  select.bind().step();
  select.read_from(0, has_space);
  return has_space != 0;
}

void shrink(const std::filesystem::path& results) {
  const auto database = open_for_writing(results);
  // The copy of a large store would not fit into memory.
  sql::execute(*database, "PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace scalestudy
