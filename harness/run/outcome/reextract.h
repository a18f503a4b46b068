// Values read again from kept logs, after a study's extract rules were mended.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string left_alone;  // why the trial was not read again; "" if it was
};

// Reads the logs of all trials that ended by themselves with exit code 0, or were imported, and
// took their values from stdout or stderr, the last attempt of each. What changed is stored as a
// further attempt with the same session, times and logs; the earlier attempt stays, superseded,
// with its values. A trial whose log was cut, or is gone, is left alone. Throws Error{kUsage} when
// `study` differs from the stored one in more than extract, fail_if, steps and
// analysis.
std::vector<Reread> reread_logs(const Study& study, Store& store);

}  // namespace scalestudy
