#include "harness/cli/trial_hints.h"

#include <filesystem>
#include <fstream>

#include "harness/run/command/by_hand.h"
#include "harness/run/process/trial_files.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {

namespace fs = std::filesystem;

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

namespace {

// The first lines that a program printed, if it exited with 0 and its trial failed all the same: no
// rule found step times in them, or not as many as declared.
std::vector<std::string> first_lines(const Store& store, std::int64_t trial_id) {
  constexpr std::size_t most_lines = 3;
  constexpr std::size_t most_bytes = 100;
  std::vector<std::string> lines;
  for (const auto& row :
       store
           .query("SELECT path FROM log JOIN trial ON trial.id = trial_id WHERE trial_id = ?1 AND "
                  "state = 'failed' AND exit_code = 0 AND path <> '' AND stream IN ('stdout', "
                  "'stderr') ORDER BY stream DESC",
                  {trial_id})
           .rows) {
    std::ifstream log = open_log(store.results_folder() / std::get<std::string>(row.at(0)));
    for (std::string line; lines.size() < most_lines && std::getline(log, line);) {
      const std::string shown = printable(line.substr(0, most_bytes));
      if (shown.find_first_not_of(' ') != std::string::npos) {
        lines.push_back("  " + shown + (line.size() > most_bytes ? " ..." : ""));
      }
    }
    if (!lines.empty()) {
      lines.insert(lines.begin(), "it printed:");
      return lines;
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> trial_hints(const Store& store, std::int64_t trial_id) {
  const fs::path log = log_file(store, trial_id);
  std::error_code ignored;
  std::vector<std::string> hints = first_lines(store, trial_id);
  if (!log.empty()) {
    hints.push_back("log: " + log.string());
  }
  if (const fs::path script = log.parent_path() / kScriptName; fs::exists(script, ignored)) {
    hints.push_back("by hand: sh " + shell_word(script.string()));
  }
  return hints;
}

}  // namespace scalestudy
