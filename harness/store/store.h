// The results database: every study, trial, sample and result of one results folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/content_rows.h"
#include "harness/store/rows/query_result.h"
#include "harness/store/rows/rows.h"

namespace SQLite {
class Database;
}

namespace scalestudy {

using SeriesVisit = std::function<void(const TrialRow& trial, const SeriesRow& series)>;

// Not thread-safe. Every write is one transaction: it happens whole or not at all, even under a
// kill -9. Errors are Error{kStore} with the path and what to try.
class Store {
 public:
  // Opens `results/results.db` for reading and writing; makes folder and file when missing and
  // migrates an older schema. A newer one, no database, or no right to write is an error.
  static Store open(const std::filesystem::path& results);
  static Store open_read_only(const std::filesystem::path& results);  // throws if it is missing
  static Store open_in_memory();                                      // empty
  static bool exists(const std::filesystem::path& results);  // not if a killed run left no tables

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Lets statements wait for another program that writes as long as `go_on`, called with the
  // seconds waited so far, returns true. Without this call they fail after 10 s.
  void wait_for_writers(std::function<bool(double waited_s)> go_on);
  const std::filesystem::path& results_folder() const;
  void leave_file();  // goes on in memory, so that what is written leaves the file as it is
  // ---- studies, cells, plan; studies with names that none may have (removal.h) are ignored
  std::optional<StudyRow> find_study(const std::string& name) const;
  StudyRow study(std::int64_t id) const;  // throws if there is none
  std::vector<StudyRow> studies() const;
  std::int64_t put_study(const StudyRow& study);  // inserts or updates by name; returns its id
  // Inserts cells that are new by hash; updates label, role, baseline and exclusion of known ones.
  // Stored cells not among `cells` are excluded with `dropped_reason`; their trials stay.
  void put_cells(std::int64_t study_id,
                 const std::vector<CellRow>& cells,
                 const std::string& dropped_reason);
  std::vector<CellRow> cells(std::int64_t study_id) const;

  // Inserts the planned trials that the store does not have, by (plan, cell, block); sets those
  // that have not run to what is planned now. Those that left the plan are skipped, with
  // `dropped_reason`, or removed: another plan's that the plan has or a search's, and retries. Rows
  // found `running` go back to planned, with one more death unless their session has an ending.
  void put_plan(std::int64_t study_id,
                const std::vector<TrialRow>& planned,
                const std::string& dropped_reason);
  void extend_plan(std::int64_t study_id, const std::vector<TrialRow>& planned);  // inserts alone
  void add(std::int64_t study_id, const std::vector<Addition>& additions);        // to the plan
  std::vector<Addition> additions(std::int64_t study_id) const;                   // in their order

  // ---- sessions
  std::int64_t begin_session(const SessionRow& session,
                             const std::vector<EnvironmentRow>& environment);
  void end_session(std::int64_t session_id, const std::string& finished_at, SessionEnding ending);
  std::vector<SessionRow> sessions(std::int64_t study_id) const;
  std::vector<EnvironmentRow> environment(std::int64_t session_id) const;
  // ---- trials
  void mark_running(std::int64_t trial_id, std::int64_t session_id, const std::string& started_at);

  // Stores a finished attempt with everything it left; record.trial.id names the row. With `retry`,
  // a planned row with attempt + 1 is added, and its id returned.
  std::optional<std::int64_t> finish_trial(const TrialRecord& record, bool retry);
  void add_reading(const TrialRecord& record);  // logs read again: an attempt if values differ
  void add_imported(const std::vector<TrialRecord>& records);  // attempts that ended elsewhere
  // Plans a further attempt of every trial of the plan whose last attempt ended failed, timeout,
  // oom, invalid (except by hand) or unsupported, in that session or in any. Returns how many. With
  // "" of all plans: once, and only if the trial is ok in none.
  std::int64_t plan_retries(std::int64_t study_id,
                            const std::string& plan,
                            std::optional<std::int64_t> session_id = {});
  void reset_trial(std::int64_t trial_id);  // sets an interrupted trial back to planned

  // Throws Error{kUsage} if the text is empty, or the trial is in no state for that kind. Except
  // for a note, this removes the study's results: they counted its trials differently.
  void annotate(const AnnotationRow& annotation);
  std::vector<AnnotationRow> annotations(std::int64_t study_id) const;  // by trial, in order
  std::vector<TrialRow> trials(std::int64_t study_id) const;            // by position, then attempt
  std::vector<SeriesRow> series(std::int64_t trial_id) const;
  // Visits one metric's series of ok trials (last attempts), all ranks, by position, one at a time.
  // Unlike those of series(), they have gone through make_share().
  void for_each_series(std::int64_t study_id,
                       const std::string& metric,
                       const SeriesVisit& visit) const;
  // Likewise visits series of all metrics, but only those of the slowest rank (step_time()).
  void for_each_slowest_series(std::int64_t study_id, const SeriesVisit& visit) const;

  // The step time of a trial, absent if it has none; step_times() by trial id (view step_times).
  std::optional<StepTime> step_time(std::int64_t trial_id) const;
  std::map<std::int64_t, StepTime> step_times(std::int64_t study_id) const;
  std::vector<std::string> metrics(std::int64_t study_id) const;  // of ok trials, sorted
  // Cores that each rank of a built-in workload was bound to, by trial id; for older trials on the
  // CPU its number of threads. Trials whose ranks were not bound, or unknown to be, are left out.
  std::map<std::int64_t, double> cores_per_rank(std::int64_t study_id) const;
  // Telemetry by trial id, each trial's by name; with a `name` only rows of that name.
  std::map<std::int64_t, std::vector<TelemetryRow>> telemetry(std::int64_t study_id,
                                                              const std::string& name = "") const;
  void note_look(std::int64_t study_id);  // records after how many ended trials results are seen
  std::vector<std::int64_t> looks(std::int64_t study_id) const;  // those numbers, ascending

  // ---- results
  void replace_results(std::int64_t study_id, const Results& results);  // all of the study
  Results results(std::int64_t study_id) const;
  std::vector<ProjectionRow> projections(std::int64_t study_id) const;  // as results() has them

  // ---- published figures; no statistic reads them
  // Stores all or none. A publication of the same study, kind and path (for a dataset: name) as a
  // stored one replaces it; one of the same study, kind and hash is stored already and changes
  // nothing. Returns what was done with each, in their order.
  std::vector<ImportEffect> put_publications(const std::vector<PublicationRow>& publications);
  std::vector<PublicationRow> publications(std::optional<std::int64_t> study_id) const;

  // ---- everything but results (content_rows.h); replaced content has no results yet
  StoreContent content() const;
  void replace_content(const StoreContent& content);

  // ---- SQL
  // Runs one reading statement with positional parameters. Several, one that would write, a syntax
  // error, and one that takes longer than most_s are Error{kUsage}.
  QueryResult query(const std::string& sql,
                    const std::vector<Field>& parameters = {},
                    double most_s = 60.0) const;

 private:
  explicit Store(std::unique_ptr<SQLite::Database> database, std::filesystem::path results);

  std::unique_ptr<std::function<bool(double)>> go_on_;  // outlives the database, which calls it
  std::unique_ptr<SQLite::Database> database_;
  std::filesystem::path results_;
};

}  // namespace scalestudy
