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
  TrialRow after;    // its state and reason; of a trial that is left alone as before
  std::string what;  // "step_time_s: 0.5 -> 0.0005 s (means of 10 and 10 values)"; "" of no change
  std::string left_alone;  // why the trial was not read again; "" where it was
};

// Reads stdout and stderr of the last attempt of each trial that ended by itself with exit code 0
// and took its values from them, and stores what changed as a further attempt with the same
// session, times and logs: the one before stays, superseded, with its values. A trial whose log was
// cut, or is gone, is left alone. Throws Error{kUsage} when `study` differs from the stored one in
// more than extract, steps and analysis.
std::vector<Reread> reread_logs(const Study& study, Store& store);

}  // namespace scalestudy
