// Trials of a `command` study from logs of runs that this harness did not start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/runs/find_runs.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

enum class RunEffect {
  kNew,
  kKnown,    // a trial of the same run has this text already: nothing is added
  kChanged,  // the log had another text when it was imported: a further attempt of that trial
};

struct ReadRun {
  FoundRun found;
  std::string place{};  // place_of() its source
  std::string hash{};   // of its text
  const Cell* cell = nullptr;
  RunEffect effect = RunEffect::kNew;
  std::string known_as;  // kKnown, kChanged: the log of that trial
  // kKnown: the trial if it is excluded by hand and the log has changed, whose text is not stored.
  std::optional<std::int64_t> excluded_trial{};
  std::string twin{};  // kNew, kChanged: another run here that has the same text and counts too
  TrialRecord record;  // without ids
};

struct ReadRuns {
  std::vector<ReadRun> runs;
  std::vector<std::string> notes;  // what a reader of the numbers should know
  std::vector<std::string> empty;  // labels of cells that have no run, here or in the store
};

// Finds the logs and reads them by the study's rules. Writes nothing.
// - matrix: of the study; outlives what is returned.
// - store: what was imported before; nullptr if there is no store.
// - throws: Error{kUsage} that lists every problem of the request, the files' names and values; if
//   the study is none of a command; if its stored trials were run, or imported by other rules.
ReadRuns read_runs(const Study& study,
                   const Matrix& matrix,
                   const RunsRequest& request,
                   const Store* store);

// Stores the trials of the new logs. Returns the study's id.
// - keeps_logs: their logs are copied into the results folder, too.
std::int64_t store_runs(
    const Study& study, const Matrix& matrix, const ReadRuns& runs, bool keeps_logs, Store& store);

}  // namespace scalestudy
