#include "harness/study/declared/step_work.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "harness/study/declared/varied_names.h"
#include "workloads/names/names.h"

namespace scalestudy {

bool states_work(const Study& study) {
  constexpr std::array sizes{names::kBatchGlobal, names::kBatchPerDevice, names::kMessageBytes};
  const std::set<std::string> varied = varied_names(study);
  return study.workload != Workload::kCommand || times_whole_commands(study.extract) ||
         std::ranges::any_of(sizes, [&](const char* size) {
           return varied.contains(size) || study.parameters.contains(size);
         });
}

bool goes_by_speed(const Study& study) {
  return !study.search || study.search->objective == names::kThroughput;
}

}  // namespace scalestudy
