#include "harness/cli/run/look_first.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/trial_hints.h"
#include "harness/run/session/repeated_failures.h"
#include "harness/store/excluded_trials.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostKinds = 3;

// Trials that ended alike.
struct Kind {
  TrialState state = TrialState::kFailed;
  std::string reason;  // of the last one
  std::int64_t trials = 0;
  std::set<std::int64_t> cells;
  std::int64_t example = 0;  // id of the last one
  std::string started_at;    // likewise
};

// Whether the plans of a merged store are one plan of such trials.
bool has_one_plan(const TrialRow& trial) {
  return trial.part == SearchPart::kNone && trial.provenance == TrialProvenance::kMeasured;
}

std::vector<Kind> kinds_of(const Store& store, std::int64_t study_id, bool expects_oom) {
  std::set<std::int64_t> counted;
  for (const CellRow& cell : store.cells(study_id)) {
    if (!cell.excluded_reason) {
      counted.insert(cell.id);
    }
  }
  const std::set<std::int64_t> by_hand = excluded_by_hand(store, study_id);
  const std::vector<TrialRow> trials = store.trials(study_id);
  std::set<std::pair<std::int64_t, std::int64_t>> good;  // cell and block, of any plan
  for (const TrialRow& trial : trials) {
    if (trial.state == TrialState::kOk && !trial.superseded && has_one_plan(trial)) {
      good.emplace(trial.cell_id, trial.block);
    }
  }
  std::map<std::tuple<TrialState, std::optional<int>, std::optional<int>, std::string>, Kind> kinds;
  for (const TrialRow& trial : trials) {
    const bool is_good = has_one_plan(trial) && good.contains({trial.cell_id, trial.block});
    if (is_good || trial.superseded || !is_unusable(trial.state) ||
        !counted.contains(trial.cell_id) || by_hand.contains(trial.id) ||
        (expects_oom && trial.state == TrialState::kOom)) {
      continue;
    }
    Kind& kind = kinds[{trial.state, trial.exit_code, trial.signal, without_numbers(trial.reason)}];
    kind.state = trial.state;
    ++kind.trials;
    kind.cells.insert(trial.cell_id);
    if (trial.started_at.value_or("") >= kind.started_at) {  // a session goes by position, as these
      kind.example = trial.id;
      kind.reason = trial.reason;
      kind.started_at = trial.started_at.value_or("");
    }
  }
  std::vector<Kind> sorted;
  for (auto& [key, kind] : kinds) {
    sorted.push_back(std::move(kind));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Kind::trials);
  return sorted;
}

}  // namespace

std::vector<std::string> look_first_lines(const Store& store,
                                          std::int64_t study_id,
                                          bool expects_oom) {
  std::vector<std::string> lines;
  const std::vector<Kind> kinds = kinds_of(store, study_id, expects_oom);
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i) {
    const Kind& kind = kinds[i];
    lines.push_back(fmt::format("{}{} of {} {}: {} (the last: trial {})",
                                i == 0 ? "look first at: " : "then at: ",
                                format_count(kind.trials, "trial"),
                                format_count(std::ssize(kind.cells), "cell"),
                                to_word(kind.state),
                                kind.reason,
                                kind.example));
    for (const std::string& hint : trial_hints(store, kind.example)) {
      lines.push_back("    " + hint);
    }
  }
  if (kinds.size() > kMostKinds) {
    lines.push_back(
        fmt::format("and {} more, in the report",
                    format_count(static_cast<std::int64_t>(kinds.size() - kMostKinds), "kind")));
  }
  return lines;
}

}  // namespace scalestudy
