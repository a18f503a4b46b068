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

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's own name
class Database;
}

namespace scalestudy {

using SeriesVisit = std::function<void(const TrialRow& trial, const SeriesRow& series)>;

// Not thread-safe. Every write is one transaction: it happened whole or not at all, also after a
// kill -9. Errors are Error{kStore} with the path and what to try.
class Store {
 public:
  // Opens `results/results.db` for reading and writing; makes folder and file when missing and
  // migrates an older schema. A newer one, no database, or no right to write is an error.
  static Store open(const std::filesystem::path& results);

  static Store open_read_only(const std::filesystem::path& results);  // a missing one is an error
  static Store open_in_memory();                                      // empty, for tests

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // From now on a statement that finds another program writing waits while `go_on` is true, which
  // is asked with the seconds it has waited; without this it waits 10 s and fails.
  void wait_for_writers(std::function<bool(double waited_s)> go_on);

  const std::filesystem::path& results_folder() const;

  // ---- studies, cells, plan; what is called as no study may be (removal.h) is none
  std::optional<StudyRow> find_study(const std::string& name) const;
  std::vector<StudyRow> studies() const;
  std::int64_t put_study(const StudyRow& study);  // or updates that of its name; returns its id

  // Inserts cells that are new by hash; updates label, role, baseline and exclusion of known ones.
  // The others are excluded with `dropped_reason`; their trials stay.
  void put_cells(std::int64_t study_id,
                 const std::vector<CellRow>& cells,
                 const std::string& dropped_reason);
  std::vector<CellRow> cells(std::int64_t study_id) const;

  // Inserts the planned trials that the store does not have, by (plan, cell, block); moves the
  // position of those still planned; marks planned and excluded trials that are no longer in the
  // plan as skipped with `dropped_reason`. Rows found `running` (a killed harness) go back to
  // planned, with one death more unless their session has an ending.
  void put_plan(std::int64_t study_id,
                const std::vector<TrialRow>& planned,
                const std::string& dropped_reason);
  void extend_plan(std::int64_t study_id, const std::vector<TrialRow>& planned);  // new ones only
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
  // a planned row with attempt + 1 is added.
  void finish_trial(const TrialRecord& record, bool retry);
  void add_reading(const TrialRecord& record);  // of its logs anew: an attempt if values differ
  // Plans a further attempt of every trial of the plan whose last attempt ended failed, timeout,
  // oom, invalid (but by hand) or unsupported, in that session or in any. Returns how many.
  std::int64_t plan_retries(std::int64_t study_id,
                            const std::string& plan,
                            std::optional<std::int64_t> session_id = {});
  void reset_trial(std::int64_t trial_id);  // one that was interrupted, back to planned

  // Throws Error{kUsage} without words, or for a trial that cannot be what its kind asks for.
  void annotate(const AnnotationRow& annotation);
  std::vector<AnnotationRow> annotations(std::int64_t study_id) const;  // in their order
  std::vector<TrialRow> trials(std::int64_t study_id) const;            // by position, then attempt
  std::vector<SeriesRow> series(std::int64_t trial_id) const;

  // Visits every series of the study's ok trials (last attempts) of one metric over all ranks, in
  // order of trial position. Streams: one series is in memory at a time.
  void for_each_series(std::int64_t study_id,
                       const std::string& metric,
                       const SeriesVisit& visit) const;

  // The same for series of any metric, of the rank that step_time() names as the slowest.
  void for_each_slowest_series(std::int64_t study_id, const SeriesVisit& visit) const;

  // The time of a step (view step_times), of trials that have one; the second by trial id.
  std::optional<StepTime> step_time(std::int64_t trial_id) const;
  std::map<std::int64_t, StepTime> step_times(std::int64_t study_id) const;
  std::vector<std::string> metrics(std::int64_t study_id) const;  // of ok trials, sorted
  // Cores that each rank of a built-in workload's trial was bound to, by trial id; before that was
  // recorded, on the CPU, as many as its threads. Absent where they were not bound or nobody knows.
  std::map<std::int64_t, double> cores_per_rank(std::int64_t study_id) const;
  // By trial id, of each by name; with a name what is called so alone.
  std::map<std::int64_t, std::vector<TelemetryRow>> telemetry(std::int64_t study_id,
                                                              const std::string& name = "") const;

  void note_look(std::int64_t study_id);  // results are seen now, after as many trials as ended
  std::vector<std::int64_t> looks(std::int64_t study_id) const;  // those numbers, ascending

  // ---- results
  void replace_results(std::int64_t study_id, const Results& results);  // all of the study
  Results results(std::int64_t study_id) const;

  // ---- published figures; no statistic reads them
  // Stores all or none. One of the same study, kind and path (for a dataset: name) as a stored one
  // takes its place; one that is stored already (same study, kind and hash, from any path) changes
  // nothing. Returns what was done with each, in their order.
  std::vector<ImportEffect> put_publications(const std::vector<PublicationRow>& publications);
  std::vector<PublicationRow> publications(std::optional<std::int64_t> study_id) const;

  // ---- all but results (content_rows.h); what takes its place has none yet
  StoreContent content() const;
  void replace_content(const StoreContent& content);

  // ---- SQL
  // Runs one reading statement with positional parameters. A statement that would write, more than
  // one statement, a syntax error, or one that takes longer than most_s is Error{kUsage}.
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
