#include "harness/cli/closing.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/run/command/by_hand.h"
#include "harness/run/session/repeated_failures.h"
#include "harness/text/shell_word.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostKinds = 3;

// Trials that ended alike.
struct Kind {
  TrialState state = TrialState::kFailed;
  std::string reason;  // of the last one
  std::int64_t trials = 0;
  std::set<std::int64_t> cells;
  std::int64_t example = 0;  // id of the last one
};

std::vector<Kind> kinds_of(const Store& store, std::int64_t study_id) {
  std::set<std::int64_t> counted;
  for (const CellRow& cell : store.cells(study_id)) {
    if (!cell.excluded_reason) {
      counted.insert(cell.id);
    }
  }
  std::map<std::tuple<TrialState, std::optional<int>, std::optional<int>, std::string>, Kind> kinds;
  for (const TrialRow& trial : store.trials(study_id)) {
    if (trial.superseded || !is_unusable(trial.state) || !counted.contains(trial.cell_id)) {
      continue;
    }
    Kind& kind = kinds[{trial.state, trial.exit_code, trial.signal, without_numbers(trial.reason)}];
    kind.state = trial.state;
    ++kind.trials;
    kind.cells.insert(trial.cell_id);
    if (trial.id > kind.example) {
      kind.example = trial.id;
      kind.reason = trial.reason;
    }
  }
  std::vector<Kind> sorted;
  for (auto& [key, kind] : kinds) {
    sorted.push_back(std::move(kind));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Kind::trials);
  return sorted;
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

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

std::vector<std::string> closing_lines(const Store& store,
                                       std::int64_t study_id,
                                       const std::vector<ThreatRow>& threats) {
  std::vector<std::string> lines;
  const std::vector<Kind> kinds = kinds_of(store, study_id);
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i) {
    const Kind& kind = kinds[i];
    lines.push_back(fmt::format("{}{} of {} {}: {} (the last: trial {})",
                                i == 0 ? "look first at: " : "then at: ",
                                counted(static_cast<std::size_t>(kind.trials), "trial"),
                                counted(kind.cells.size(), "cell"),
                                to_word(kind.state),
                                kind.reason,
                                kind.example));
    for (const std::string& hint : trial_hints(store, kind.example)) {
      lines.push_back("    " + hint);
    }
  }
  if (kinds.size() > kMostKinds) {
    lines.push_back(
        fmt::format("and {} more, in the report", counted(kinds.size() - kMostKinds, "kind")));
  }
  const auto warnings = static_cast<std::size_t>(
      std::ranges::count(threats, Severity::kWarning, &ThreatRow::severity));
  if (const auto first = std::ranges::find(threats, Severity::kWarning, &ThreatRow::severity);
      first != threats.end()) {
    lines.push_back(
        fmt::format("the report warns {}: {}", counted(warnings, "time"), first->finding));
  }
  return lines;
}

}  // namespace scalestudy
