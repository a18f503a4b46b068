#include "harness/analysis/studies/gate_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/studies/history.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "stats/outliers.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

namespace scalestudy {
namespace {

constexpr double kWanted = 0.01;  // a gate that fires this rarely is quiet
constexpr std::array<std::int64_t, 7> kRound{5, 10, 20, 50, 100, 200, 500};

using Groups = std::vector<std::vector<double>>;  // logarithms of step times, one group a session

// Sum of squares about the mean of each side, and its degrees of freedom.
struct Spread {
  double squares = 0.0;
  double df = 0.0;

  void add(const std::vector<double>& values, bool is_about_zero = false) {
    if (values.empty()) {
      return;
    }
    const double centre = is_about_zero ? 0.0 : *stats::mean(values);
    for (const double value : values) {
      squares += (value - centre) * (value - centre);
    }
    df += static_cast<double>(values.size()) - (is_about_zero ? 0.0 : 1.0);
  }
  [[nodiscard]] double variance() const { return df > 0.0 ? squares / df : 0.0; }
};

// What identical trials of a cell, or pairs of them, vary by.
struct Variation {
  Spread between;  // of the sessions' means
  Spread within;   // of trials about the mean of their session
  std::size_t sessions = 0;
  std::size_t trials = 0;
  bool stands_out = false;  // some session among the others
  std::size_t fired = 0;    // of the comparisons that the gate would have made
  std::size_t comparisons = 0;
};

// - is_pair: groups of differences, each of which the gate looks at; else it looks at each session
//   and the one before.
void add_groups(const Groups& groups, bool is_pair, double margin, Variation& variation) {
  std::vector<double> means;
  for (const std::vector<double>& group : groups) {
    means.push_back(*stats::mean(group));
    variation.within.add(group);
    variation.trials += group.size();
  }
  variation.between.add(means, is_pair);
  variation.sessions += groups.size();
  variation.stands_out = variation.stands_out || stats::modified_z(means).n_outliers > 0;
  for (std::size_t i = is_pair ? 0 : 1; i < means.size(); ++i) {
    const double difference = is_pair ? means[i] : means[i] - means[i - 1];
    variation.fired += difference > std::log1p(margin) ? 1 : 0;
    ++variation.comparisons;
  }
}

// Sessions from which on the cell has not changed, by its id.
std::map<std::int64_t, std::int64_t> last_changes(const StudyObservation& observation,
                                                  const Study& study) {
  std::map<std::int64_t, std::int64_t> last;
  Side side;
  side.observation = observation;
  for (const CellChange& change : find_history(side, study.analysis.confidence).changes) {
    std::int64_t& session = last[change.cell.id];
    session = std::max(session, change.latest);
  }
  return last;
}

Groups groups_of(const CellObservation& cell, std::int64_t first) {
  Groups groups;
  for (const auto& [session, values] : session_values(cell, kStepTime)) {
    if (session.value_or(0) < first ||
        !std::ranges::all_of(values, [](double x) { return x > 0.0; })) {
      continue;
    }
    std::vector<double>& group = groups.emplace_back();
    for (const double value : values) {
      group.push_back(std::log(value));
    }
  }
  return groups;
}

// Differences of a control aa from the cell that it repeats, block by block.
Groups pairs_of(const CellObservation& control, const CellObservation& repeated) {
  std::map<SessionBlock, double> times_s;
  for (const TrialObservation& trial : repeated.trials) {
    if (const auto found = trial.metrics.find(kStepTime); found != trial.metrics.end()) {
      times_s.emplace(session_block(trial.row), found->second.mean);
    }
  }
  std::map<SessionId, std::vector<double>> by_session;
  for (const TrialObservation& trial : control.trials) {
    const auto own = trial.metrics.find(kStepTime);
    const auto other = times_s.find(session_block(trial.row));
    if (own != trial.metrics.end() && other != times_s.end() && own->second.mean > 0.0 &&
        other->second > 0.0) {
      by_session[trial.row.session_id].push_back(std::log(own->second.mean / other->second));
    }
  }
  Groups groups;
  for (auto& [session, values] : by_session) {
    groups.push_back(std::move(values));
  }
  return groups;
}

// - is_pair: of differences of two equal cells, whose mean is 0 and which the gate looks at as they
//   are; else it looks at the difference of two sessions, or of two sides.
CellGate gate_of(const CellRow& cell,
                 const Variation& variation,
                 bool is_pair,
                 const Study& study) {
  CellGate gate;
  gate.cell = cell;
  gate.sessions = variation.sessions;
  gate.trials = static_cast<double>(variation.trials) /
                static_cast<double>(std::max<std::size_t>(variation.sessions, 1));
  const double margin = study.analysis.margin;
  const double level = study.analysis.confidence;
  const double two = is_pair ? 1.0 : 2.0;
  const bool is_by_session = variation.sessions >= kSessionsAsUnit;
  gate.design = is_by_session && !is_pair ? GateDesign::kNights : GateDesign::kNight;
  const double within = variation.within.variance();
  const double of_means = is_by_session ? variation.between.variance() : within / gate.trials;
  gate.noise = stats::gate_noise(std::sqrt(two * of_means),
                                 is_by_session ? variation.between.df : variation.within.df,
                                 margin,
                                 level);
  gate.fired = variation.fired;
  gate.comparisons = variation.comparisons;
  gate.is_counted = is_by_session && variation.stands_out;
  if (gate.is_counted) {
    gate.noise = stats::counted_gate_noise(gate.fired, gate.comparisons, level);
    return gate;
  }
  const double nights = is_by_session ? std::max(0.0, of_means - within / gate.trials) : 0.0;
  const auto chance_at = [&](double trials) {
    const double sd = std::sqrt(two * (nights + (trials > 0.0 ? within / trials : 0.0)));
    return stats::gate_noise(sd, 1.0, margin, level).chance.value_or(0.0);
  };
  // A few pairs of trials do not say how much of the spread is theirs.
  const bool knows_within =
      variation.within.df >= variation.between.df && variation.within.df > 0.0;
  if (is_by_session && knows_within) {
    gate.floor = chance_at(0.0);
  }
  if (gate.noise.chance.value_or(0.0) > kWanted && knows_within) {
    const auto* const enough = std::ranges::find_if(kRound, [&](std::int64_t trials) {
      return static_cast<double>(trials) > gate.trials &&
             chance_at(static_cast<double>(trials)) <= kWanted;
    });
    if (enough != kRound.end()) {
      gate.enough = *enough;
    }
  }
  return gate;
}

// A cell of few sessions says less than one of many, however noisy it is.
void sort_by_noise(std::vector<CellGate>& gates) {
  std::erase_if(gates, [](const CellGate& gate) { return !gate.noise.chance; });
  std::ranges::stable_sort(gates, std::ranges::greater(), [](const CellGate& gate) {
    return std::pair(gate.design == GateDesign::kNights, *gate.noise.chance);
  });
}

// Logs that were imported tell no sessions, so that their spread is that of no night.
bool tells_sessions(const CellObservation& cell) {
  return std::ranges::none_of(cell.trials, [](const TrialObservation& trial) {
    return trial.row.provenance == TrialProvenance::kImported;
  });
}

bool lies_on_dates(const std::vector<const StudyObservation*>& sides) {
  std::set<std::string> dates;
  for (const StudyObservation* side : sides) {
    for (const CellObservation& cell : side->cells) {
      for (const TrialObservation& trial : cell.trials) {
        constexpr std::size_t date = 10;  // of "2026-11-21T10:00:00Z"
        dates.insert(trial.row.started_at.value_or("").substr(0, date));
      }
    }
  }
  dates.erase("");
  return dates.size() >= kSessionsAsUnit;
}

// Two digits, as an estimate from so few sessions has no more: "3.4", "23".
std::string percent(double share) {
  constexpr double ten = 10.0;
  const double value = 100.0 * share;
  return value < ten ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

// ", the noisiest of 4 cells, whose median is 0.8 %": of several cells the noisiest looks worse
// than it is, as chance had a part in which one that is. Cells of fewer sessions than it has are
// judged within one night, and not counted.
std::string among_text(const GateReport& report) {
  std::vector<double> chances;
  for (const CellGate& gate : report.cells) {
    if (gate.design == report.cells.front().design) {
      chances.push_back(*gate.noise.chance);
    }
  }
  return chances.size() == 1 ? ""
                             : fmt::format(", the noisiest of {} cells, whose median is {} %",
                                           chances.size(),
                                           percent(*stats::median(chances)));
}

}  // namespace

GateReport gate_report(const std::vector<const StudyObservation*>& sides, const Study& study) {
  GateReport report;
  report.margin = study.analysis.margin;
  report.has_dates = lies_on_dates(sides);
  std::map<std::string, std::pair<CellRow, Variation>> cells;    // by hash
  std::map<std::string, std::pair<CellRow, Variation>> repeats;  // by the hash of what they repeat
  for (const StudyObservation* side : sides) {
    const auto first = last_changes(*side, study);
    for (const CellObservation& cell : side->cells) {
      if (!tells_sessions(cell)) {
        continue;
      }
      if (cell.row.role == CellRole::kMeasured && has_claim(cell)) {
        const auto changed = first.find(cell.row.id);
        auto& [row, variation] = cells[cell.row.hash];
        row = cell.row;
        add_groups(groups_of(cell, changed == first.end() ? 0 : changed->second),
                   false,
                   report.margin,
                   variation);
        report.sessions = std::max(report.sessions, variation.sessions);
      } else if (const CellObservation* repeated = side->find_cell(cell.row.control_of);
                 cell.row.role == CellRole::kAa && repeated != nullptr && has_claim(*repeated)) {
        auto& [row, variation] = repeats[repeated->row.hash];
        row = repeated->row;
        add_groups(pairs_of(cell, *repeated), true, report.margin, variation);
      }
    }
  }
  for (const auto& [hash, found] : cells) {
    report.cells.push_back(gate_of(found.first, found.second, false, study));
  }
  for (const auto& [hash, found] : repeats) {
    report.repeats.push_back(gate_of(found.first, found.second, true, study));
  }
  sort_by_noise(report.cells);
  sort_by_noise(report.repeats);
  return report;
}

std::string gate_sentence(const GateReport& report) {
  if (report.cells.empty()) {
    return "";
  }
  const bool is_nights = report.cells.front().design == GateDesign::kNights;
  const bool is_repeat = !is_nights && !report.repeats.empty();
  const CellGate& worst = is_repeat ? report.repeats.front() : report.cells.front();
  const std::string night = report.has_dates || !is_nights ? "night" : "session";
  const auto chance = [&](const stats::GateNoise& noise) {
    return fmt::format("[{}, {}]", percent(*noise.lo), percent(*noise.hi));
  };
  const std::string trials = format_count(std::llround(worst.trials), "trial");
  std::string text = fmt::format(
      "{} gate of {} {} in {} % of {}s {} ({}{}; {})",
      is_nights ? "A" : "Within one night, a",
      format_percent(report.margin),
      worst.is_counted ? "fired" : "fires by chance",
      percent(*worst.noise.chance),
      is_nights ? night : "comparison",
      chance(worst.noise),
      describe_cell(worst.cell),
      is_repeat ? ", control aa" : among_text(report),
      is_nights
          ? fmt::format("{} {}s of {}, each against the one before", worst.sessions, night, trials)
          : trials + " a side");
  if (worst.is_counted) {
    text += fmt::format(
        "; {} of {}, counted because some {}s stand out, by chance or for a cause that passed",
        worst.fired,
        worst.comparisons,
        night);
  } else if (worst.enough) {
    text += fmt::format("; {} trials {} would make it at most {}",
                        *worst.enough,
                        is_nights ? "a " + night : "a side",
                        format_percent(kWanted));
  } else if (*worst.noise.chance > kWanted && worst.floor.value_or(0.0) > kWanted) {
    text += fmt::format("; more trials do not bring it below {} %, because {}s differ",
                        percent(*worst.floor),
                        night);
  }
  if (!is_nights) {
    text += fmt::format("; it takes {} sessions to tell how much nights differ, and there {} {}",
                        kSessionsAsUnit,
                        report.sessions == 1 ? "is" : "are",
                        report.sessions);
  }
  text += ".";
  if (is_nights && !report.repeats.empty()) {
    const CellGate& repeat = report.repeats.front();
    text += fmt::format(
        " Between two sides of one {}, it fires by chance in {} % {} (control aa of {}).",
        night,
        percent(*repeat.noise.chance),
        chance(repeat.noise),
        describe_cell(repeat.cell));
  }
  return text;
}

std::vector<ThreatRow> gate_threats(const StudyObservation& observation, const Study& study) {
  const GateReport report = gate_report({&observation}, study);
  if (report.cells.empty() || report.cells.front().design != GateDesign::kNights) {
    return {};
  }
  return {{ThreatKind::kGateNoise, Severity::kNote, gate_sentence(report)}};
}

}  // namespace scalestudy
