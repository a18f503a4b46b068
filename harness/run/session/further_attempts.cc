#include "harness/run/session/further_attempts.h"

#include "harness/run/session/repeated_failures.h"

namespace scalestudy {

void FurtherAttempts::add_earlier(const TrialRow& ended, bool is_of_earlier_command) {
  const std::pair place(ended.cell_id, ended.block);
  const bool is_aside = !is_of_earlier_command && is_put_aside(ended);
  put_aside_[place] += is_aside ? 1 : 0;
  uncounted_[place] += is_aside || is_of_earlier_command ? 1 : 0;
}

bool FurtherAttempts::is_tried_again(const TrialRow& ended, bool is_useless) {
  const std::pair place(ended.cell_id, ended.block);
  if (is_put_aside(ended)) {
    ++uncounted_[place];
    return ++put_aside_[place] <= study_.validity.requeues ||
           study_.validity.policy == DisturbancePolicy::kAbort;
  }
  const bool may_differ = ended.state == TrialState::kTimeout ||
                          (ended.state == TrialState::kFailed && !is_wrong_command(ended));
  return may_differ && ended.attempt - uncounted_[place] <= study_.limits.retries && !is_useless;
}

}  // namespace scalestudy
