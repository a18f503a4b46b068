// Whether an attempt that has ended is followed by another one of the same trial.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "harness/store/rows/put_aside.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

class FurtherAttempts {
 public:
  explicit FurtherAttempts(const Study& study) : study_(study) {}

  // An attempt of an earlier session.
  //   is_of_earlier_command  it says nothing of the study's.
  void add_earlier(const TrialRow& ended, bool is_of_earlier_command);

  // Of an attempt of this session, asked once. After a failure limits.retries says how often, and
  // none follows that would end alike; one that was put aside is none of the cell's failures:
  // validity.requeues says how often, and under abort the next run begins with it.
  //   is_useless  the cell's attempts have failed alike too often.
  bool is_tried_again(const TrialRow& ended, bool is_useless);

 private:
  using Counts = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;  // by cell, block

  const Study& study_;
  Counts uncounted_;  // that no failure's retries are taken from
  Counts put_aside_;  // among them
};

}  // namespace scalestudy
