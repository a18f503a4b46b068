#include "harness/study/parameters/choices.h"

#include <algorithm>

#include "harness/study/declared/step_work.h"
#include "harness/study/parameters/interconnect.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

bool is_condition(Workload workload, const std::string& name) {
  const protocol::ParameterInfo* info = protocol::find_parameter(to_word(workload), name);
  return find_interconnect_parameter(name) != nullptr || (info != nullptr && info->condition);
}

}  // namespace

bool is_choice(const Study& study, const std::string& name) {
  const std::vector<std::string>& decide = study.analysis.decide;
  if (name == kSideParameter) {
    return true;
  }
  if (name == names::kDevices && !states_work(study)) {
    return false;
  }
  if (decide.empty()) {
    return study.workload == Workload::kCommand || !is_condition(study.workload, name);
  }
  const auto is_decided = [&](const std::string& other) {
    return std::ranges::find(decide, other) != decide.end();
  };
  return is_decided(name) || std::ranges::any_of(study.zip, [&](const Parameters& row) {
           return row.contains(name) && std::ranges::any_of(row, [&](const auto& entry) {
                    return is_decided(entry.first);
                  });
         });
}

}  // namespace scalestudy
