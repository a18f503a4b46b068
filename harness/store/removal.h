// Removal of studies from a store, and of what their older sessions left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Studies in the store whose name no study may have (is_study_name). Another program wrote them;
// all other functions ignore them, but they can be removed.
std::vector<StudyRow> misnamed_studies(const std::filesystem::path& results);

// Removes a study with everything that belongs to it. The caller holds the run lock.
void remove_study(const std::filesystem::path& results, std::int64_t study_id);

// What all sessions of a study but the newest left. A trial belongs to the session of its last
// attempt; imported trials belong to none.
struct OldSessions {
  std::vector<std::int64_t> sessions;  // their ids, in order of time
  std::size_t kept = 0;                // newest sessions
  std::int64_t trials = 0;             // last attempts that have ended and were not removed yet
  std::int64_t trial_bytes = 0;        // of the values of these trials, as text
  std::int64_t emptied_cells = 0;      // without an ok trial once these trials are gone
  std::int64_t rank_series = 0;        // of single ranks, that no result rests on
  std::int64_t rank_bytes = 0;
  // Folders below logs/ of their attempts, relative to the results folder; each is there.
  std::vector<std::filesystem::path> outputs;
  std::int64_t output_bytes = 0;
  std::int64_t linked_outputs = 0;  // of attempts, in folders behind a link, which stay
};

// - keep: how many of the newest sessions with an ok trial are kept, with all that came after them.
OldSessions find_old_sessions(const std::filesystem::path& results,
                              const StudyRow& study,
                              std::size_t keep);

// Removes the series of single ranks that no result rests on: all but step times and those of the
// slowest rank. Results stay as they are. The caller holds the run lock.
void remove_rank_series(const std::filesystem::path& results,
                        std::int64_t study_id,
                        std::size_t keep);

// Removes the values, readings and logs of old trials, which are skipped with the reason kPruned
// from then on, and all results of the study, which rest on them: only projections stay. The caller
// holds the run lock.
void remove_old_trials(const std::filesystem::path& results,
                       std::int64_t study_id,
                       std::size_t keep);

// Whether removed rows left more than 5 % of the file unused, as where a prune was killed before it
// made the file smaller.
bool has_unused_space(const std::filesystem::path& results);

// Gives the space of removed rows back to the file system. Throws Error{kStore} if that fails, for
// example for lack of space for a copy; nothing is lost then.
void shrink(const std::filesystem::path& results);

}  // namespace scalestudy
