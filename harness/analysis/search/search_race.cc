#include "harness/analysis/search/search_race.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/settings.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/rows/put_aside.h"
#include "harness/store/rows/runs.h"
#include "stats/race.h"

namespace scalestudy {
namespace {

constexpr double kRaceShare = 0.5;       // of the budget
constexpr std::int64_t kFirstRound = 3;  // blocks at most while the spread is unknown
constexpr double kLeadChance = 0.9;      // with which a round tells a difference of the margin
constexpr double kPower = 0.8;

// ---- what was spent

// Wall time and number of trials, of what may be spent or was.
struct Cost {
  double wall_s = 0.0;
  double trials = 0.0;
};

struct Ledger {
  Cost spent;
  std::map<std::int64_t, double> wall_s;  // mean of a trial, by cell
};

Ledger read_ledger(const std::vector<TrialRow>& trials, const std::string& plan) {
  Ledger ledger;
  std::map<std::int64_t, double> counts;
  for (const TrialRow& trial : each_run_once(trials)) {
    if (trial.plan == plan && trial.wall_s) {
      ledger.spent.wall_s += *trial.wall_s;
      ledger.spent.trials += 1.0;
      ledger.wall_s[trial.cell_id] += *trial.wall_s;
      counts[trial.cell_id] += 1.0;
    }
  }
  for (auto& [cell, wall_s] : ledger.wall_s) {
    wall_s /= counts.at(cell);
  }
  return ledger;
}

// What a share of the budget leaves.
Cost left_of(const Search& search, const Ledger& ledger, double share) {
  Cost left{.wall_s = share * search.budget_s - ledger.spent.wall_s, .trials = 1e9};
  if (search.max_trials) {
    left.trials = share * static_cast<double>(*search.max_trials) - ledger.spent.trials;
  }
  return left;
}

// One trial of each.
Cost block_of(const std::vector<std::int64_t>& cells, const Ledger& ledger) {
  Cost block;
  for (const std::int64_t cell : cells) {
    const auto known = ledger.wall_s.find(cell);
    block.wall_s += known == ledger.wall_s.end() ? 0.0 : known->second;
    block.trials += 1.0;
  }
  block.wall_s = std::max(block.wall_s, 1e-9);  // of programs that take no time at all
  return block;
}

// ---- values

// Logarithm, higher is better; absent where the trial has none.
std::optional<double> objective_of(const CellObservation& base,
                                   const CellObservation& cell,
                                   const TrialObservation& trial,
                                   const StudyObservation& observation,
                                   const Study& study) {
  const MetricRequest* request = find_request(study.analysis, study.search->objective);
  const auto step = trial.metrics.find(kStepTime);
  std::optional<double> value;
  if (request != nullptr) {
    value = asked_value(cell, trial, *request, study);
  } else if (step != trial.metrics.end()) {
    value = work_ratio(base.row, cell.row, observation.study.scaling) / step->second.mean;
  }
  if (!value || !(*value > 0.0) || !std::isfinite(*value)) {
    return std::nullopt;
  }
  return request == nullptr || request->is_higher_better ? std::log(*value) : -std::log(*value);
}

stats::RaceStandings standings_of(const Race& race,
                                  const StudyObservation& observation,
                                  const Study& study) {
  std::vector<double> values;
  std::vector<std::int64_t> settings;
  std::vector<std::int64_t> blocks;
  for (const auto& [id, setting] : race.settings) {
    for (const TrialObservation& trial : setting.cell->trials) {
      if (trial.row.plan != race.plan || trial.row.part != SearchPart::kRace) {
        continue;
      }
      if (const auto value =
              objective_of(*race.find_default()->cell, *setting.cell, trial, observation, study)) {
        values.push_back(*value);
        settings.push_back(id);
        blocks.push_back(trial.row.block);
      }
    }
  }
  return stats::race_standings(values, settings, blocks);
}

// ---- what becomes of settings

// Why a setting leaves for how a trial of it ended; "" where it may go on.
std::string failure_of(const TrialRow& trial) {
  const bool is_bad = is_unusable(trial.state) || trial.state == TrialState::kSkipped;
  return !is_bad || is_put_aside(trial)
             ? ""
             : fmt::format("a trial ended {}: {}", to_word(trial.state), trial.reason);
}

// Whether some trial of the race has what the study searches by.
bool has_objective(const RaceSetting& setting, const Race& race, const Study& study) {
  const MetricRequest* request = find_request(study.analysis, study.search->objective);
  const std::string metric = request == nullptr ? kStepTime : request->metric;
  return std::ranges::any_of(setting.cell->trials, [&](const TrialObservation& trial) {
    return trial.row.plan == race.plan && trial.row.part == SearchPart::kRace &&
           trial.metrics.contains(metric);
  });
}

// What the next blocks are decided by.
struct Standing {
  const StudyObservation& observation;
  const Study& study;
  const Race& race;
  stats::RaceStandings values;
  Ledger ledger;

  [[nodiscard]] double level(std::int64_t id) const { return values.of.at(id).level; }
};

// Of those in the race's last block, the default apart, that may go on; best first.
std::vector<std::int64_t> order_of(const Standing& now) {
  std::vector<std::int64_t> others;
  for (const auto& [id, setting] : now.race.settings) {
    if (!setting.is_default && setting.failure.empty() && now.values.of.contains(id) &&
        setting.last_block == now.race.blocks - 1) {
      others.push_back(id);
    }
  }
  std::ranges::sort(others, [&](std::int64_t a, std::int64_t b) {
    return std::tuple(-now.level(a), a) < std::tuple(-now.level(b), b);
  });
  return others;
}

SearchBlocks race_blocks(const Standing& now,
                         const std::vector<std::int64_t>& cells,
                         std::int64_t count) {
  SearchBlocks next{.first = now.race.blocks, .count = count, .cells = {}};
  for (const std::int64_t id : cells) {
    next.cells[id] = SearchPart::kRace;
  }
  next.cells[now.race.find_default()->cell->row.id] = SearchPart::kRace;
  return next;
}

// What the race's half of the budget leaves a round of these and the default; 0: nothing.
std::int64_t affordable_blocks(const Standing& now, std::vector<std::int64_t> others) {
  const Cost left = left_of(*now.study.search, now.ledger, kRaceShare);
  if (!(left.wall_s > 0.0 && left.trials > 0.0)) {
    return 0;
  }
  const std::size_t settings = others.size();
  others.push_back(now.race.find_default()->cell->row.id);
  const Cost block = block_of(others, now.ledger);
  return static_cast<std::int64_t>(
      std::min(stats::halving_blocks(left.wall_s, block.wall_s, settings),
               stats::halving_blocks(left.trials, block.trials, settings)));
}

// Blocks of the race after which more would tell nothing of the margin.
std::int64_t enough_blocks(const Standing& now) {
  const std::size_t blocks =
      stats::blocks_to_lead(now.values.sd.value_or(0.0), now.study.analysis.margin, kLeadChance);
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(blocks), kFirstRound, kMostSearchBlocks / 2);
}

// Up to three settings simpler than the winner that may be as good: simplest first, then nearest.
std::vector<std::int64_t> candidates_of(const Standing& now, std::int64_t winner) {
  const RaceSetting& best = now.race.settings.at(winner);
  std::vector<std::tuple<std::int64_t, double, std::int64_t>> simpler;  // departures, behind, id
  for (const auto& [id, setting] : now.race.settings) {
    if (setting.is_default || !setting.failure.empty() || !now.values.of.contains(id) ||
        setting.departures >= best.departures) {
      continue;
    }
    const double behind = now.level(winner) - now.level(id);
    const double se =
        now.values.sd.value_or(0.0) * std::sqrt(2.0 / static_cast<double>(now.values.of.at(id).n));
    if (behind - se <= std::log1p(now.study.analysis.margin)) {
      simpler.emplace_back(setting.departures, behind, id);
    }
  }
  std::ranges::sort(simpler);
  std::vector<std::int64_t> ids;
  for (const auto& [departures, behind, id] : simpler) {
    if (static_cast<std::int64_t>(ids.size()) < kMostCandidates) {
      ids.push_back(id);
    }
  }
  return ids;
}

SearchBlocks fresh_blocks(const Standing& now, std::int64_t winner) {
  SearchBlocks next{.first = now.race.blocks, .count = 0, .cells = {}};
  for (const std::int64_t id : candidates_of(now, winner)) {
    next.cells[id] = SearchPart::kCandidate;
  }
  next.cells[winner] = SearchPart::kWinner;
  next.cells[now.race.find_default()->cell->row.id] = SearchPart::kDefault;
  const double alpha =
      (1.0 - now.study.analysis.confidence) / static_cast<double>(next.cells.size() - 1);
  const auto wanted = now.values.sd ? stats::blocks_to_confirm(
                                          *now.values.sd, now.study.analysis.margin, alpha, kPower)
                                    : std::optional<std::size_t>(0);
  std::vector<std::int64_t> ids;
  for (const auto& [id, part] : next.cells) {
    ids.push_back(id);
  }
  const Cost left = left_of(*now.study.search, now.ledger, 1.0);
  const Cost block = block_of(ids, now.ledger);
  const double affordable = std::min(left.wall_s / block.wall_s, left.trials / block.trials);
  const auto most = static_cast<double>(kMostSearchBlocks - now.race.blocks);
  const double blocks = std::min({wanted ? static_cast<double>(*wanted) : most, affordable, most});
  next.count = std::max(kLeastFreshBlocks, static_cast<std::int64_t>(blocks));
  return next;
}

RaceSetting setting_of(const CellObservation& cell, const Study& study) {
  RaceSetting setting;
  setting.cell = &cell;
  setting.is_default = cell.row.baseline == cell.row.hash;
  for (const CellRow::Parameter& parameter : cell.row.parameters) {
    const auto value = study.analysis.baseline.find(parameter.name);
    const bool departs =
        value != study.analysis.baseline.end() && format_value(value->second) != parameter.value;
    setting.departures += departs ? 1 : 0;
  }
  return setting;
}

// Why a setting of which no trial failed is out of the race all the same; "" if it is not.
// - is_disturbed: some of its trials were put aside
std::string lack_of(const RaceSetting& setting,
                    const RaceSetting& base,
                    bool is_disturbed,
                    const Race& race,
                    const Study& study) {
  const std::optional<Doubt> doubt = doubt_of_settings(*base.cell, *setting.cell);
  if (doubt && doubt->state != SettingState::kUnconfirmed) {
    return "not applied: " + doubt->text;
  }
  if (setting.race_trials > 0) {
    return has_objective(setting, race, study)
               ? ""
               : "no trial has a value of " + study.search->objective;
  }
  return is_disturbed ? "all its trials were put aside for what disturbed them" : "";
}

}  // namespace

const RaceSetting* Race::winner() const {
  const auto found = std::ranges::find_if(
      settings, [](const auto& entry) { return entry.second.part == SearchPart::kWinner; });
  return found == settings.end() ? nullptr : &found->second;
}

const RaceSetting* Race::find_default() const {
  const auto found =
      std::ranges::find_if(settings, [](const auto& entry) { return entry.second.is_default; });
  return found == settings.end() ? nullptr : &found->second;
}

Race read_race(const StudyObservation& observation,
               const std::vector<TrialRow>& trials,
               const Study& study,
               const std::string& plan) {
  Race race;
  race.plan = plan;
  for (const CellObservation& cell : observation.cells) {
    race.settings[cell.row.id] = setting_of(cell, study);
  }
  std::set<std::int64_t> fresh;
  std::set<std::int64_t> disturbed;
  for (const TrialRow& trial : trials) {
    const auto found = race.settings.find(trial.cell_id);
    if (trial.plan != plan || trial.part == SearchPart::kNone || found == race.settings.end()) {
      continue;
    }
    RaceSetting& setting = found->second;
    const bool counts = !trial.superseded && !setting.cell->excluded.contains(trial.id);
    if (counts && setting.failure.empty()) {
      setting.failure = failure_of(trial);
    }
    if (counts && is_put_aside(trial)) {
      disturbed.insert(trial.cell_id);
    }
    if (trial.part != SearchPart::kRace) {
      setting.part = trial.part;
      fresh.insert(trial.block);
      continue;
    }
    race.blocks = std::max(race.blocks, trial.block + 1);
    setting.last_block = std::max(setting.last_block.value_or(0), trial.block);
    setting.race_trials += counts && trial.state == TrialState::kOk ? 1 : 0;
  }
  race.fresh_blocks = static_cast<std::int64_t>(fresh.size());
  if (const RaceSetting* base = race.find_default()) {
    for (auto& [id, setting] : race.settings) {
      if (setting.failure.empty()) {
        setting.failure = lack_of(setting, *base, disturbed.contains(id), race, study);
      }
    }
  }
  return race;
}

SearchBlocks next_search_blocks(const StudyObservation& observation,
                                const std::vector<TrialRow>& trials,
                                const Study& study,
                                const std::string& plan) {
  const Race race = read_race(observation, trials, study, plan);
  const RaceSetting* base = race.find_default();
  if (race.fresh_blocks > 0 || race.blocks == 0 || base == nullptr || !base->failure.empty()) {
    return {};
  }
  const Standing now{.observation = observation,
                     .study = study,
                     .race = race,
                     .values = standings_of(race, observation, study),
                     .ledger = read_ledger(trials, plan)};
  if (now.values.status != stats::Status::kOk) {
    return {};
  }
  std::vector<std::int64_t> others = order_of(now);
  if (others.empty()) {
    return {};
  }
  const bool knows_spread = race.blocks > 1;
  if (!knows_spread) {  // the first block said what one costs: how many is this round?
    const std::int64_t least = others.size() <= 2 ? 2 : 1;
    const std::int64_t blocks = std::clamp(affordable_blocks(now, others), least, kFirstRound);
    if (blocks > 1) {
      return race_blocks(now, others, blocks - 1);
    }
  }
  while (others.size() > 1) {
    others.resize((others.size() + 1) / 2);
    const bool is_last = others.size() == 1;
    const std::int64_t least = !knows_spread && others.size() <= 2 ? 1 : 0;
    const std::int64_t wanted = is_last ? 0 : enough_blocks(now) - race.blocks;
    const std::int64_t blocks = std::max(least, std::min(affordable_blocks(now, others), wanted));
    if (blocks > 0) {
      return race_blocks(now, others, blocks);
    }
  }
  return fresh_blocks(now, others.front());
}

}  // namespace scalestudy
