#include "harness/cli/trial_hints.h"

#include <filesystem>

#include "harness/run/command/by_hand.h"
#include "harness/text/shell_word.h"

namespace scalestudy {

namespace fs = std::filesystem;

bool is_unusable(TrialState state) {
  return state == TrialState::kFailed || state == TrialState::kTimeout ||
         state == TrialState::kOom || state == TrialState::kInvalid ||
         state == TrialState::kUnsupported;
}

std::string log_file(const Store& store, std::int64_t trial_id) {
  const QueryResult logs = store.query(
      "SELECT path FROM log WHERE trial_id = ?1 AND path <> '' AND stream IN ('stderr', 'stdout') "
      "ORDER BY stream",
      {trial_id});
  std::string most;
  for (const std::vector<Field>& row : logs.rows) {
    const fs::path path = store.results_folder() / std::get<std::string>(row.at(0));
    std::error_code ignored;
    if (most.empty() || fs::file_size(most, ignored) == 0) {
      most = path.string();
    }
  }
  return most;
}

std::vector<std::string> trial_hints(const Store& store, std::int64_t trial_id) {
  const fs::path log = log_file(store, trial_id);
  std::error_code ignored;
  std::vector<std::string> hints;
  if (!log.empty()) {
    hints.push_back("log: " + log.string());
  }
  if (const fs::path script = log.parent_path() / kScriptName; fs::exists(script, ignored)) {
    hints.push_back("by hand: sh " + shell_word(script.string()));
  }
  return hints;
}

}  // namespace scalestudy
