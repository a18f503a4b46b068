#include "harness/analysis/observe/trial_facts.h"

#include <map>
#include <string>
#include <string_view>

namespace scalestudy {
namespace {

constexpr std::string_view kCommasPrefix = "commas.";    // facts of what rules read
constexpr std::string_view kEditedPrefix = "edited.";    // of a command's programs
constexpr std::string_view kSettingPrefix = "setting.";  // facts of the built-in workloads

}  // namespace

bool take_fact(const TelemetryRow& row, TrialObservation& trial) {
  // Not 0: yes.
  static const std::map<std::string, bool TrialObservation::*> kYesOrNo{
      {"is_steady", &TrialObservation::is_steady},
      {"emulated", &TrialObservation::is_emulated},
      {"cleanup_failed", &TrialObservation::has_failed_cleanup},
      {"setup_left_processes", &TrialObservation::has_ended_setup},
      {"repeated_lines", &TrialObservation::has_repeated_lines},
      {"fewer_values", &TrialObservation::has_fewer_values},
      {"resumptions", &TrialObservation::is_resumed},
      {"unread_output", &TrialObservation::has_unread_output},
      {"error_lines", &TrialObservation::has_error_lines}};
  if (row.name.starts_with(kSettingPrefix)) {
    trial.settings[row.name.substr(kSettingPrefix.size())] = row.value;
    return true;
  }
  if (row.name.starts_with(kCommasPrefix)) {
    trial.comma_metrics.insert(row.name.substr(kCommasPrefix.size()));
    return true;
  }
  if (row.name.starts_with(kEditedPrefix)) {
    trial.edited_programs.insert(row.name.substr(kEditedPrefix.size()));
    return true;
  }
  const auto fact = kYesOrNo.find(row.name);
  if (fact == kYesOrNo.end()) {
    return false;
  }
  trial.*fact->second = row.value != 0.0;
  return true;
}

}  // namespace scalestudy
