#include "harness/analysis/search/search_result.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/cell_name.h"
#include "harness/store/trial_plan.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Of comparisons with the default.
std::string gain_quantity(const Study& study) {
  return find_request(study.analysis, study.search->objective) == nullptr ? kSpeedup
                                                                          : study.search->objective;
}

const ComparisonRow* find_row(const std::vector<ComparisonRow>& rows,
                              std::int64_t cell_id,
                              const std::string& quantity) {
  const auto found = std::ranges::find_if(rows, [&](const ComparisonRow& row) {
    return row.cell_id == cell_id && row.quantity == quantity;
  });
  return found == rows.end() ? nullptr : &*found;
}

bool is_better(const ComparisonRow* gain) {
  return gain != nullptr &&
         (gain->verdict == Verdict::kFaster || gain->verdict == Verdict::kBetter);
}

// The setting to use, nullptr where there is no winner.
const RaceSetting* recommended(const Race& race,
                               const std::vector<ComparisonRow>& comparisons,
                               const std::string& quantity) {
  const auto gains = [&](const RaceSetting& setting) {
    return setting.failure.empty() &&
           is_better(find_row(comparisons, setting.cell->row.id, quantity));
  };
  const RaceSetting* best = race.winner();
  if (best == nullptr || !gains(*best)) {
    return best == nullptr ? nullptr : race.find_default();
  }
  for (const auto& [id, setting] : race.settings) {
    const ComparisonRow* beside = find_row(comparisons, id, kAgainstWinner);
    if (setting.part == SearchPart::kCandidate && beside != nullptr &&
        beside->verdict == Verdict::kEquivalent && gains(setting) &&
        setting.departures < best->departures) {
      best = &setting;
    }
  }
  return best;
}

SearchRole role_of(const RaceSetting& setting, const Race& race) {
  switch (setting.part) {
    case SearchPart::kWinner:
      return SearchRole::kWinner;
    case SearchPart::kCandidate:
      return SearchRole::kCandidate;
    case SearchPart::kDefault:
      return SearchRole::kDefault;
    default:
      break;
  }
  const bool is_over = race.fresh_blocks > 0;
  return !setting.failure.empty()                           ? SearchRole::kFailed
         : !setting.last_block                              ? SearchRole::kUntried
         : is_over || *setting.last_block + 1 < race.blocks ? SearchRole::kLeft
                                                            : SearchRole::kRacing;
}

// Settings that the race measured in its last block before `blocks`, the default left out.
std::int64_t racing_before(const Race& race, std::int64_t blocks) {
  return std::ranges::count_if(race.settings, [&](const auto& entry) {
    const RaceSetting& setting = entry.second;
    return !setting.is_default && setting.last_block && *setting.last_block + 1 >= blocks;
  });
}

// Why it is not measured on fresh blocks; "" of one that may yet be.
std::string describe_leaving(const RaceSetting& setting, SearchRole role, const Race& race) {
  if (role == SearchRole::kFailed) {
    return setting.failure;
  }
  if (role == SearchRole::kUntried) {
    return "joined the study after the race had begun; run it under another name";
  }
  if (role != SearchRole::kLeft) {
    return "";
  }
  const std::int64_t blocks = *setting.last_block + 1;
  const std::int64_t stayed =
      std::max<std::int64_t>(racing_before(race, blocks + 1), race.fresh_blocks > 0 ? 1 : 0);
  return fmt::format("not among the best {} of {} after {}",
                     stayed,
                     racing_before(race, blocks),
                     format_count(blocks, "block"));
}

std::string name_of(const RaceSetting& setting) {
  return describe_cell(setting.cell->row);
}

// "1.05x [1.04, 1.06] the throughput"; "" without such a row.
std::string describe_gain(const ComparisonRow* gain) {
  return gain == nullptr
             ? ""
             : fmt::format("{} the {}",
                           format_interval(measure_of(*gain), {.unit = "x", .levels = {1.0}}),
                           gain->quantity == kSpeedup ? "throughput" : gain->quantity);
}

std::string verdict_text(const ComparisonRow& gain) {
  return to_word(gain.verdict) + (is_open_by_adjustment(gain) ? " after adjustment" : "");
}

// Of the setting to use, short enough for a first screen: the comparisons have findings of their
// own.
std::string describe_recommended(const RaceSetting& best,
                                 const Race& race,
                                 const Study& study,
                                 const std::vector<ComparisonRow>& comparisons) {
  const std::string quantity = gain_quantity(study);
  const RaceSetting& winner = *race.winner();
  if (best.is_default) {
    const ComparisonRow* gain = find_row(comparisons, winner.cell->row.id, quantity);
    return fmt::format("keep the default ({}); the race's winner, {}, is not shown to be better{}",
                       name_of(best),
                       name_of(winner),
                       !winner.failure.empty() ? " (" + winner.failure + ")"
                       : gain == nullptr       ? ""
                                         : fmt::format(" ({} of the default on fresh blocks: {})",
                                                       describe_gain(gain),
                                                       verdict_text(*gain)));
  }
  const std::string simpler =
      best.part == SearchPart::kWinner
          ? ""
          : fmt::format(
                ", the simplest equivalent within {} to the race's winner, {} ({} instead "
                "of {})",
                format_percent(study.analysis.margin),
                name_of(winner),
                format_count(best.departures, "departure"),
                winner.departures);
  return fmt::format("{}: {} of the default on fresh blocks{}",
                     name_of(best),
                     describe_gain(find_row(comparisons, best.cell->row.id, quantity)),
                     simpler);
}

}  // namespace

StudyObservation fresh_only(const StudyObservation& observation,
                            const std::vector<TrialRow>& trials) {
  const std::string plan = searched_plan(trials);
  const auto is_other = [&](const TrialRow& trial) {
    return trial.plan != plan || trial.part == SearchPart::kNone || trial.part == SearchPart::kRace;
  };
  const auto is_other_observed = [&](const TrialObservation& trial) { return is_other(trial.row); };
  StudyObservation fresh = observation;
  for (CellObservation& cell : fresh.cells) {
    std::erase_if(cell.trials, is_other_observed);
    std::erase_if(cell.as_met, is_other_observed);
    for (const TrialRow& trial : trials) {
      if (trial.cell_id == cell.row.id && is_other(trial)) {
        cell.planned -= is_in_plan(trial) ? 1 : 0;
        cell.excluded.erase(trial.id);
      }
    }
  }
  std::erase_if(fresh.cells, [](const CellObservation& cell) { return cell.trials.empty(); });
  return fresh;
}

StudyObservation what_counts(StudyObservation observation,
                             const std::vector<TrialRow>& trials,
                             const Study& study) {
  return study.search ? fresh_only(observation, trials) : std::move(observation);
}

std::vector<ComparisonRow> compare_with_winner(const StudyObservation& fresh,
                                               const Race& race,
                                               const Study& study) {
  const RaceSetting* winner = race.winner();
  const CellObservation* base = winner == nullptr ? nullptr : fresh.find_cell(winner->cell->row.id);
  const MetricRequest* request = find_request(study.analysis, study.search->objective);
  std::vector<Comparison> family;
  for (const auto& [id, setting] : race.settings) {
    const CellObservation* cell = fresh.find_cell(id);
    if (base == nullptr || cell == nullptr || cell == base || setting.part == SearchPart::kNone) {
      continue;
    }
    const double factor =
        request == nullptr ? work_ratio(base->row, cell->row, fresh.study.scaling) : 1.0;
    family.push_back(compare_pair(*base, *cell, kAgainstWinner, factor, study, request));
  }
  return judge_family(std::move(family), fresh.study.scaling);
}

std::vector<SearchSettingRow> search_settings(const Race& race,
                                              const Study& study,
                                              const std::vector<ComparisonRow>& comparisons,
                                              bool is_over) {
  const std::string quantity = gain_quantity(study);
  const RaceSetting* best = is_over ? recommended(race, comparisons, quantity) : nullptr;
  std::vector<SearchSettingRow> rows;
  for (const auto& [id, setting] : race.settings) {
    SearchSettingRow row;
    row.cell_id = id;
    row.quantity = quantity;
    row.departures = setting.departures;
    row.role = role_of(setting, race);
    row.race_trials = setting.race_trials;
    const bool has_left = row.role == SearchRole::kLeft || row.role == SearchRole::kFailed ||
                          row.role == SearchRole::kCandidate;
    if (has_left && setting.last_block) {
      row.left_after = *setting.last_block + 1;
    }
    row.is_recommended = &setting == best;
    const ComparisonRow* gain = find_row(comparisons, id, quantity);
    row.finding = row.is_recommended ? describe_recommended(setting, race, study, comparisons)
                  : gain != nullptr  ? gain->finding
                                     : describe_leaving(setting, row.role, race);
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_search(const StudyObservation& observation,
                const std::vector<TrialRow>& trials,
                const Study& study,
                Results& results) {
  if (!study.search) {
    return;
  }
  const std::string plan = searched_plan(trials);
  const Race race = read_race(observation, trials, study, plan);
  for (ComparisonRow& row : compare_with_winner(fresh_only(observation, trials), race, study)) {
    results.comparisons.push_back(std::move(row));
  }
  const bool is_over =
      race.fresh_blocks > 0 && std::ranges::none_of(trials, [&](const TrialRow& trial) {
        return trial.plan == plan && trial.block >= race.blocks && is_pending(trial.state);
      });
  results.search_settings = search_settings(race, study, results.comparisons, is_over);
}

}  // namespace scalestudy
