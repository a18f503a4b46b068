// Values read again from kept logs, after a study's extract rules were corrected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// What reading a trial's logs again came to.
struct Reread {
  TrialRow before;
  TrialRow after;    // with its new state and reason; same as `before` if the trial was left alone
  std::string what;  // "step_time_s: 0.5 -> 0.0005 s (means of 10 and 10 values)"; "": no change
  std::string left_alone;             // why the trial was not read again; "" if it was
  std::optional<TrialRecord> record;  // to be stored; absent: nothing is new
};

// Reads the logs of all trials that ended by themselves with exit code 0, or were imported, and
// took their values from stdout or stderr, the last attempt of each. Stores nothing. A trial whose
// log was cut, or is gone, is left alone. Throws Error{kUsage} when `study` differs from the stored
// one in more than extract, fail_if, steps and analysis.
// - only: the trial to read; absent: all
std::vector<Reread> reread_logs(const Study& study,
                                const Store& store,
                                std::optional<std::int64_t> only = std::nullopt);

// Stores what was read: `study` is then the stored one. A trial whose values changed gets a further
// attempt with the same session, times and logs; the earlier attempt stays, superseded, with its
// values.
void accept_readings(const Study& study, const std::vector<Reread>& readings, Store& store);

}  // namespace scalestudy
