// Whether an attempt that has ended is followed by another one of the same trial.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "harness/store/rows/put_aside.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Counts the attempts of each trial.
class FurtherAttempts {
 public:
  explicit FurtherAttempts(const Study& study) : study_(study) {}

  // Takes in an attempt of an earlier session.
  // - is_of_earlier_command: the attempt ran another command, so that its failure does not count.
  void add_earlier(const TrialRow& ended, bool is_of_earlier_command);

  // Whether another attempt follows one of this session; asked once for each attempt. A failure is
  // retried limits.retries times, unless it would end alike. An attempt that was put aside does not
  // count as a failure: it is repeated validity.requeues times; under policy abort the next run
  // begins with it.
  // - is_useless: the cell's attempts have failed alike too often.
  bool is_tried_again(const TrialRow& ended, bool is_useless);

 private:
  // Number of attempts, by cell and block.
  using Counts = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

  const Study& study_;
  Counts uncounted_;  // attempts that do not count as failures
  Counts put_aside_;  // of these, the attempts that were put aside
};

}  // namespace scalestudy
